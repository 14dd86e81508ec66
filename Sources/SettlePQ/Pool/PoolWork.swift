internal import SettlePrimitives
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The queue of a pool and what its threads do; the threads hold it, and not the pool itself.
final class PoolWork: Sendable {
    private struct State {
        var waiting: [PoolJob] = []
        var running: [UInt64: RunningJob] = [:]
        var isClosed = false
        var threadCount: Int
        var closers: [CheckedContinuation<Void, Never>] = []
        /// When it was last found out that there was no connection to be had, and why.
        var lastFailure: (time: ContinuousClock.Instant, error: PQError)?
    }

    let connectWait: Duration
    private let endpoint: PQEndpoint
    private let lastNumber = Atomic<UInt64>(0)
    private let state: Monitor<State>

    private static let closed = PQError(
        code: .closed, message: "The connections to PostgreSQL have been closed.")

    init(endpoint: PQEndpoint, size: Int, connectWait: Duration) {
        self.endpoint = endpoint
        self.connectWait = connectWait
        state = Monitor(State(threadCount: size))
    }

    func nextNumber() -> UInt64 {
        lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Puts a job behind those that wait.
    func add(_ job: PoolJob) {
        let refusal = state.withLock(waking: .one) { state -> (any Error)? in
            if state.isClosed { return Self.closed }
            // Cancelling sets the flag before it runs the handler: a handler that came too early
            // to find the job is seen here.
            if Task.isCancelled { return CancellationError() }
            state.waiting.append(job)
            return nil
        }
        if let refusal { job.fail(refusal) }
    }

    /// Cancels a job, wherever it is.
    func cancel(_ number: UInt64) {
        let (job, running) = state.withLock(waking: .none) { state -> (PoolJob?, RunningJob?) in
            guard let place = state.waiting.firstIndex(where: { $0.number == number }) else {
                return (nil, state.running[number])
            }
            return (state.waiting.remove(at: place), nil)
        }
        job?.fail(CancellationError())
        running?.cancel()
    }

    /// Refuses what waits and comes, and lets the threads end.
    func close() {
        let refused = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in refused { job.fail(Self.closed) }
    }

    /// Waits for the end of all threads.
    func threadsEnded() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock(waking: .none) { state in
                if state.threadCount > 0 { state.closers.append(continuation) }
                return state.threadCount == 0
            }
            if isOver { continuation.resume() }
        }
    }

    /// What one of the threads does until the pool is closed.
    func runThread() {
        var connection: PQConnection?
        while let (job, running) = nextJob() {
            do {
                if connection?.isEndedWhileIdle() == true { connection = nil }
                let live = try connection ?? connect(for: job, running)
                connection = live
                if running.begin(PQCanceller(live)) {
                    live.isCancelled = { running.isCancelled }
                    job.run(live, running)
                    live.isCancelled = nil
                }
            } catch {
                running.fail(error)
            }
            let request = running.end()
            state.withLock(waking: .none) { $0.running[job.number] = nil }
            switch request {
            case .none: break
            // A request that came after the last statement hits this one instead of the next
            // job's first.
            case .sent: try? connection?.execute("SELECT 1")
            case .underWay: connection = nil
            }
            if let live = connection, !live.isReusable { connection = nil }
        }
        connection = nil
        let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.threadCount -= 1
            guard state.threadCount == 0 else { return [] }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    /// Blocks until there is a job; nil when the pool is closed.
    private func nextJob() -> (PoolJob, RunningJob)? {
        state.when(waking: .none) { state -> (PoolJob, RunningJob)?? in
            if state.isClosed { return .some(nil) }
            guard !state.waiting.isEmpty else { return nil }
            let job = state.waiting.removeFirst()
            let running = RunningJob(job)
            state.running[job.number] = running
            return (job, running)
        }
    }

    /// Connects, trying again until the job's time is over.
    ///
    /// A job whose time was over while it waited for others, which got no connection either, is not
    /// tried for.
    private func connect(for job: PoolJob, _ running: RunningJob) throws -> PQConnection {
        var milliseconds: UInt32 = 20
        if .now >= job.connectDeadline,
            let failure = state.withLock(waking: .none, { $0.lastFailure }),
            failure.time >= job.begin
        {
            throw failure.error
        }
        while true {
            do {
                var endpoint = endpoint
                // libpq takes whole seconds, and no fewer than two.
                let rest = ContinuousClock.now.duration(to: job.connectDeadline).components.seconds
                endpoint.connectSeconds = min(endpoint.connectSeconds, max(2, Int(rest) + 1))
                let connection = try PQConnection(endpoint)
                state.withLock(waking: .none) { $0.lastFailure = nil }
                return connection
            } catch {
                if running.isCancelled { throw CancellationError() }
                let isClosed = state.withLock(waking: .none) { state in
                    state.lastFailure = (.now, error)
                    return state.isClosed
                }
                guard !isClosed, .now < job.connectDeadline else { throw error }
                usleep(milliseconds * 1000)
                milliseconds = min(milliseconds * 2, 500)
            }
        }
    }
}
