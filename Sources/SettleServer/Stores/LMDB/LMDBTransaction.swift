import Foundation
import Settle
import SettleOData
import SettleTableProtocol

/// A state of a table that lies in a Settle database and can be changed.
final class LMDBTransaction: LMDBSnapshot, TableTransaction {
    private let transaction: Transaction
    /// The last time that was given, and whether it was given here; nil until somebody asks.
    private var clock: (time: Int64, isChanged: Bool)?

    init(_ transaction: Transaction, indexes: PathIndexes, held: HeldContents) {
        self.transaction = transaction
        super.init(transaction, indexes: indexes, held: held)
    }

    override func lastTime() throws -> Int64 {
        if let clock { return clock.time }
        let time = try super.lastTime()
        clock = (time, false)
        return time
    }

    func nextTime(now: Date) throws -> Int64 {
        let time = max(TableClock.microseconds(of: now), try lastTime() + 1)
        clock = (time, true)
        return time
    }

    func save(_ item: TableItem, over previous: TableItem?) throws -> TableItem {
        let revision = try revision(of: previous)
        var saved = item
        let document: Document
        do throws(PackedError) {
            saved.members = ItemMembers(sound: try item.members.packed())
            document = try Envelope.document(saved, revision: revision)
        } catch {
            throw DatabaseError(
                .documentTooLarge, "The item cannot be stored: \(error)", documentId: item.id,
                cause: error)
        }
        let stored = try store(document, with: item.attachments)
        if let stored, item.version.isEmpty { saved.take(.revision(stored)) }
        let time = item.updatedAt.microseconds
        if time > (try lastTime()) { clock = (time, true) }
        try TableTimeline.move(saved, from: previous, in: transaction)
        try ContentIndex.move(
            item.id, from: previous?.attachments ?? [], to: saved.attachments, in: transaction)
        try indexes.move(saved, from: previous, in: transaction)
        return saved
    }

    /// The revision of an item as it was read; of one with a version of its own it is read again.
    private func revision(of item: TableItem?) throws -> Revision? {
        switch item?.storedVersion {
        case nil: nil
        case .revision(let revision)?: revision
        case .text?: try item.flatMap { try transaction.document($0.id)?.storedRevision }
        }
    }

    private func store(
        _ document: Document, with attachments: [AttachmentDescription]
    ) throws -> Revision? {
        var document = document
        document.attachments = try attachments.map {
            try DocumentAttachment(
                name: $0.name, contentType: $0.contentType, length: $0.length,
                digest: $0.digest.text)
        }
        return try transaction.save(document).storedRevision
    }

    /// Writes what is written once for all that was saved.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be written.
    func finish() throws {
        guard let clock, clock.isChanged else { return }
        try TableClock.set(clock.time, in: transaction)
    }
}
