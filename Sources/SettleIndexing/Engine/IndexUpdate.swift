import SettlePrimitives
import SettleStorage
import Synchronization

/// What it takes to bring one index up to date.
///
/// Documents are mapped in snapshots, on the task that runs this and, for a build, on as many more
/// as there are cores; the writer only takes in what comes of it.
struct IndexUpdate: Sendable {
    let store: Store
    let index: RegisteredIndex
    let crashGuard: IndexCrashGuard
    let pace: IndexPace

    var definition: IndexDefinition { index.definition }

    /// Brings the index up to a sequence.
    ///
    /// - Parameters:
    ///   - sequence: The last change that must be in the rows.
    ///   - report: Called with how far a build has come.
    /// - Throws: ``IndexError``, ``StorageError``, `CancellationError`.
    func bringUpToDate(
        to sequence: UInt64, report: @escaping IndexEngine.Report
    ) async throws {
        try Task.checkCancellation()
        let steps = IndexBuildSteps(
            definition, worker: try crashGuard.worker, mergeCountMax: pace.mergeCountMax)
        try await mapping { _ in try tryOutSuspects() }
        try await removeUnused()
        var passes = CatchUpPasses()
        while true {
            try Task.checkCancellation()
            do {
                let step = try await mapping { [passes] isCancelled in
                    try nextStep(
                        to: sequence, pace.limit(of: passes, isCancelled: isCancelled))
                }
                switch step {
                case .none:
                    crashGuard.clear(definition)
                    return
                case .apply(let changes):
                    index.applied(try await write { try steps.apply(changes, in: $0) })
                    passes.end(with: changes)
                case .build:
                    try await IndexBuildJob(update: self, steps: steps, report: report).run()
                }
            } catch IndexError.superseded {
                // Another process was faster; what it did counts.
                try checkIsCurrent()
            }
        }
    }

    /// Runs what calls the map, which may be code of the application.
    ///
    /// That may block, so it is not run on the threads that all tasks share.
    ///
    /// - Parameter body: Gets what tells it that its result is not wanted any more.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    func mapping<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        guard definition.mayTrap else { return try body { Task.isCancelled } }
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await onOwnThread { try body { flag.isRaised } }
        } onCancel: {
            flag.raise()
        }
    }

    /// Whether the rows hold every change up to a sequence.
    func isDone(to sequence: UInt64) throws -> Bool {
        try store.read("index \(definition.name)") { snapshot in
            let view = try IndexReader(of: definition.name, fitting: definition, in: snapshot)
            return view?.isCurrent(at: min(sequence, snapshot.lastSequence)) ?? false
        }
    }

    private enum Step: Sendable {
        case none
        case apply(MappedChanges)
        case build
    }

    private func nextStep(to sequence: UInt64, _ limit: MapLimit) throws -> Step {
        try store.read("index \(definition.name)") { snapshot in
            let states = try IndexState.states(of: definition.name, in: snapshot)
            guard
                let (slot, state) = states.first(where: {
                    $0.value.build == nil && $0.value.fits(definition)
                })
            else { return .build }
            if state.isWhole, state.sequence >= min(sequence, snapshot.lastSequence) {
                return .none
            }
            if state.missesPurges(in: snapshot) { return .build }
            let behind = Int(clamping: snapshot.lastSequence - state.sequence)
            if behind >= max(pace.rebuildCountMin, snapshot.liveCount / 2) { return .build }
            return .apply(
                try crashGuard.changes(of: definition, slot: slot, state, limit, in: snapshot))
        }
    }

    /// Removes rows of definitions that nobody uses any more.
    private func removeUnused() async throws {
        let isDue = try store.read("index \(definition.name)") { snapshot in
            let states = try IndexState.states(of: definition.name, in: snapshot).values
            // Others answer until rows of this definition are there; nobody waits for the writer
            // to find that out.
            return states.contains { $0.build == nil && $0.fits(definition) }
                && states.contains { !$0.fits(definition) }
        }
        guard isDue else { return }
        let worker = try crashGuard.worker
        try await write { transaction in
            try IndexBuildSteps.removeUnused(by: definition, worker: worker, in: transaction) {
                crashGuard.isAlive($0)
            }
        }
    }

    /// Maps documents alone that a process had in hand when it died.
    ///
    /// One that ends this process too is not mapped again by the next.
    private func tryOutSuspects() throws {
        guard definition.mayTrap else { return }
        let (proven, suspects) = crashGuard.crashes(of: definition)
        guard !suspects.isEmpty, let guardSlot = try crashGuard.slot() else { return }
        for id in suspects {
            try store.read("index \(definition.name)") {
                try definition.tryOut(id, unless: proven, in: $0, guardSlot: guardSlot)
            }
            crashGuard.acquit(id, of: definition)
        }
    }

    /// Runs a step on the writer, unless the definition was replaced.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await store.write { transaction in
            try checkIsCurrent()
            return try body(transaction)
        }
    }

    /// - Throws: ``IndexError/replaced(name:)`` when the definition is not the database's any more.
    func checkIsCurrent() throws {
        guard index.isCurrent() else { throw IndexError.replaced(name: definition.name) }
    }
}

/// Tells a thread that the task it works for was cancelled.
private final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isRaised: Bool { flag.load(ordering: .relaxed) }

    func raise() { flag.store(true, ordering: .relaxed) }
}
