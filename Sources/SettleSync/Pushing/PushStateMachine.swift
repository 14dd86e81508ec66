/// Decides what a push does next with the operations of one claim.
///
/// Operations are named by their place in the claim, and belong to different documents, so that
/// their order does not matter. Answers are settled some at a time, since each transaction waits for
/// the disk; those that are lost with the process are sent again and recognised.
struct PushStateMachine: Sendable {
    /// What the shell has to do.
    enum Action: Sendable, Equatable {
        /// Hand this operation to the back-end and report `answered` when it answered.
        case send(Int)
        /// Store what came of these operations and report `settled`.
        case settle([Int])
        /// Wait for a report.
        case wait
        /// All is done.
        case finish
    }

    private let count: Int
    private let sendingMax: Int
    private let settlingMin: Int
    private var next = 0
    private var sendingCount = 0
    private var answered: [Int] = []
    private var isSettling = false
    private var isAborted = false

    /// A machine for a claim.
    ///
    /// - Parameters:
    ///   - count: How many operations there are.
    ///   - sendingMax: The most requests in flight, 1 or more.
    ///   - settlingMin: The fewest answers worth a transaction while there is more to send.
    init(count: Int, sendingMax: Int, settlingMin: Int = SyncTuning.settlingCountMin) {
        precondition(sendingMax >= 1, "A push needs at least one request in flight.")
        self.count = count
        self.sendingMax = sendingMax
        self.settlingMin = settlingMin
    }

    /// What to do now.
    ///
    /// To be asked again until it says `wait` or `finish`.
    mutating func nextAction() -> Action {
        if !isAborted, next < count, sendingCount < sendingMax {
            defer {
                next += 1
                sendingCount += 1
            }
            return .send(next)
        }
        let isEnding = isAborted || next >= count
        if !isSettling, !answered.isEmpty, isEnding || answered.count >= settlingMin {
            isSettling = true
            defer { answered = [] }
            return .settle(answered)
        }
        if sendingCount > 0 || isSettling { return .wait }
        return .finish
    }

    /// The back-end answered; `isToSettle` is false when the outcome is not known.
    mutating func answered(_ index: Int, isToSettle: Bool) {
        precondition(sendingCount > 0, "An answer came to an operation that was not sent.")
        sendingCount -= 1
        if isToSettle { answered.append(index) }
    }

    /// What came of the operations is stored.
    mutating func settled() {
        precondition(isSettling, "A transaction ended that was not asked for.")
        isSettling = false
    }

    /// Nothing more is to be sent; what is in flight is waited for.
    mutating func abort() {
        isAborted = true
    }

    /// The operations that were never sent.
    var unsent: Range<Int> { next..<count }
}
