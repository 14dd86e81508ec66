import Settle

extension Outbox {
    /// Stores what became of an operation, together with what the app writes for it.
    ///
    /// - Parameters:
    ///   - outcome: What became of it.
    ///   - operation: The operation, as it was started.
    ///   - failure: Why it failed; nil when it did not.
    /// - Returns: False when nothing was done, because the operation is not active any more, or was
    ///   started again: somebody else has ended it.
    /// - Throws: ``/Settle/DatabaseError`` when the database is damaged or cannot be written; what the app's own write throws.
    @discardableResult
    func store(
        _ outcome: OperationOutcome, of operation: QueuedOperation, failure: OperationFault? = nil
    ) async throws -> Bool {
        try await database.write { [self] transaction in
            let queue = try OutboxTransaction(self, transaction)
            guard try queue.isCarriedOut(operation) else { return false }
            switch outcome.kind {
            case .completed:
                // Before it is gone, so that what follows can go into its graph.
                try outcome.write?(transaction)
                if try queue.isThere(operation) { try queue.complete(operation.id) }
                return true
            case .skipped:
                try outcome.write?(transaction)
                if try queue.isThere(operation) { try queue.skip(operation.id) }
                return true
            case .retry(let delay): try queue.giveBack(operation.id, after: delay, failure: failure)
            case .suspended: try queue.giveBack(operation.id)
            case .held(let date, let context):
                try queue.giveBack(operation.id)
                try queue.hold(operation.id, until: date, context: context)
            case .leftActive:
                preconditionFailure("An operation that is left active has no outcome to store.")
            }
            try outcome.write?(transaction)
            return true
        }
    }
}

extension OutboxTransaction {
    /// Whether an operation is still stored: what is written for it may have ended it, and given its
    /// identifier to the next.
    fileprivate func isThere(_ operation: QueuedOperation) throws -> Bool {
        try table.key(of: operation.id)?.number == operation.number
    }
}
