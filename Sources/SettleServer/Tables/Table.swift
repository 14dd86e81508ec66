import Foundation
import Settle

/// One table: a Settle database whose documents are envelopes of items.
struct Table: Sendable {
    let database: Database
    /// Contents that were uploaded for items to come.
    let held = HeldContents()

    /// Reads an item, deleted or not.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    func item(_ id: String) throws -> TableItem? {
        try database.read { try Self.item(id, in: $0) }
    }

    /// Carries out a write, all of it in one transaction.
    ///
    /// - Parameters:
    ///   - operation: What is asked for.
    ///   - id: The item's id, already checked.
    ///   - expectation: What `If-Match` says.
    ///   - identity: Who asks.
    ///   - now: What the computer's clock says.
    /// - Returns: The item as it is stored afterwards.
    /// - Throws: ``Refusal`` when the answer is no, and nothing is stored; ``DatabaseError`` when
    ///   the store cannot take it.
    func perform(
        _ operation: ItemOperation, on id: String, expecting expectation: EntityTag.Expectation,
        by identity: Identity, now: Date
    ) async throws -> TableItem {
        let item = try await database.write { transaction in
            let current = try Self.item(id, in: transaction)
            switch operation.decision(on: current, expecting: expectation, by: identity) {
            case .refuse(let refusal): throw refusal
            case .keep(let item): return item
            case .store(let members, let isDeleted):
                let time = try TableClock.next(now: now, in: transaction)
                let previous = try transaction.document(id)
                var departures = current?.departures ?? Departures()
                departures.note(
                    from: current?.channels ?? [], to: TableItem.channels(of: members), at: time)
                var document = Envelope.document(
                    id: id, members: members,
                    createdAt: current?.createdAt.microseconds ?? time, updatedAt: time,
                    isDeleted: isDeleted, departures: departures,
                    revision: previous?.metaData.revision)
                document.attachments = try attachments(
                    operation.attachments, over: previous, by: identity, now: now,
                    in: transaction)
                let item = try Envelope.item(of: try transaction.save(document))
                try TableTimeline.move(item, from: current, in: transaction)
                try ContentIndex.move(
                    id, from: current?.attachments ?? [], to: item.attachments, in: transaction)
                return item
            }
        }
        if let taken = operation.attachments {
            held.end(Set(taken.map(\.digest)), by: identity, now: now)
        }
        return item
    }

    static func item(_ id: String, in snapshot: Snapshot) throws -> TableItem? {
        try snapshot.document(id).map(Envelope.item(of:))
    }
}
