import Foundation
import Settle
import SettleOData

/// How an item lies in a Settle document.
///
/// Shape: the document's id is the item's; its members are `item` (object), `createdAt` and
/// `updatedAt` (microseconds since 1970, whole numbers) and `deleted` (boolean), and `left`
/// (object: channels that the item has left -> the `updatedAt` of that write) unless there are
/// none, and `version` (string) when the item was brought over from another store with the version it
/// had there; otherwise its version is made of the document's revision. The item's attachments are the document's. A deleted item
/// is a live document with `deleted` true: the index finds it like any other change, and it keeps
/// its members, above all the channels that say who may be told of it.
enum Envelope {
    static let item = "item"
    static let createdAt = SystemColumn.createdAt.rawValue
    static let updatedAt = SystemColumn.updatedAt.rawValue
    static let deleted = SystemColumn.deleted.rawValue
    static let left = "left"
    static let version = SystemColumn.version.rawValue

    /// The item of a stored document.
    ///
    /// The members stay packed.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted` when the document is no envelope, as after
    ///   another program wrote into the server's database.
    static func item(of document: Document) throws -> TableItem {
        let body = try document.packed()
        let envelope = PackedView(body.bytes.span)
        guard let packed = try envelope.member(item)?.copy(),
            let members = ItemMembers(packed: packed),
            let createdAt = try envelope.integer(createdAt),
            let updatedAt = try envelope.integer(updatedAt),
            let isDeleted = try envelope.bool(deleted),
            let removals = ChannelRemovals(try envelope.member(left)?.value()),
            let revision = document.revisionText
        else {
            throw DatabaseError(
                .corrupted,
                "The document '\(document.id)' was not written by the server; keep the "
                    + "databases of a server apart from others.", documentId: document.id)
        }
        return TableItem(
            id: document.id, members: members, createdAt: Instant(microseconds: createdAt),
            updatedAt: Instant(microseconds: updatedAt),
            version: try envelope.string(version)
                ?? Data(Array(revision.utf8)).base64EncodedString(),
            isDeleted: isDeleted,
            attachments: try document.attachments.map(AttachmentDescription.init),
            removals: removals)
    }

    /// The document to store for an item, without its attachments.
    ///
    /// - Parameters:
    ///   - item: The item; with an empty version its version becomes that of the document.
    ///   - revision: The document's revision until now.
    /// - Returns: The document.
    /// - Throws: `PackedError` when it has something that cannot be stored, or too much.
    static func document(_ item: TableItem, revision: String?) throws(PackedError) -> Document {
        var members = [
            (Self.item, try item.members.packed()),
            (createdAt, try PackedValue(.integer(item.createdAt.microseconds))),
            (updatedAt, try PackedValue(.integer(item.updatedAt.microseconds))),
            (deleted, try PackedValue(.bool(item.isDeleted))),
        ]
        if let removals = item.removals.json {
            members.append((left, try PackedValue(removals)))
        }
        if !item.version.isEmpty {
            members.append((version, try PackedValue(.string(item.version))))
        }
        let packed = PackedValue.object(members)
        guard packed.bytes.count <= JSONLimits.default.sizeMax else { throw PackedError(.tooLarge) }
        var document = Document(id: item.id, packed: packed)
        document.metaData.revision = revision
        return document
    }
}
