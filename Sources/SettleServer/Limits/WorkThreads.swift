import NIOPosix
import SettlePrimitives
import Synchronization

/// Threads for what may take long: lists, which may look at a whole table, and large bodies.
///
/// On the threads that all tasks share, as many of them as there are cores would keep everything else
/// waiting, signs of life and the end of the server too. Here they take turns (``WorkTurns``), so there may be
/// more threads than cores; a sender has at most half of them, and some are for work that has only begun
/// (``WorkPlaces``). They are started with the first work and end with their last reference.
package final class WorkThreads: Sendable {
    private enum Life {
        case waiting
        case running
        case ended
    }

    private let pool: NIOThreadPool
    private let life = Lock(Life.waiting)
    private let places: WorkPlaces
    /// Whose turn it is.
    package let turns: WorkTurns

    /// How much work may be begun at once, each with a thread and what it holds.
    package static let standardCount = 32

    /// How many reads are tried at once.
    package static let standardTrialCount = 16

    /// Prepares the threads.
    ///
    /// - Parameters:
    ///   - count: How much long work may be begun; more waits.
    ///   - trialCount: How much may be tried besides.
    ///   - turns: How much of it goes on at once.
    ///   - waitMax: How long work waits for a thread.
    ///   - clock: What the wait is measured with.
    package init(
        count: Int = WorkThreads.standardCount, trialCount: Int = 0, turns: WorkTurns,
        waitMax: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.turns = turns
        places = WorkPlaces(count: count, trialCount: trialCount, waitMax: waitMax, clock: clock)
        pool = NIOThreadPool(numberOfThreads: count + trialCount)
    }

    deinit {
        guard life.withLock({ $0 == .running }) else { return }
        pool.shutdownGracefully { _ in }
    }

    private func start() {
        life.withLock { life in
            guard life == .waiting else { return }
            life = .running
            pool.start()
        }
    }

    /// Runs a closure on one of the threads.
    ///
    /// - Parameters:
    ///   - sender: Whose work it is.
    ///   - body: What to do; it calls `check()` of what it is given now and then.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; `CancellationError` when the task is cancelled; ``Problem`` 503 when
    ///   there was no thread in time, and ``Problem/stopping`` after the end.
    package func run<Value: Sendable>(
        for sender: SenderKey, _ body: @escaping @Sendable (WorkTurn) throws -> Value
    ) async throws -> Value {
        try await places.perform(for: sender) { try await run(for: sender, on: nil, body) }
    }

    /// Runs a closure on one of the threads, as short work as long as it is short.
    ///
    /// - Parameters:
    ///   - sender: Whose work it is.
    ///   - body: What to do, which may be done twice; it calls `check()` of what it is given now and then.
    /// - Returns: What `body` returned.
    /// - Throws: As ``run(for:_:)``.
    package func runTrying<Value: Sendable>(
        for sender: SenderKey, _ body: @escaping @Sendable (WorkTurn) throws -> Value
    ) async throws -> Value {
        try await places.performTrying(for: sender) { trial in
            try await run(for: sender, on: trial, body)
        }
    }

    private func run<Value: Sendable>(
        for sender: SenderKey, on trial: WorkTrial?,
        _ body: @escaping @Sendable (WorkTurn) throws -> Value
    ) async throws -> Value {
        let cancellation = ReadCancellation()
        start()
        return try await withTaskCancellationHandler {
            do {
                return try await pool.runIfActive { [turns] in
                    try turns.perform(for: sender, until: cancellation, on: trial, body)
                }
            } catch let error as CancellationError {
                // That is also what the pool says after its end.
                throw cancellation.hasBegun ? error : Problem.stopping
            }
        } onCancel: {
            cancellation.begin()
        }
    }

    /// Ends the threads when what they do is done.
    package func end() async {
        let wasRunning = life.withLock { life in
            defer { life = .ended }
            return life == .running
        }
        guard wasRunning else { return }
        // Fails only when the threads were never started.
        try? await pool.shutdownGracefully()
    }
}
