import Foundation
import Settle

/// One table: a Settle database whose documents are envelopes of items.
struct Table: Sendable {
    let database: Database

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
        try await database.write { transaction in
            let current = try Self.item(id, in: transaction)
            switch operation.decision(on: current, expecting: expectation, by: identity) {
            case .refuse(let refusal): throw refusal
            case .keep(let item): return item
            case .store(let members, let isDeleted):
                let time = try TableClock.next(now: now, in: transaction)
                let previous = try transaction.document(id)
                let document = Envelope.document(
                    id: id, members: members,
                    createdAt: current?.createdAt.microseconds ?? time, updatedAt: time,
                    isDeleted: isDeleted, revision: previous?.metaData.revision)
                let item = try Envelope.item(of: try transaction.save(document))
                try TableTimeline.move(item, from: current?.updatedAt, in: transaction)
                return item
            }
        }
    }

    static func item(_ id: String, in snapshot: Snapshot) throws -> TableItem? {
        try snapshot.document(id).map(Envelope.item(of:))
    }
}
