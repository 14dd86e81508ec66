import Foundation
import Settle
import SettleOData

/// A state of a table that lies in a Settle database and can be changed.
final class LMDBTransaction: LMDBSnapshot, TableTransaction {
    private let transaction: Transaction

    init(_ transaction: Transaction, indexes: PathIndexes, held: HeldContents) {
        self.transaction = transaction
        super.init(transaction, indexes: indexes, held: held)
    }

    func nextTime(now: Date) throws -> Int64 { try TableClock.next(now: now, in: transaction) }

    func save(_ item: TableItem, over previous: TableItem?) throws -> TableItem {
        let revision = try transaction.document(item.id)?.metaData.revision
        var document: Document
        do throws(PackedError) {
            document = try Envelope.document(item, revision: revision)
        } catch {
            throw DatabaseError(
                .documentTooLarge, "The item cannot be stored: \(error)", documentId: item.id,
                cause: error)
        }
        document.attachments = try item.attachments.map {
            try DocumentAttachment(
                name: $0.name, contentType: $0.contentType, length: $0.length,
                digest: $0.digest.text)
        }
        let saved = try Envelope.item(of: try transaction.save(document))
        try TableClock.pass(item.updatedAt.microseconds, in: transaction)
        try TableTimeline.move(saved, from: previous, in: transaction)
        try ContentIndex.move(
            item.id, from: previous?.attachments ?? [], to: saved.attachments, in: transaction)
        try indexes.move(saved, from: previous, in: transaction)
        return saved
    }
}
