import SettleStorage

/// Where an index is built, and from where on.
struct BuildPlan: Sendable, Equatable {
    /// The slot it is built in.
    let slot: Int
    /// What the slot holds while the build goes on.
    var state: IndexState
    /// What the slot held when the plan was made or last carried on; the next step checks it.
    var expected: IndexState?
    /// True until the slot was emptied for this build.
    var isFresh: Bool

    /// What a build may do.
    enum Verdict: Sendable {
        /// Build.
        case build(BuildPlan)
        /// Somebody else, who is alive, builds it or needs both slots.
        case wait
    }

    /// Finds out where an index can be built, or where a build that was broken off goes on.
    ///
    /// - Parameters:
    ///   - definition: The index.
    ///   - worker: The name of the crash guard of who builds.
    ///   - snapshot: A state of the store.
    ///   - isAlive: Whether the owner of the crash guard of this name is alive.
    /// - Returns: The plan, or that somebody else has to be waited for.
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    static func plan(
        for definition: IndexDefinition, worker: String, in snapshot: StoreSnapshot,
        isAlive: (String) -> Bool
    ) throws -> Verdict {
        let states = try IndexState.states(of: definition.name, in: snapshot)
        func isForeign(_ state: IndexState) -> Bool {
            state.worker != worker && isAlive(state.worker)
        }
        for (slot, state) in states where state.build != nil && state.fits(definition) {
            if isForeign(state) { return .wait }
            if state.missesPurges(in: snapshot) { continue }
            var resumed = state
            resumed.worker = worker
            return .build(
                BuildPlan(slot: slot, state: resumed, expected: state, isFresh: false))
        }
        guard let slot = Self.slot(among: states, definition, isForeign) else { return .wait }
        return .build(
            BuildPlan(
                slot: slot, state: IndexState(of: definition, in: snapshot, worker: worker),
                expected: states[slot], isFresh: true))
    }

    /// The slot that can best be done without.
    private static func slot(
        among states: [Int: IndexState], _ definition: IndexDefinition,
        _ isForeign: (IndexState) -> Bool
    ) -> Int? {
        func loss(_ slot: Int) -> Int {
            guard let state = states[slot] else { return 0 }
            if state.build != nil { return isForeign(state) ? 4 : 1 }
            // Of two that fit, which damage alone can bring about, the older one goes.
            let isOldest = states.values.allSatisfy { $0.sequence >= state.sequence }
            if state.fits(definition), states.count < 2 || !isOldest { return 5 }
            if state.fits(definition) {
                let fitting = states.values.filter { $0.build == nil && $0.fits(definition) }
                return fitting.count > 1 ? 2 : 5
            }
            return isForeign(state) ? 3 : 2
        }
        let best = IndexState.slots.min { loss($0) < loss($1) } ?? 0
        return loss(best) >= 4 ? nil : best
    }
}
