/// Decides about the poll waits of a repeating replication: how long they last, and when it listens for
/// changes of the remote.
///
/// A poll wait lasts one poll interval, or many as long as the remote is listened to: then a change ends
/// it at once. Where listening is not offered, the poll wait ends with the interval. Where it fails, or
/// tells of changes that no cycle sees, it is tried again after pauses that double, so that a cut line does
/// not make a replication deaf for a long interval; a poll wait still ends with the interval in which
/// nobody listens.
struct PollWaitStateMachine: Sendable {
    /// What came of listening.
    enum ListenResult: Sendable, Equatable {
        /// Something changed.
        case change
        /// Nothing did, for as long as the remote cares to wait.
        case nothing
        /// The remote does not offer it.
        case unavailable
        /// It failed, or its answer came too soon to mean anything.
        case failure
    }

    /// What the shell has to do.
    enum Action: Sendable, Equatable {
        /// Listen, and report `heard`; the wait for the interval goes on.
        case listen
        /// Report `pauseEnded` after a while; the wait for the interval goes on.
        case pause(Duration)
        /// Wait another interval and report `passed`; listening goes on.
        case wait
        /// Nothing but what is under way.
        case goOn
        /// End the poll wait, and what is under way.
        case end
    }

    private let mayListen: Bool
    private let intervalCountMax: Int
    private let fruitlessCountMax: Int
    private var isWaiting = false
    private var isListening = false
    private var isPausing = false
    private var intervalCount = 0
    /// Whether a change ended the last poll wait.
    private var wasChange = false
    /// How many poll waits in a row a change ended of which the cycle behind it saw nothing.
    private var fruitlessCount = 0
    /// How many times in a row listening failed.
    private var failureCount = 0
    /// Whether it failed in this poll wait, and nothing was heard since.
    private var hasFailed = false

    /// A machine for all the poll waits of a replication.
    ///
    /// - Parameters:
    ///   - mayListen: False where nothing is fetched.
    ///   - intervalCountMax: The most intervals of a poll wait that is spent listening.
    ///   - fruitlessCountMax: How many changes in a row may be heard of that no cycle sees.
    init(
        mayListen: Bool = true, intervalCountMax: Int = SyncTuning.listeningIntervalCount,
        fruitlessCountMax: Int = SyncTuning.fruitlessCountMax
    ) {
        self.mayListen = mayListen
        self.intervalCountMax = intervalCountMax
        self.fruitlessCountMax = fruitlessCountMax
    }

    /// A poll wait begins, with the wait for the first interval.
    ///
    /// - Parameter hasReceived: Whether the cycle before fetched anything.
    /// - Returns: `listen`, `pause` or `goOn`.
    mutating func began(hasReceived: Bool) -> Action {
        precondition(!isWaiting, "A poll wait began within another.")
        fruitlessCount = wasChange && !hasReceived ? fruitlessCount + 1 : 0
        wasChange = false
        isWaiting = true
        hasFailed = false
        intervalCount = 0
        guard mayListen else { return .goOn }
        guard fruitlessCount < fruitlessCountMax else {
            return pause(after: fruitlessCount - fruitlessCountMax)
        }
        isListening = true
        return .listen
    }

    /// The back-end answered to who listened.
    mutating func heard(_ heard: ListenResult) -> Action {
        guard isWaiting, isListening else { return .goOn }
        hasFailed = heard == .failure
        failureCount = hasFailed ? failureCount + 1 : 0
        switch heard {
        case .change:
            wasChange = true
            return end()
        case .nothing:
            return .listen
        case .unavailable:
            isListening = false
            return .goOn
        case .failure:
            isListening = false
            return pause(after: failureCount - 1)
        }
    }

    /// The pause is over.
    mutating func pauseEnded() -> Action {
        guard isWaiting, isPausing else { return .goOn }
        isPausing = false
        isListening = true
        return .listen
    }

    /// An interval passed.
    mutating func passed() -> Action {
        guard isWaiting else { return .goOn }
        intervalCount += 1
        guard isListening, !hasFailed else { return end() }
        failureCount = 0
        return intervalCount < intervalCountMax ? .wait : end()
    }

    /// A change made here, new channels, or the end of the replication.
    mutating func interrupted() -> Action {
        guard isWaiting else { return .goOn }
        return end()
    }

    private mutating func pause(after count: Int) -> Action {
        isPausing = true
        let doublings = min(count, SyncTuning.listeningPauseDoublingMax)
        return .pause(SyncTuning.listeningPauseFirst * (1 << doublings))
    }

    private mutating func end() -> Action {
        isWaiting = false
        isListening = false
        isPausing = false
        return .end
    }
}
