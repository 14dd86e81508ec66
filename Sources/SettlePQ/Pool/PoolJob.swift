internal import SettlePrimitives

/// What a pool was asked to do: a body for a connection, and who waits for it.
struct PoolJob: Sendable {
    /// Unique in its pool.
    let number: UInt64
    /// When it was asked for.
    let begin: ContinuousClock.Instant
    /// Until when a connection is tried for.
    let connectDeadline: ContinuousClock.Instant
    /// Runs the body and answers to who waits.
    let run: @Sendable (PQConnection, RunningJob) -> Void
    /// Answers to who waits, instead of running.
    let fail: @Sendable (any Error) -> Void
}

/// A job that a thread of the pool has taken, and the request to cancel it.
final class RunningJob: Sendable {
    private struct State {
        var isCancelled = false
        /// Who waits has been answered, or will be by the body.
        var isAnswered = false
        /// A request to the server is on its way; until it is there, the connection must not be
        /// used for another job, which the request would hit.
        var isRequestUnderWay = false
        var canceller: PQCanceller?
    }

    private let job: PoolJob
    private let state = Monitor(State())

    init(_ job: PoolJob) {
        self.job = job
    }

    /// Whether who waits has been cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Gives the job its connection.
    ///
    /// - Returns: False when it has been cancelled before.
    func begin(_ canceller: PQCanceller) -> Bool {
        state.withLock { state in
            guard !state.isAnswered else { return false }
            state.canceller = canceller
            state.isAnswered = true
            return true
        }
    }

    /// Answers with an error, unless who waits was answered before.
    func fail(_ error: any Error) {
        let isFirst = state.withLock { state in
            defer { state.isAnswered = true }
            return !state.isAnswered
        }
        if isFirst { job.fail(error) }
    }

    /// Cancels the job: the statement that runs is ended by the server; while there is no
    /// connection yet, who waits is let go.
    func cancel() {
        let canceller = state.withLock { state -> PQCanceller? in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            state.isRequestUnderWay = state.canceller != nil
            return state.canceller
        }
        guard let canceller else { return fail(CancellationError()) }
        // The request is a connection of its own, which takes time.
        DedicatedThread.start(name: "settle-pq-stop") { [self] in
            canceller.cancel()
            state.withLock { $0.isRequestUnderWay = false }
        }
    }

    /// What is known of a request to cancel, when the job is over.
    enum Request {
        case none
        /// It was sent, and may have come after the last statement.
        case sent
        /// It is on its way, for longer than anybody waits, and may still hit a statement.
        case underWay
    }

    /// Ends the job, waiting some seconds for a request that is under way.
    func end() -> Request {
        state.when(withinSeconds: Self.requestSeconds) { state -> Request? in
            guard !state.isRequestUnderWay else { return nil }
            defer { state.canceller = nil }
            return state.isCancelled && state.canceller != nil ? .sent : Request.none
        } ?? .underWay
    }

    /// How long a connection waits for a request before it is given up.
    private static let requestSeconds = 5.0
}
