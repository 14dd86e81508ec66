/// Decides what a replication does next: push before pull, cycle after cycle.
///
/// One-shot: one cycle; a failure that may pass is tried again a bounded number of times in a row.
/// Repeating: cycle after cycle, with a poll wait in between that a change made here cuts short;
/// failures are tried again for ever, after longer and longer waits.
struct ReplicationStateMachine: Sendable {
    /// What the machine is allowed to do.
    struct Policy: Sendable, Equatable {
        var isRepeating: Bool
        var direction: ReplicationDirection
        var retryLimit: Int
        var pollInterval: Duration
        var backoffFirst: Duration = SyncTuning.backoffFirst
        var backoffMax: Duration = SyncTuning.backoffMax
    }

    /// A failure, as far as it matters here.
    struct Failure: Sendable, Equatable {
        /// Whether trying again may help.
        var isRetryable: Bool
        /// What the remote asked for.
        var retryAfter: Duration?
    }

    /// What the shell has to do; it reports the outcome with the method named.
    enum Action: Sendable, Equatable {
        /// Send what waits: `pushed` or `failed`.
        case push
        /// Fetch what is new: `pulled` or `failed`.
        case pull
        /// Finish a cycle that fetches nothing: `pulled` or `failed`.
        case endPush
        /// Report a completed cycle and wait for the next poll, at most this long: `pollWaitEnded`.
        case pollWait(Duration)
        /// Wait this long, shorter only when the app asks for the next cycle: `waited`. A repeating replication reports the failure.
        case retry(after: Duration, isReported: Bool)
        /// Report completion and end.
        case complete
        /// Report the failure and end.
        case fail
        /// End because that was asked for.
        case stop
    }

    private enum State: Equatable {
        case idle, pushing, pulling, pollWaiting, waiting, ended
    }

    private let policy: Policy
    private var state = State.idle
    private var failureCount = 0
    /// The push got an answer for the others but not for all: the pull goes on, the cycle fails.
    private var pushFailure: Failure?

    init(policy: Policy) {
        self.policy = policy
    }

    /// Whether the replication is over.
    var isEnded: Bool { state == .ended }

    /// Begins the first cycle.
    mutating func start() -> Action {
        precondition(state == .idle, "A replication is started once.")
        return beginCycle()
    }

    /// Something got through: the failures before it do not count any more.
    mutating func progressed() {
        failureCount = 0
    }

    /// The queue is empty, but for what `failure` left in it.
    mutating func pushed(_ failure: Failure? = nil) -> Action {
        if state == .ended { return .stop }
        precondition(state == .pushing, "A push ended that was not asked for.")
        pushFailure = failure
        state = .pulling
        return policy.direction == .clientToServer ? .endPush : .pull
    }

    /// Everything that was new is stored, or nothing is to be fetched.
    mutating func pulled(random: Double) -> Action {
        if state == .ended { return .stop }
        precondition(state == .pulling, "A pull ended that was not asked for.")
        if let pushFailure { return failed(pushFailure, random: random) }
        failureCount = 0
        guard policy.isRepeating else {
            state = .ended
            return .complete
        }
        state = .pollWaiting
        return .pollWait(policy.pollInterval)
    }

    /// The push or the pull failed.
    ///
    /// - Parameters:
    ///   - failure: How.
    ///   - random: A random number from 0 to 1, which spreads many clients over time.
    /// - Returns: A wait, or the end.
    mutating func failed(_ failure: Failure, random: Double) -> Action {
        if state == .ended { return .stop }
        precondition(state == .pushing || state == .pulling, "Nothing was running that can fail.")
        failureCount += 1
        let mayRetry =
            policy.isRepeating || failure.isRetryable && failureCount <= policy.retryLimit
        guard mayRetry else {
            state = .ended
            return .fail
        }
        state = .waiting
        return .retry(
            after: max(failure.retryAfter ?? .zero, backoff(random: random)),
            isReported: policy.isRepeating)
    }

    /// The poll wait is over, or a change was made here.
    mutating func pollWaitEnded() -> Action {
        if state == .ended { return .stop }
        precondition(state == .pollWaiting, "A poll wait ended that was not asked for.")
        return beginCycle()
    }

    /// The wait is over.
    mutating func waited() -> Action {
        if state == .ended { return .stop }
        precondition(state == .waiting, "A wait ended that was not asked for.")
        return beginCycle()
    }

    /// The user, or a conflict handler, wants it to end.
    mutating func stopped() -> Action {
        state = .ended
        return .stop
    }

    /// Something that no other try can mend.
    mutating func brokenOff() -> Action {
        state = .ended
        return .fail
    }

    private mutating func beginCycle() -> Action {
        pushFailure = nil
        let isPushing = policy.direction != .serverToClient
        state = isPushing ? .pushing : .pulling
        return isPushing ? .push : .pull
    }

    /// Doubled with every failure, up to the longest; between half and all of it.
    private func backoff(random: Double) -> Duration {
        var wait = policy.backoffFirst
        for _ in 1..<max(failureCount, 2) where failureCount > 1 && wait < policy.backoffMax {
            wait *= 2
        }
        return min(wait, policy.backoffMax) * (0.5 + random / 2)
    }
}
