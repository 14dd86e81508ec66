/// Decides what a pull does next with the pages of a query.
///
/// Pages are asked for one after the other, each where the one before ends, and stored in their order. The
/// next one is asked for while the items of those before are made and stored; pages that are made meanwhile share
/// a transaction, since each waits for the disk. What is held is bounded, so that a crash repeats little and memory stays flat.
struct PullStateMachine: Sendable {
    /// What the shell has to do.
    enum Action: Sendable, Equatable {
        /// Ask for the page behind the last one that came, and report `came` or `failed`.
        case ask
        /// Store the first so many of the pages that wait, in one transaction, and report `stored`.
        case store(count: Int)
        /// Wait for a report.
        case wait
        /// All is done.
        case finish
    }

    /// The most pages that came and are not stored: as many share a transaction while those after them
    /// travel.
    private let heldMax: Int
    private var makingCount = 0
    private var waitingCount = 0
    private var storingCount = 0
    private var isAsking = true
    private var isEnd = false
    private var isAborted = false

    /// A machine for a query whose first page has been asked for.
    ///
    /// - Parameter heldMax: The most pages that came and are not stored, 1 or more.
    init(heldMax: Int = SyncTuning.heldPageCountMax) {
        precondition(heldMax >= 1, "A pull holds at least one page.")
        self.heldMax = heldMax
    }

    /// What to do now.
    ///
    /// To be asked again until it says `wait` or `finish`.
    mutating func nextAction() -> Action {
        if !isAsking, !isEnd, !isAborted, makingCount + waitingCount + storingCount < heldMax {
            isAsking = true
            return .ask
        }
        if storingCount == 0, waitingCount > 0, !isAborted {
            (storingCount, waitingCount) = (waitingCount, 0)
            return .store(count: storingCount)
        }
        return isAsking || makingCount > 0 || storingCount > 0 ? .wait : .finish
    }

    /// A page came, and its items are being made.
    ///
    /// - Parameter isLast: True when there is none behind it.
    mutating func came(isLast: Bool) {
        precondition(isAsking, "A page came that was not asked for.")
        isAsking = false
        makingCount += 1
        isEnd = isLast
    }

    /// The items of the first page that came and was not made yet are made.
    mutating func made() {
        precondition(makingCount > 0, "A page was made that did not come.")
        makingCount -= 1
        if !isAborted { waitingCount += 1 }
    }

    /// The page that was asked for did not come: what came before is stored, and nothing more is asked for.
    mutating func failed() {
        precondition(isAsking, "A page failed that was not asked for.")
        isAsking = false
        isEnd = true
    }

    /// The pages are stored.
    mutating func stored() {
        precondition(storingCount > 0, "A transaction ended that was not asked for.")
        storingCount = 0
    }

    /// Nothing more is to be asked for or stored; what is under way is waited for.
    mutating func abort() {
        isAborted = true
        waitingCount = 0
    }
}
