import Settle
import Synchronization

extension PushQueue {
    /// Whether a state of the item is stored here.
    ///
    /// - Throws: What the database throws when it cannot be read.
    func knowsItem(_ database: Database, _ id: String) throws -> Bool {
        try read(database) { _, tables in
            try tables.entry(id)?.seen != nil || tables.base(id) != nil
        }
    }

    /// Takes an operation out of the queue, or from beside it.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - operation: The operation as it was listed.
    ///   - withdrawal: What becomes of the document.
    ///   - found: What was looked up, where nothing is stored.
    /// - Returns: False when it is not as it was listed.
    /// - Throws: ``ReplicationError`` with `pendingOperations`; the database's errors.
    func withdraw(
        _ database: Database, _ operation: PendingOperation, _ withdrawal: OperationWithdrawal,
        theirs found: BaseItem?
    ) async throws -> Bool {
        try await write(database) { [self] transaction, tables in
            let id = operation.documentId
            guard let old = try tables.entry(id),
                try PendingOperation.fingerprint(of: old, id, in: transaction)
                    == operation.fingerprint
            else { return false }
            // A page that was asked for before must not bring back what is dropped now.
            storedOutcomeCount.add(1, ordering: .relaxed)
            switch withdrawal {
            case .keepOurs:
                try tables.setEntry(nil, id, replacing: old)
            case .takeTheirs:
                guard let theirs = try old.seen ?? tables.base(id) ?? found else { return false }
                try Self.take(
                    theirs, id, replacing: old, in: transaction, tables, origin: identifier)
            case .dropBoth:
                try tables.setEntry(nil, id, replacing: old)
                // The document that has the identifier now belongs to another remote.
                let isTaken = try tables.isTaken(id, in: transaction)
                guard try Self.purge(id, in: transaction, tables) || isTaken else {
                    throw Self.stays(id)
                }
            }
            return true
        }
    }

    /// A document that another remote is still to be told of.
    static func stays(_ id: String) -> ReplicationError {
        ReplicationError(
            .pendingOperations,
            "Document '\(id)' cannot be purged: another remote is still to be told of it. Withdraw that "
                + "operation first.", documentId: id)
    }
}
