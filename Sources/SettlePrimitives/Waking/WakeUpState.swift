/// Whether something runs, and whether it is to run again: never twice at once, and once more when a
/// reason to run came meanwhile.
///
/// Pure: the shell reports what happens and runs what ``begin()`` allows. ``WakeUpLoop`` is a shell for
/// tasks, ``GroupCommitQueue`` a queue whose runs take what waits in it.
@usableFromInline package struct WakeUpState: Sendable, Equatable {
    /// Whether a run is under way.
    @usableFromInline package private(set) var isRunning = false
    /// Whether the last run was the last that may begin.
    package private(set) var isEnded = false
    /// Whether a reason has come since the last run began.
    private var isDue = false

    /// Begins at rest.
    @usableFromInline package init() {}

    /// Whether everything that came was seen by a run that is over.
    package var isUpToDate: Bool { !isDue && !isRunning }

    /// There is a reason to run; reasons that come before the next run begins are taken together.
    @usableFromInline package mutating func request() {
        isDue = true
    }

    /// Begins a run if there is a reason and no run is under way; asked after each event.
    ///
    /// - Returns: Whether the caller has to run, and to call ``finish()`` after it.
    @usableFromInline package mutating func begin() -> Bool {
        guard isDue, !isRunning, !isEnded else { return false }
        isRunning = true
        isDue = false
        return true
    }

    /// The run is over; traps when none is under way.
    @usableFromInline package mutating func finish() {
        precondition(isRunning, "A run has ended that was not begun.")
        isRunning = false
    }

    /// Lets the run that is under way be the last.
    package mutating func end() {
        isEnded = true
    }
}
