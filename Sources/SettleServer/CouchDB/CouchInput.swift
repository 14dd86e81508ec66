import Foundation
import Settle
import SettleTableProtocol

/// A document as a request has it.
struct CouchInput: Sendable {
    /// An attachment of it.
    struct Attachment: Sendable {
        /// Where the content is.
        enum Content: Sendable {
            case content(CouchContent)
            /// The document keeps the one it has.
            case stub
            /// In a part of the body after the document.
            case follows
        }

        let name: String
        let contentType: String
        var content: Content
        /// Whether the content is packed by gzip.
        var isPacked = false
        /// The generation at which it came to the document, as the sender has it.
        var generation: Int?
        /// What the sender has for the digest.
        var digest: String?
    }

    /// How long contents that come packed in one request may be unpacked, all together, in bytes.
    static let unpackedBytesMax = 64 << 20

    var id: String?
    /// The revision that it follows or, without new edits, is.
    var revision: String?
    /// What CouchDB calls `_revisions`, newest first.
    var revisions: [String]?
    var isDeleted = false
    var attachments: [Attachment] = []
    /// The members that are the document's own.
    let members: PackedValue

    private static let ignored: Set<String> = [
        "_revs_info", "_conflicts", "_deleted_conflicts", "_local_seq",
    ]

    /// Reads a document.
    ///
    /// - Throws: ``CouchError`` in CouchDB's words.
    init(_ body: PackedValue) throws {
        var bytesLeft = Self.unpackedBytesMax
        try self.init(body, unpacking: &bytesLeft)
    }

    /// Reads a document among others.
    ///
    /// - Parameters:
    ///   - body: The document.
    ///   - bytesLeft: How many bytes its packed contents may have, of all that are in memory at once.
    /// - Throws: As ``init(_:)``; 413 when they have more.
    init(_ body: PackedValue, unpacking bytesLeft: inout Int) throws {
        guard body.isObject else { throw CouchError.badRequest("Document must be a JSON object") }
        let (special, own) = try body.separatingMembers(beginningWith: UInt8(ascii: "_"))
        members = own
        for (name, value) in special {
            switch name {
            case "_id":
                guard case .string(let text) = value else {
                    throw CouchError.illegalId("Document id must be a string")
                }
                id = text
            case "_rev":
                guard case .string(let text) = value else { throw CouchError.invalidRevision }
                revision = text
            case "_deleted":
                guard case .bool(let flag) = value else {
                    throw CouchError.badRequest("_deleted must be a boolean")
                }
                isDeleted = flag
            case "_revisions": revisions = try Self.revisions(value)
            case "_attachments":
                attachments = try Self.attachments(value, unpacking: &bytesLeft)
            case _ where Self.ignored.contains(name): continue
            default:
                throw CouchError(
                    400, "doc_validation", "Bad special document member: \(name)")
            }
        }
    }

    /// Reads the text of a document.
    init(text: [UInt8]) throws {
        let packed: PackedValue
        do {
            packed = try JSONText.packed(from: text)
        } catch {
            throw CouchError.invalidJSON
        }
        try self.init(packed)
    }

    /// The revisions that a document names; nil for those of a local document, of which CouchDB's replicator writes
    /// the number as the only digest of generation 0.
    private static func revisions(_ value: JSONValue) throws -> [String]? {
        if value["start"] == 0 { return nil }
        guard let start = value["start"]?.integerValue, let ids = value["ids"]?.arrayValue,
            start >= Int64(ids.count), !ids.isEmpty
        else { throw CouchError(400, "doc_validation", "Bad _revisions") }
        return try ids.enumerated().map { place, id in
            guard let text = id.stringValue else {
                throw CouchError(400, "doc_validation", "RevId isn't a string")
            }
            return "\(start - Int64(place))-\(text)"
        }
    }

    private static func attachments(
        _ value: JSONValue, unpacking bytesLeft: inout Int
    ) throws -> [Attachment] {
        guard case .object(let members) = value else {
            throw CouchError.badRequest("Attachments must be a JSON object")
        }
        return try members.sorted { $0.key < $1.key }.map { name, description in
            var attachment = Attachment(
                name: name,
                contentType: description["content_type"]?.stringValue ?? MediaType.anyBytes,
                content: .stub)
            attachment.isPacked = description["encoding"] == "gzip"
            attachment.generation = description["revpos"]?.integerValue.map { Int(clamping: $0) }
            attachment.digest = description["digest"]?.stringValue
            if description["stub"]?.boolValue == true { return attachment }
            if description["follows"]?.boolValue == true {
                attachment.content = .follows
                return attachment
            }
            guard let text = description["data"]?.stringValue, let data = Data(base64Encoded: text)
            else {
                throw CouchError.badRequest("Attachment '\(name)' has no data that is Base64")
            }
            let content = try unpacked(data, attachment.isPacked, bytesMax: bytesLeft)
            if attachment.isPacked { bytesLeft -= content.count }
            attachment.content = .content(CouchContent(content))
            return attachment
        }
    }

    /// Content as it is, which may have come packed by gzip.
    ///
    /// - Throws: ``CouchError`` when it is not packed as it says, or too long.
    static func unpacked(
        _ data: Data, _ isPacked: Bool, bytesMax: Int
    ) throws(CouchError) -> Data {
        guard isPacked else { return data }
        do {
            return Data(try Inflate.gunzip(data, bytesMax: max(0, bytesMax)))
        } catch {
            throw error == .tooLong
                ? CouchError(413, "attachment_too_large", "The attachment is too large.")
                : .badRequest("The attachment is not packed by gzip as it says.")
        }
    }

    /// The revisions that a write without new edits stores, newest first.
    func givenRevisions() throws -> [String] {
        if let revisions { return revisions }
        guard let revision else { throw CouchError.withoutRevision }
        guard RevisionName(revision) != nil else { throw CouchError.invalidRevision }
        return [revision]
    }

    /// Refuses names that no attachment can have.
    static func checkName(ofAttachment name: String) throws(CouchError) {
        guard name.hasPrefix("_") else { return }
        throw .badRequest("Attachment name '\(name)' starts with prohibited character '_'")
    }

    /// Refuses identifiers that no document of a client can have.
    static func check(_ id: String) throws(CouchError) {
        try checkForm(id)
        if id.utf8.count > 255 { throw .illegalId("Document id is too long") }
    }

    /// Refuses identifiers that no server of CouchDB's protocol takes.
    static func checkForm(_ id: String) throws(CouchError) {
        if id.isEmpty { throw .illegalId("Document id must not be empty") }
        guard !id.hasPrefix("_") || DocumentIdentifier.isDesign(id), id != "_design/" else {
            throw .illegalId("Only reserved document ids may start with underscore.")
        }
    }
}
