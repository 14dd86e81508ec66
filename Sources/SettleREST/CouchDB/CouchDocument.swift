import Foundation
import Settle
import SettleSync

/// Documents as CouchDB's protocol has them.
enum CouchDocument {
    private enum Word {
        static let id = "_id"
        static let revision = "_rev"
        static let revisions = "_revisions"
        static let deleted = "_deleted"
        static let attachments = "_attachments"
    }

    // MARK: Reading

    /// Reads a document.
    ///
    /// - Returns: The revision; a fault when it cannot be one; nil when it has no identifier.
    static func read(_ packed: PackedValue) throws(PackedError) -> FetchedRevision? {
        guard packed.isObject else { return nil }
        let (listed, members) = try packed.separatingMembers(beginningWith: UInt8(ascii: "_"))
        let special = Dictionary(listed.map { ($0.name, $0.value) }) { $1 }
        guard let id = special[Word.id]?.stringValue else { return nil }
        func fault(_ reason: String, _ member: String) -> FetchedRevision {
            .fault(id: id, ItemFault(reason, member: member))
        }
        guard let path = path(of: special) else {
            return fault("The revisions cannot be read.", Word.revisions)
        }
        var attachments: [FetchedAttachment] = []
        if let described = special[Word.attachments]?.objectValue {
            for (name, description) in described.sorted(by: { $0.key < $1.key }) {
                guard let attachment = attachment(name, description) else {
                    return fault("An attachment cannot be read.", Word.attachments)
                }
                attachments.append(attachment)
            }
        }
        return .revision(
            ReceivedRevision(
                id: id, path: path, isDeleted: special[Word.deleted]?.boolValue ?? false,
                members: members, attachments: attachments))
    }

    /// The revision and those before it, newest first; nil when they make no sense.
    private static func path(of special: [String: JSONValue]) -> [String]? {
        guard let revision = special[Word.revision]?.stringValue else { return nil }
        guard let listed = special[Word.revisions] else { return [revision] }
        guard let start = listed["start"]?.integerValue,
            let ids = listed["ids"]?.arrayValue?.compactMap(\.stringValue), !ids.isEmpty,
            start >= Int64(ids.count), start <= Int64(RevisionName.generationMax)
        else { return nil }
        let path = ids.enumerated().map { "\(start - Int64($0))-\($1)" }
        return path[0] == revision ? path : nil
    }

    private static func attachment(
        _ name: String, _ description: JSONValue
    ) -> FetchedAttachment? {
        guard description.objectValue != nil else { return nil }
        var data: Data?
        if let text = description["data"]?.stringValue {
            guard let decoded = Data(base64Encoded: text) else { return nil }
            data = decoded
        }
        return FetchedAttachment(
            name: name,
            contentType: description["content_type"]?.stringValue ?? "application/octet-stream",
            length: description["length"]?.integerValue.flatMap { Int(exactly: $0) },
            digest: description["digest"]?.stringValue, data: data)
    }

    // MARK: Writing

    /// Why a revision cannot be sent.
    struct Unsendable: Error {
        let reason: String
    }

    /// The text of a revision, with its attachments inline or, where they are long, described.
    ///
    /// - Parameters:
    ///   - revision: The revision; its known attachments are named as such, without content.
    ///   - isInline: Whether contents stand in the text; otherwise they follow it.
    /// - Returns: JSON text.
    /// - Throws: ``Unsendable``; what the database throws when it cannot be read.
    static func text(of revision: SentRevision, inline isInline: Bool) throws -> [UInt8] {
        let document = revision.document
        let packed = try document.packed()
        if let name = try packed.memberName(beginningWith: UInt8(ascii: "_")) {
            throw Unsendable(
                reason: "Its member '\(name)' begins with '_', which CouchDB keeps for itself.")
        }
        var text = Array("{\"_id\":".utf8)
        JSONText.append(document.id, to: &text)
        text += Array(",\"_rev\":".utf8)
        JSONText.append(revision.path[0], to: &text)
        append(revisions: revision.path, to: &text)
        if revision.isDeleted { text += Array(",\"_deleted\":true".utf8) }
        if !document.attachments.isEmpty {
            try appendAttachments(of: revision, isInline, to: &text)
        }
        let members = try JSONText.text(of: packed)
        // An object without members is two bytes.
        if members.count > 2 { text.append(UInt8(ascii: ",")) }
        return text + members.dropFirst()
    }

    private static func append(revisions path: [String], to text: inout [UInt8]) {
        let dash = UInt8(ascii: "-")
        let generation = Int64(String(decoding: path[0].utf8.prefix { $0 != dash }, as: UTF8.self))
        text += Array(",\"_revisions\":{\"ids\":[".utf8)
        for (place, name) in path.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            let digest = name.utf8.drop { $0 != dash }.dropFirst()
            JSONText.append(String(decoding: digest, as: UTF8.self), to: &text)
        }
        text += Array("],\"start\":\(generation ?? 0)}".utf8)
    }

    /// The attachments whose contents go with a revision.
    static func sentAttachments(of revision: SentRevision) -> [DocumentAttachment] {
        revision.document.attachments.filter { !revision.knownAttachments.contains($0.name) }
    }

    private static func appendAttachments(
        of revision: SentRevision, _ isInline: Bool, to text: inout [UInt8]
    ) throws {
        let generation = revision.path[0].prefix { $0 != "-" }
        text += Array(",\"_attachments\":{".utf8)
        for (place, attachment) in revision.document.attachments.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            JSONText.append(attachment.name, to: &text)
            text += Array(":{\"content_type\":".utf8)
            JSONText.append(attachment.contentType, to: &text)
            if revision.knownAttachments.contains(attachment.name) {
                text += Array(",\"length\":\(attachment.length),\"stub\":true}".utf8)
                continue
            }
            guard try attachment.isContentAvailable else {
                throw Unsendable(
                    reason: "The content of its attachment '\(attachment.name)' is not here.")
            }
            text += Array(",\"revpos\":\(generation),".utf8)
            if isInline {
                text += Array("\"data\":\"".utf8)
                text += Array(try attachment.data().base64EncodedData())
                text += Array("\"}".utf8)
            } else {
                text += Array("\"length\":\(attachment.length),\"follows\":true}".utf8)
            }
        }
        text.append(UInt8(ascii: "}"))
    }
}
