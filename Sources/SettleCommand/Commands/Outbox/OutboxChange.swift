import Settle
import SettleOutbox

/// Changes the outbox of a database beside the application that runs it.
enum OutboxChange {
    /// Chooses operations and changes them, in one transaction: all of them or none.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - choose: Chooses; where it chooses none, nothing is written.
    ///   - change: Changes one of them.
    /// - Returns: The operations as they were before.
    /// - Throws: What `choose` and `change` throw; ``CommandFailure`` when there is no database;
    ///   `DatabaseError` when it cannot be written.
    static func run(
        in path: DatabasePath,
        choose: @escaping @Sendable (OperationSelection) throws -> [QueuedOperation],
        change: @escaping @Sendable (OutboxTransaction, QueuedOperation) throws -> Void
    ) async throws -> [QueuedOperation] {
        try await path.withDatabase { database in
            let outbox = try await database.openOutbox(
                OutboxConfiguration(operations: [], pipelines: [], isRunning: false))
            do {
                let changed = try await database.write { transaction in
                    let chosen = try choose(OperationSelection(in: transaction, of: database))
                    // A database without an outbox is to stay one.
                    guard !chosen.isEmpty else { return chosen }
                    let queue = try outbox.with(transaction)
                    for operation in chosen { try change(queue, operation) }
                    return chosen
                }
                await outbox.close()
                return changed
            } catch {
                await outbox.close()
                throw error
            }
        }
    }
}
