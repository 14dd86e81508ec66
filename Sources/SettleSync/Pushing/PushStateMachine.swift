/// Decides what a push does next with operations that were claimed.
///
/// Operations are named by their place among all that were. They belong to different documents, so that
/// their order matters only to a conflict handler that may stop: then they go one at a time, and an
/// answer that may be a conflict holds the others back until it is known. Responses are stored some at a time, since each transaction waits for
/// the disk; those that are lost with the process are sent again and recognised.
struct PushStateMachine: Sendable {
    /// What the shell has to do.
    enum Action: Sendable, Equatable {
        /// Hand these operations to the back-end together and report `answered` when it answered.
        case send(Range<Int>)
        /// Store what came of these operations and report `stored`.
        case store([Int])
        /// Claim more operations and report `claimed`.
        case claim
        /// Wait for a report.
        case wait
        /// All is done.
        case finish
    }

    private var count: Int
    private let sendingMax: Int
    private let batchMax: Int
    private var lone: Set<Int>
    private let storingMin: Int
    private var next = 0
    /// Operations that failed in company, to be sent once more by themselves.
    private var repeated: [Int] = []
    private var sendingCount = 0
    private var answered: [Int] = []
    private var isStoring = false
    private var isAborted = false
    /// Whether an answer holds the others back, until it is stored.
    private var isHeld = false
    /// Whether such an answer is being stored.
    private var isStoringHeld = false
    /// Whether there may be more to claim.
    private var mayClaim: Bool
    private var isClaiming = false
    /// Whether as much is claimed as may be held in memory; set by the shell.
    var isFull = false

    /// A machine for a claim.
    ///
    /// - Parameters:
    ///   - count: How many operations there are.
    ///   - sendingMax: The most requests in flight, 1 or more.
    ///   - batchMax: The most operations that go together, 1 or more.
    ///   - lone: Operations that go by themselves.
    ///   - storingMin: The fewest answers worth a transaction while there is more to send.
    ///   - claimsMore: Whether more is claimed while these are sent, so that the remote never waits for it.
    init(
        count: Int, sendingMax: Int, batchMax: Int = 1, lone: Set<Int> = [],
        storingMin: Int = SyncTuning.storingCountMin, claimingMore claimsMore: Bool = false
    ) {
        precondition(sendingMax >= 1, "A push needs at least one request in flight.")
        precondition(batchMax >= 1, "At least one operation goes at a time.")
        self.count = count
        self.sendingMax = sendingMax
        self.batchMax = batchMax
        self.lone = lone
        self.storingMin = storingMin
        mayClaim = claimsMore
    }

    /// What to do now.
    ///
    /// To be asked again until it says `wait` or `finish`.
    mutating func nextAction() -> Action {
        let mayLeave = !isAborted && !isHeld && !isStoringHeld
        if mayLeave, sendingCount < sendingMax, let run = nextRun() {
            sendingCount += 1
            return .send(run)
        }
        if mayLeave, mayClaim, !isClaiming, !isFull, count - next < sendingMax * batchMax {
            isClaiming = true
            return .claim
        }
        let isSent = next >= count && repeated.isEmpty
        let isEnding = isAborted || isHeld || isSent && !isClaiming
        if !isStoring, !answered.isEmpty, isEnding || answered.count >= storingMin {
            isStoring = true
            (isStoringHeld, isHeld) = (isHeld, false)
            defer { answered = [] }
            return .store(answered)
        }
        if sendingCount > 0 || isStoring || isClaiming { return .wait }
        return .finish
    }

    /// What is sent next, together.
    private mutating func nextRun() -> Range<Int>? {
        if !repeated.isEmpty {
            let index = repeated.removeFirst()
            return index..<index + 1
        }
        guard next < count else { return nil }
        // A batch that is about to be filled up waits for that, unless the remote would have nothing to do.
        if isClaiming, sendingCount > 0, count - next < batchMax { return nil }
        var end = next + 1
        if !lone.contains(next) {
            while end < count, end - next < batchMax, !lone.contains(end) { end += 1 }
        }
        defer { next = end }
        return next..<end
    }

    /// The back-end answered to what was sent together.
    ///
    /// - Parameters:
    ///   - known: The operations whose outcome is known.
    ///   - repeated: Those that are to be sent once more by themselves; of the others the outcome
    ///     is not known, and they are left alone.
    ///   - isHeld: True when nothing more is to be sent before the known ones are stored.
    mutating func answered(
        known: [Int], repeating repeated: [Int] = [], holding isHeld: Bool = false
    ) {
        precondition(sendingCount > 0, "An answer came to an operation that was not sent.")
        sendingCount -= 1
        answered += known
        self.repeated += repeated
        self.isHeld = self.isHeld || isHeld && !known.isEmpty
    }

    /// What came of the operations is stored.
    ///
    /// What was held back goes on, unless ``abort()`` follows.
    mutating func stored() {
        precondition(isStoring, "A transaction ended that was not asked for.")
        (isStoring, isStoringHeld) = (false, false)
    }

    /// More was claimed.
    ///
    /// - Parameters:
    ///   - more: How many operations, behind those that there are.
    ///   - lone: Those of them that go by themselves.
    ///   - goesOn: Whether there may be still more.
    mutating func claimed(_ more: Int, lone: Set<Int> = [], goingOn goesOn: Bool) {
        precondition(isClaiming, "A claim ended that was not asked for.")
        isClaiming = false
        count += more
        self.lone.formUnion(lone)
        mayClaim = mayClaim && goesOn
    }

    /// Nothing more is to be claimed; what was is sent.
    mutating func stopClaiming() {
        mayClaim = false
    }

    /// Nothing more is to be sent; what is in flight is waited for.
    mutating func abort() {
        isAborted = true
    }

    /// The operations that were never sent.
    var unsent: Range<Int> { next..<count }
}
