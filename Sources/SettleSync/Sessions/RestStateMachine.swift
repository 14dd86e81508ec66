/// Decides how a repeating replication spends its rests: how long they last, and when it listens for
/// changes of the remote.
///
/// A rest lasts one poll interval, or many as long as the remote is listened to: then a change ends
/// it at once. Where listening is not offered, or fails, the rest ends with the interval, and it is
/// tried again in the next rest, once.
struct RestStateMachine: Sendable {
    /// What came of listening.
    enum Heard: Sendable, Equatable {
        /// Something changed.
        case change
        /// Nothing did, for as long as the remote cares to wait.
        case nothing
        /// The remote does not offer it, or it failed, or its answer came too soon to mean
        /// anything.
        case failure
    }

    /// What the shell has to do.
    enum Action: Sendable, Equatable {
        /// Listen, and report `heard`; the wait for the interval goes on.
        case listen
        /// Wait another interval and report `passed`; listening goes on.
        case wait
        /// Nothing but what is under way.
        case goOn
        /// End the rest, and what is under way.
        case end
    }

    private let mayListen: Bool
    private let intervalCountMax: Int
    private let fruitlessCountMax: Int
    private var isResting = false
    private var isListening = false
    private var intervalCount = 0
    /// Whether a change ended the last rest.
    private var wasChange = false
    /// How many rests in a row a change ended of which the cycle behind it saw nothing.
    private var fruitlessCount = 0

    /// A machine for all the rests of a replication.
    ///
    /// - Parameters:
    ///   - mayListen: False where nothing is fetched.
    ///   - intervalCountMax: The most intervals of a rest that is spent listening.
    ///   - fruitlessCountMax: How many changes in a row may be heard of that no cycle sees.
    init(
        mayListen: Bool = true, intervalCountMax: Int = SyncTuning.listeningIntervalCount,
        fruitlessCountMax: Int = SyncTuning.fruitlessCountMax
    ) {
        self.mayListen = mayListen
        self.intervalCountMax = intervalCountMax
        self.fruitlessCountMax = fruitlessCountMax
    }

    /// A rest begins, with the wait for the first interval.
    ///
    /// - Parameter hasReceived: Whether the cycle before fetched anything.
    /// - Returns: `listen` or `goOn`.
    mutating func began(hasReceived: Bool) -> Action {
        precondition(!isResting, "A rest began within another.")
        fruitlessCount = wasChange && !hasReceived ? fruitlessCount + 1 : 0
        wasChange = false
        isResting = true
        intervalCount = 0
        // One rest without, and then another chance.
        isListening = mayListen && fruitlessCount < fruitlessCountMax
        return isListening ? .listen : .goOn
    }

    /// The back-end answered to who listened.
    mutating func heard(_ heard: Heard) -> Action {
        guard isResting, isListening else { return .goOn }
        switch heard {
        case .change:
            wasChange = true
            return end()
        case .nothing:
            return .listen
        case .failure:
            isListening = false
            return .goOn
        }
    }

    /// An interval passed.
    mutating func passed() -> Action {
        guard isResting else { return .goOn }
        intervalCount += 1
        return isListening && intervalCount < intervalCountMax ? .wait : end()
    }

    /// A change made here, new channels, or the end of the replication.
    mutating func interrupted() -> Action {
        guard isResting else { return .goOn }
        return end()
    }

    private mutating func end() -> Action {
        isResting = false
        isListening = false
        return .end
    }
}
