import NIOPosix
import Synchronization

/// Threads for reads that may take long.
///
/// A list may look at a whole table. On the threads that all tasks share, as many lists as there are
/// cores would keep everything else waiting, signs of life and the end of the server too.
final class ReadingThreads: Sendable {
    private let pool: NIOThreadPool

    /// Starts the threads.
    ///
    /// - Parameter count: How many reads go on at once; more wait for their turn.
    init(count: Int) {
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    /// Runs a closure on one of the threads.
    ///
    /// - Parameter body: What to do; it is given what tells whether the caller's task was cancelled,
    ///   which cannot be asked for on another thread.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; `CancellationError` when the task is cancelled before its turn;
    ///   ``Refusal/stopping`` after the end.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (ReadCancellation) throws -> Value
    ) async throws -> Value {
        let cancellation = ReadCancellation()
        return try await withTaskCancellationHandler {
            do {
                return try await pool.runIfActive { try body(cancellation) }
            } catch let error as CancellationError {
                // That is also what the pool says after its end.
                throw cancellation.hasBegun ? error : Refusal.stopping
            }
        } onCancel: {
            cancellation.begin()
        }
    }

    /// Ends the threads when what they do is done.
    func end() async {
        // Fails only when the threads were never started.
        try? await pool.shutdownGracefully()
    }
}

/// Whether the task that waits for a read was cancelled.
final class ReadCancellation: Sendable {
    private let state = Atomic(false)

    var hasBegun: Bool { state.load(ordering: .relaxed) }

    /// Says that it was cancelled.
    func begin() {
        state.store(true, ordering: .relaxed)
    }

    /// Throws `CancellationError` when it was cancelled.
    func check() throws {
        if hasBegun { throw CancellationError() }
    }
}
