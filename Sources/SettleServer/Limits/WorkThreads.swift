import NIOPosix
import Synchronization

/// Threads for what may take long: lists, which may look at a whole table, and large bodies.
///
/// On the threads that all tasks share, as many of them as there are cores would keep everything else
/// waiting, signs of life and the end of the server too. Here they take turns (``WorkTurns``), so there may be
/// more threads than cores; a sender has at most half of them.
package final class WorkThreads: Sendable {
    private let pool: NIOThreadPool
    private let places: SharedCapacity
    /// Whose turn it is.
    package let turns: WorkTurns

    /// How much work may be begun at once, each with a thread and what it holds.
    package static let standardCount = 32

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - count: How much work may be begun; more waits.
    ///   - turns: How much of it goes on at once.
    ///   - waitMax: How long work waits for a thread.
    ///   - clock: What the wait is measured with.
    package init(
        count: Int = WorkThreads.standardCount, turns: WorkTurns, waitMax: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.turns = turns
        places = SharedCapacity(
            total: count, shareMax: max(1, count / 2), waitMax: waitMax, clock: clock)
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    /// Runs a closure on one of the threads.
    ///
    /// - Parameters:
    ///   - sender: Whose work it is.
    ///   - body: What to do; it calls `check()` of what it is given now and then.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; `CancellationError` when the task is cancelled; ``Refusal`` 503 when
    ///   there was no thread in time, and ``Refusal/stopping`` after the end.
    package func run<Value: Sendable>(
        for sender: SenderKey, _ body: @escaping @Sendable (WorkTurn) throws -> Value
    ) async throws -> Value {
        let place = try await places.take(1, for: sender)
        defer { withExtendedLifetime(place) {} }
        let cancellation = ReadCancellation()
        return try await withTaskCancellationHandler {
            do {
                return try await pool.runIfActive { [turns] in
                    try turns.perform(for: sender, until: cancellation, body)
                }
            } catch let error as CancellationError {
                // That is also what the pool says after its end.
                throw cancellation.hasBegun ? error : Refusal.stopping
            }
        } onCancel: {
            cancellation.begin()
        }
    }

    /// Ends the threads when what they do is done.
    package func end() async {
        // Fails only when the threads were never started.
        try? await pool.shutdownGracefully()
    }
}
