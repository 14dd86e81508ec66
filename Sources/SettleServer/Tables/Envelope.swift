import Foundation
import Settle

/// How an item lies in a Settle document.
///
/// Shape: the document's id is the item's; its members are `item` (object), `createdAt` and
/// `updatedAt` (microseconds since 1970, whole numbers) and `deleted` (boolean), and `left`
/// (object: channels that the item has left -> the `updatedAt` of that write) unless there are
/// none. The item's attachments are the document's. A deleted item
/// is a live document with `deleted` true: the index finds it like any other change, and it keeps
/// its members, above all the channels that say who may be told of it.
enum Envelope {
    static let item = "item"
    static let createdAt = SystemColumn.createdAt.rawValue
    static let updatedAt = SystemColumn.updatedAt.rawValue
    static let deleted = SystemColumn.deleted.rawValue
    static let left = "left"

    /// The item of a stored document.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted` when the document is no envelope, as after
    ///   another program wrote into the server's database.
    static func item(of document: Document) throws -> TableItem {
        guard let members = document[json: item]?.objectValue,
            let createdAt = document[json: createdAt]?.integerValue,
            let updatedAt = document[json: updatedAt]?.integerValue,
            let isDeleted = document[json: deleted]?.boolValue,
            let departures = Departures(document[json: left]),
            let revision = document.metaData.revision
        else {
            throw DatabaseError(
                .corrupted,
                "The document '\(document.id)' was not written by the server; keep the "
                    + "databases of a server apart from others.", documentId: document.id)
        }
        return TableItem(
            id: document.id, members: members, createdAt: Instant(microseconds: createdAt),
            updatedAt: Instant(microseconds: updatedAt),
            version: Data(revision.utf8).base64EncodedString(), isDeleted: isDeleted,
            attachments: try document.attachments.map(AttachmentDescription.init),
            departures: departures)
    }

    /// The document to store for an item; its version does not count, the store makes a new one.
    static func document(
        id: String, members: [String: JSONValue], createdAt: Int64, updatedAt: Int64,
        isDeleted: Bool, departures: Departures, revision: String?
    ) -> Document {
        var document = Document(id: id)
        document[json: item] = .object(members)
        document[json: Self.createdAt] = .integer(createdAt)
        document[json: Self.updatedAt] = .integer(updatedAt)
        document[json: deleted] = .bool(isDeleted)
        document[json: left] = departures.json
        document.metaData.revision = revision
        return document
    }
}
