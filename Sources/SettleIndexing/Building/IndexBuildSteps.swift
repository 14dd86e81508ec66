import SettleDocuments
import SettleStorage

/// The steps by which an index is built and kept up to date, each a part of one transaction.
///
/// Documents are mapped in snapshots (``MappedChanges``, ``MappedRange``), so that no map function
/// is run while the writer waits; what comes of it is taken in here. A step whose premises are gone,
/// because another has worked on the index, throws ``IndexError/superseded(name:)`` and changes
/// nothing.
struct IndexBuildSteps: Sendable {
    private let definition: IndexDefinition
    private let worker: String

    /// The most rows that are merged in one transaction.
    private let mergeCountMax: Int

    /// The steps for one index.
    ///
    /// - Parameters:
    ///   - definition: The index.
    ///   - worker: The name of the crash guard of who builds.
    ///   - mergeCountMax: The most rows that one step of ``merge(_:in:)`` takes, 1 or more.
    init(_ definition: IndexDefinition, worker: String, mergeCountMax: Int = 100_000) {
        self.definition = definition
        self.worker = worker
        self.mergeCountMax = mergeCountMax
    }

    // MARK: Keeping up to date

    /// Takes mapped changes into the rows.
    ///
    /// - Returns: What rows it is about.
    /// - Throws: ``IndexError/superseded(name:)``, ``IndexError/corrupted(place:)``, what the engine throws.
    @discardableResult
    func apply(
        _ changes: MappedChanges, in transaction: StoreTransaction
    ) throws -> RowChanges {
        let states = try IndexState.states(of: definition.name, in: transaction)
        guard var state = states[changes.slot], state.fits(definition),
            state.sequence == changes.base
        else { throw superseded }
        let tables = try tables(changes.slot, in: transaction)
        let applied = try changes.apply(
            to: tables, of: definition, hasErrors: state.errorCount > 0)
        state.errorCount += applied.errorGrowth
        state.sequence = changes.reached
        state.isWhole = changes.isComplete
        state.worker = worker
        try state.write(name: definition.name, slot: changes.slot, in: transaction)
        return applied.rows
    }

    // MARK: Building

    /// Plans a build and takes its slot at once, so that no other worker plans to build there too.
    ///
    /// - Returns: As ``BuildPlan/plan(for:worker:in:isAlive:)``; what was in the slot is gone.
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    func claim(
        in transaction: StoreTransaction, isAlive: (String) -> Bool
    ) throws -> BuildPlan.Verdict {
        let verdict = try BuildPlan.plan(
            for: definition, worker: worker, in: transaction, isAlive: isAlive)
        guard case .build(var plan) = verdict else { return .wait }
        _ = try begin(&plan, in: transaction)
        try carryOn(&plan, in: transaction)
        return .build(plan)
    }

    /// Stores what was mapped of some documents; they follow those of the step before.
    ///
    /// - Parameters:
    ///   - range: The mapped documents.
    ///   - plan: Where to; carried on for the next step.
    ///   - transaction: What the step is a part of.
    /// - Throws: ``IndexError/superseded(name:)``, ``IndexError/corrupted(place:)``, what the engine throws.
    func store(
        _ range: MappedRange, _ plan: inout BuildPlan, in transaction: StoreTransaction
    ) throws {
        let tables = try begin(&plan, in: transaction)
        guard var build = plan.state.build else { throw superseded }
        if !range.blocks.isEmpty {
            let runs = SortedRunTable(tables.side)
            for (number, block) in range.blocks.enumerated() {
                try runs.set(block, run: build.runCount, block: number)
            }
            build.runCount += 1
        }
        if !range.rows.isEmpty {
            precondition(build.runCount == 0, "Rows go straight into a tree that has others.")
            try Self.append([range.rows], to: tables.rows)
        }
        try Self.append(range.pointers.map { [$0] }, to: tables.documents)
        let failures = MapFailureTable(tables.side)
        for failure in range.failures { try failures.set(failure) }
        plan.state.errorCount += range.failures.count
        build.mappedCount += range.documentCount
        build.after = range.last ?? build.after
        build.isMapped = range.isLast
        plan.state.build = build
        try carryOn(&plan, in: transaction)
    }

    /// Merges stored runs into the tree, as many rows as one step takes.
    ///
    /// - Returns: True when all are in the tree.
    /// - Throws: as ``store(_:_:in:)``.
    func merge(_ plan: inout BuildPlan, in transaction: StoreTransaction) throws -> Bool {
        let tables = try begin(&plan, in: transaction)
        guard plan.state.build?.isMapped == true else { throw superseded }
        let runs = SortedRunTable(tables.side)
        let sources = try runs.sources()
        var isDone = true
        if !sources.isEmpty {
            let appender = tables.rows.appender()
            var merge = SortedRunMerge(
                blocks: sources.map { source in { try source.nextBlock() } },
                after: try tables.rows.lastKey())
            isDone = try !merge.forEach(countMax: mergeCountMax) { key, head, tail in
                try appender.append(key: key, head: head, tail: tail)
            }
            try appender.flush()
            try runs.removeUsed(of: sources)
        }
        if isDone {
            try tables.rows.finishAppending()
            plan.state.build?.isMerged = true
        }
        try carryOn(&plan, in: transaction)
        return isDone
    }

    /// Makes the rows of a build those that answer.
    ///
    /// The rows they take the place of are removed, unless somebody alive uses them for another
    /// definition.
    ///
    /// - Throws: as ``store(_:_:in:)``.
    func complete(
        _ plan: inout BuildPlan, in transaction: StoreTransaction, isAlive: (String) -> Bool
    ) throws {
        _ = try begin(&plan, in: transaction)
        guard plan.state.build?.isMerged == true, plan.state.isWhole else { throw superseded }
        plan.state.build = nil
        try carryOn(&plan, in: transaction)
        let states = try IndexState.states(of: definition.name, in: transaction)
        for (slot, state) in states where slot != plan.slot {
            let isForeign =
                !state.fits(definition) && state.worker != worker && isAlive(state.worker)
            if !isForeign { try clear(slot, in: transaction) }
        }
    }

    /// Takes mapped changes into the rows of a build that is merged.
    ///
    /// - Throws: as ``store(_:_:in:)``.
    func apply(
        _ changes: MappedChanges, _ plan: inout BuildPlan, in transaction: StoreTransaction
    ) throws {
        let tables = try begin(&plan, in: transaction)
        guard plan.state.build?.isMerged == true, changes.slot == plan.slot,
            changes.base == plan.state.sequence
        else { throw superseded }
        plan.state.errorCount += try changes.apply(
            to: tables, of: definition, hasErrors: plan.state.errorCount > 0
        ).errorGrowth
        plan.state.sequence = changes.reached
        plan.state.isWhole = changes.isComplete
        try carryOn(&plan, in: transaction)
    }

    /// Removes the rows of a slot that no definition in use has, such as those of an old version.
    static func removeUnused(
        by definition: IndexDefinition, worker: String, in transaction: StoreTransaction,
        isAlive: (String) -> Bool
    ) throws {
        let states = try IndexState.states(of: definition.name, in: transaction)
        guard states.values.contains(where: { $0.build == nil && $0.fits(definition) }) else {
            return
        }
        for (slot, state) in states
        where !state.fits(definition) && (state.worker == worker || !isAlive(state.worker)) {
            try IndexBuildSteps(definition, worker: worker).clear(slot, in: transaction)
        }
    }

    /// Removes everything that an index keeps.
    static func remove(name: String, in transaction: StoreTransaction) throws {
        for slot in IndexState.slots {
            try IndexTables.drop(index: name, slot: slot, in: transaction)
            try IndexState.remove(name: name, slot: slot, in: transaction)
        }
    }

    // MARK: Parts

    /// Appends runs to a tree: those of each group merged, one group after the other.
    private static func append(_ groups: [[SortedRun]], to tree: SummaryTree) throws {
        guard !groups.isEmpty else { return }
        let appender = tree.appender()
        for runs in groups {
            var merge = SortedRunMerge(runs, after: nil)
            _ = try merge.forEach(countMax: .max) { key, head, tail in
                try appender.append(key: key, head: head, tail: tail)
            }
        }
        try appender.flush()
    }

    /// Checks that nobody has worked on the index since the plan was made, and finds its tables.
    private func begin(
        _ plan: inout BuildPlan, in transaction: StoreTransaction
    ) throws -> IndexTables {
        let states = try IndexState.states(of: definition.name, in: transaction)
        guard states[plan.slot] == plan.expected else { throw superseded }
        guard plan.isFresh else { return try tables(plan.slot, in: transaction) }
        let tables = try IndexTables(
            creatingIn: transaction, index: definition.name, slot: plan.slot,
            reducer: definition.reducer)
        try tables.removeAll()
        plan.isFresh = false
        return tables
    }

    private func carryOn(_ plan: inout BuildPlan, in transaction: StoreTransaction) throws {
        try plan.state.write(name: definition.name, slot: plan.slot, in: transaction)
        plan.expected = plan.state
    }

    private func clear(_ slot: Int, in transaction: StoreTransaction) throws {
        // Tables that are missing are as good as empty.
        try IndexTables(
            findingIn: transaction, index: definition.name, slot: slot, reducer: nil)?.removeAll()
        try IndexState.remove(name: definition.name, slot: slot, in: transaction)
    }

    private func tables(_ slot: Int, in transaction: StoreTransaction) throws -> IndexTables {
        let tables = try IndexTables(
            findingIn: transaction, index: definition.name, slot: slot,
            reducer: definition.reducer)
        guard let tables else {
            throw IndexError.corrupted(place: "the tables of index '\(definition.name)'")
        }
        return tables
    }

    private var superseded: IndexError { .superseded(name: definition.name) }
}
