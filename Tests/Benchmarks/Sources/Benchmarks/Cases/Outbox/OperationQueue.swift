import Settle
import SettleOutbox

/// A queue of operations with priorities at random, the same in each run.
struct OperationQueue {
    /// How many operations there are.
    let count: Int
    /// How many are added in one commit; their number when all are in one graph.
    let graphSize: Int
    let algorithm: PipelineAlgorithm

    /// Puts the operations into an empty outbox.
    func fill(_ database: Database) async throws {
        let outbox = try await Self.idleOutbox(of: database, algorithm)
        for start in stride(from: 0, to: count, by: graphSize) {
            let range = start..<min(start + graphSize, count)
            try await outbox.write { queue in
                // Begun anew with each run of the closure.
                var numbers = RandomNumbers(seed: UInt64(range.lowerBound))
                for number in range {
                    let identifier = DocumentGenerator.identifier(number)
                    try queue.add(
                        PutOrder(identifier), about: [identifier],
                        priority: Int32(numbers.number(below: 1_000)))
                }
            }
        }
        await outbox.close()
    }

    /// An outbox that only queues.
    static func idleOutbox(
        of database: Database, _ algorithm: PipelineAlgorithm = .commitGraph
    ) async throws -> Outbox {
        try await database.openOutbox(
            OutboxConfiguration(
                operations: [PutOrder.self],
                pipelines: [PipelineConfiguration(algorithm: algorithm, delegate: nil)],
                isRunning: false))
    }

    /// How many operations are queued.
    static func count(in database: Database) throws -> Int {
        try database.read { snapshot in
            var count = 0
            try OutboxSnapshot(in: snapshot).forEachOperation { _ in
                count += 1
                return true
            }
            return count
        }
    }
}
