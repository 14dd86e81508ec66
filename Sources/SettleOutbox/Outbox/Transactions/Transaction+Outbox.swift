public import Settle

extension Transaction {
    /// The open outbox of the database, in this transaction.
    ///
    /// - Throws: ``OutboxError`` with `closed` when none is open; ``/Settle/DatabaseError`` when the database cannot
    ///   be written.
    public var outbox: OutboxTransaction {
        get throws {
            guard let outbox = database.outbox else {
                throw OutboxError(
                    .closed,
                    "The database '\(database.name)' has no open outbox. Open it by openOutbox(_:)."
                )
            }
            return try outbox.with(self)
        }
    }
}
