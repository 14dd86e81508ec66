/// Jobs that wait while a commit is under way, and share the next one.
///
/// Pure: whoever adds a job begins the run of commits when ``add(_:)`` says so, and the run takes one batch
/// after the other until nothing waits. What a batch does, and what becomes of its jobs when it fails, is the
/// shell's.
@usableFromInline package struct GroupCommitQueue<Job> {
    @usableFromInline var waiting: [Job] = []
    @usableFromInline var state = WakeUpState()

    /// Begins without jobs.
    @inlinable package init() {}

    /// Whether a run takes the jobs; false means that none waits.
    @inlinable package var isRunning: Bool { state.isRunning }

    /// Puts a job behind those that wait.
    ///
    /// - Returns: Whether the caller has to begin a run, which calls ``next(countMax:while:)`` until that is nil.
    @inlinable
    package mutating func add(_ job: Job) -> Bool {
        waiting.append(job)
        state.request()
        return state.begin()
    }

    /// Takes the jobs of the next commit, in their order.
    ///
    /// - Parameters:
    ///   - countMax: The most jobs.
    ///   - fits: Whether a job belongs to the same commit as those it was asked about before; it must say so
    ///     of the first.
    /// - Returns: The jobs; nil when none waits, which ends the run.
    @inlinable
    package mutating func next(
        countMax: Int = .max, while fits: (Job) -> Bool = { _ in true }
    ) -> [Job]? {
        state.finish()
        // What was left out of a full batch is a reason to go on, too.
        if !waiting.isEmpty { state.request() }
        guard state.begin() else { return nil }
        let batch = Array(waiting.prefix(countMax).prefix(while: fits))
        precondition(!batch.isEmpty, "A commit takes at least one of the jobs that wait.")
        waiting.removeFirst(batch.count)
        return batch
    }
}

extension GroupCommitQueue: Sendable where Job: Sendable {}
