import Foundation
import SettlePrimitives

/// Decides when a pipeline starts operations, and how many.
///
/// Pure: the shell (``PipelineRunner``) tells what happens and does what it is asked for. Which operation is
/// next is a matter of the lists in the database (``OperationSchedule``); this is about slots, suspension, and
/// when to look.
struct PipelineStateMachine: Sendable {
    /// What the shell has to do.
    enum Action: Sendable, Hashable {
        /// Start up to that many operations, tell which by ``began(_:)``, and that it has ended by
        /// ``looked(startedCount:isEmpty:countMax:)`` or ``lookFailed()``.
        case look(countMax: Int)
        /// Nothing, until something happens.
        case idle
    }

    /// The most operations that are active at a time; 0 for no limit.
    private(set) var limit: Int
    /// How often the pipeline was suspended more than resumed.
    private(set) var suspendCount = 0
    /// The operations that were started and have no outcome yet, with their starts.
    private(set) var active: [UUID: OperationStart] = [:]

    /// The looks: one is due at first, and whenever something may have changed since the last.
    private var looks = WakeUpState()
    private var isEmpty = true

    /// How many operations are started by one look at most, where there is no limit.
    static let lookCountMax = 256

    init(limit: Int) {
        precondition(limit >= 0, "A pipeline cannot have fewer than no operations at a time.")
        self.limit = limit
        looks.request()
    }

    /// Whether no operation is started.
    var isSuspended: Bool { suspendCount > 0 }

    /// Whether the pipeline works, or would as soon as an operation may start; also while that is not
    /// known yet.
    var isActive: Bool {
        !active.isEmpty || !isSuspended && !looks.isEnded && !(isEmpty && looks.isUpToDate)
    }

    /// What there is to do now; asked after every event.
    mutating func next() -> Action {
        let room = limit == 0 ? Self.lookCountMax : limit - active.count
        guard room > 0, looks.begin() else { return .idle }
        // While suspended it still has to be known whether anything is queued.
        return .look(countMax: isSuspended ? 0 : room)
    }

    /// How many operations a look may still start that was to start so many.
    ///
    /// Asked when they are started: meanwhile the pipeline may have been suspended, and what was
    /// added after that must not start.
    func room(of countMax: Int) -> Int {
        if isSuspended || looks.isEnded { return 0 }
        return limit == 0 ? countMax : min(countMax, max(0, limit - active.count))
    }

    /// Operations were started; reported in the order of the commits, before whatever ends them.
    mutating func began(_ operations: [(id: UUID, start: OperationStart)]) {
        for operation in operations { active[operation.id] = operation.start }
    }

    /// A look has ended.
    ///
    /// - Parameters:
    ///   - startedCount: How many operations were started.
    ///   - isEmpty: Whether the pipeline has no operation at all.
    ///   - countMax: How many were asked for.
    mutating func looked(startedCount: Int, isEmpty: Bool, countMax: Int) {
        looks.finish()
        self.isEmpty = isEmpty
        // As many as were asked for: there may be more.
        if countMax > 0, startedCount >= countMax { looks.request() }
    }

    /// A look has failed; the shell has to see to it that something happens after a while.
    mutating func lookFailed() {
        looks.finish()
    }

    /// Operations were added, freed, changed, or removed, or the date of a hold has come.
    mutating func queueChanged() {
        looks.request()
    }

    /// An operation is not active any more; one that is not active changes nothing.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - start: Which start of it; nil for whichever there is.
    mutating func ended(_ operation: UUID, _ start: OperationStart? = nil) {
        guard let known = active[operation], start ?? known == known else { return }
        active[operation] = nil
        queueChanged()
    }

    /// Something outside the pipeline works at an operation.
    mutating func marked(_ operation: UUID, _ start: OperationStart) {
        active[operation] = start
    }

    /// Suspends the pipeline so many times; what is active goes on.
    ///
    /// - Returns: The count after it.
    mutating func suspend(count: Int) -> Int {
        precondition(count >= 0, "A pipeline is not resumed by suspending it.")
        let (sum, overflows) = suspendCount.addingReportingOverflow(count)
        suspendCount = overflows ? .max : sum
        return suspendCount
    }

    /// Takes one suspension back; ignored when there is none.
    ///
    /// - Returns: The count after it.
    mutating func resume() -> Int {
        suspendCount = max(0, suspendCount - 1)
        if suspendCount == 0 { queueChanged() }
        return suspendCount
    }

    /// Changes the limit; what is active goes on.
    mutating func setLimit(_ limit: Int) {
        precondition(limit >= 0, "A pipeline cannot have fewer than no operations at a time.")
        self.limit = limit
        queueChanged()
    }

    /// Starts nothing any more.
    mutating func stop() {
        looks.end()
    }
}
