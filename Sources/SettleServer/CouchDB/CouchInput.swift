import Foundation
import Settle

/// A document as a request has it.
struct CouchInput: Sendable {
    /// An attachment of it: content, or what says that the document keeps the one it has.
    struct Attachment: Sendable {
        let name: String
        let contentType: String
        /// The content; nil for a stub.
        let data: Data?
    }

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
        guard body.isObject else { throw CouchError.badRequest("Document must be a JSON object") }
        let special = try body.memberNames().filter { $0.hasPrefix("_") }
        for name in special {
            let value = try body.member(name) ?? .null
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
            case "_attachments": attachments = try Self.attachments(value)
            case _ where Self.ignored.contains(name): continue
            default:
                throw CouchError(
                    400, "doc_validation", "Bad special document member: \(name)")
            }
        }
        members = special.isEmpty ? body : try body.removing(special)
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

    private static func revisions(_ value: JSONValue) throws -> [String] {
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

    private static func attachments(_ value: JSONValue) throws -> [Attachment] {
        guard case .object(let members) = value else {
            throw CouchError.badRequest("Attachments must be a JSON object")
        }
        return try members.sorted { $0.key < $1.key }.map { name, description in
            let type = description["content_type"]?.stringValue ?? "application/octet-stream"
            if description["stub"]?.boolValue == true {
                return Attachment(name: name, contentType: type, data: nil)
            }
            guard let text = description["data"]?.stringValue, let data = Data(base64Encoded: text)
            else {
                throw CouchError.badRequest("Attachment '\(name)' has no data that is Base64")
            }
            return Attachment(name: name, contentType: type, data: data)
        }
    }

    /// The revisions that a write without new edits stores, newest first.
    func givenRevisions() throws -> [String] {
        if let revisions { return revisions }
        guard let revision, RevisionName(revision) != nil else {
            throw CouchError(400, "doc_validation", "Document without a revision")
        }
        return [revision]
    }

    /// Refuses identifiers that no document of a client can have.
    static func check(_ id: String) throws(CouchError) {
        if id.isEmpty { throw .illegalId("Document id must not be empty") }
        if id.hasPrefix("_design/") { throw .noScripts }
        if id.hasPrefix("_") {
            throw .illegalId("Only reserved document ids may start with underscore.")
        }
        if id.utf8.count > 255 { throw .illegalId("Document id is too long") }
    }
}
