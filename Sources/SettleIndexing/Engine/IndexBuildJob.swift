import SettleStorage

/// One build of an index from all documents.
///
/// Ranges of documents are mapped and sorted side by side; their rows are stored in between, and
/// in the end merged into the tree in order. Then what was changed meanwhile is caught up with, and
/// the rows take the place of older ones. A build that is broken off goes on where it was.
struct IndexBuildJob {
    let update: IndexUpdate
    let steps: IndexBuildSteps
    let report: IndexEngine.Report

    /// - Throws: ``IndexError/superseded(name:)`` when another process has done something meanwhile;
    ///   otherwise as ``IndexUpdate/bringUpToDate(to:report:)``.
    func run() async throws {
        guard var plan = try await plan() else { return }
        if plan.state.build?.isMapped != true { plan = try await map(plan) }
        while plan.state.build?.isMerged == false {
            try Task.checkCancellation()
            let before = plan
            plan = try await update.write { [steps, update] transaction in
                var plan = before
                if try steps.merge(&plan, in: transaction) {
                    try Self.completeIfCurrent(&plan, steps, update, in: transaction)
                }
                return plan
            }
        }
        try await catchUp(plan)
    }

    // MARK: Planning

    /// Finds out where to build and takes that place, so that a process that builds another version
    /// takes the other one; nil when another process has built the index meanwhile.
    private func plan() async throws -> BuildPlan? {
        let clock = ContinuousClock()
        var lastSeen: [Int: IndexState]?
        var lastProgress = clock.now
        while true {
            let isPatient = clock.now - lastProgress < update.pace.patience
            let crashGuard = update.crashGuard
            let worker = try crashGuard.worker
            let (verdict, states) = try update.store.read("index \(update.definition.name)") {
                snapshot in
                (
                    try BuildPlan.plan(
                        for: update.definition, worker: worker, in: snapshot,
                        isAlive: { isPatient && crashGuard.isAlive($0) }),
                    try IndexState.states(of: update.definition.name, in: snapshot)
                )
            }
            if case .build = verdict {
                let claimed = try await update.write { [steps] transaction in
                    try steps.claim(in: transaction) { isPatient && crashGuard.isAlive($0) }
                }
                if case .build(let plan) = claimed { return plan }
            }
            if states != lastSeen {
                let isBuilt = states.values.contains {
                    $0.build == nil && $0.fits(update.definition)
                }
                if lastSeen != nil, isBuilt { return nil }
                lastSeen = states
                lastProgress = clock.now
            }
            try await Task.sleep(for: .milliseconds(100), clock: clock)
            try update.checkIsCurrent()
        }
    }

    // MARK: Mapping

    private func map(_ begun: BuildPlan) async throws -> BuildPlan {
        var plan = begun
        let (crashed, total) = try update.store.read("index \(update.definition.name)") {
            snapshot in
            (
                try update.crashGuard.poison(of: update.definition, in: snapshot),
                snapshot.liveCount + snapshot.deletedCount
            )
        }
        var progress = plan.state.build?.mappedCount ?? 0
        try await withThrowingTaskGroup(of: MappedPieces.self) { group in
            var dispenser = RangeDispenser(
                update.store, after: plan.state.build?.after, update.pace)
            var line = PieceLine()
            var running = 0
            /// Sets workers to update, but none far ahead of the slowest: what they map is kept.
            func begin() throws {
                let window = 8 * update.pace.workerCount
                while running < update.pace.workerCount,
                    dispenser.number < line.nextNumber + window,
                    let (number, range) = try dispenser.next()
                {
                    running += 1
                    let update = update
                    group.addTask {
                        try await update.mapping { isCancelled in
                            try Self.map(range, number: number, update, crashed, isCancelled)
                        }
                    }
                }
            }
            try begin()
            while let pieces = try await group.next() {
                running -= 1
                dispenser.learn(from: pieces)
                line.add(pieces)
                try begin()
                progress += pieces.documentCount
                report(IndexProgress(completed: min(progress, total), total: total))
                if let due = line.take(update.pace) {
                    plan = try await store(due, plan)
                    try begin()
                }
            }
        }
        return plan
    }

    /// Maps a range, in as many snapshots as it takes to hold none for long.
    private static func map(
        _ range: DocumentRange, number: Int, _ update: IndexUpdate, _ crashed: PoisonDocuments,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> MappedPieces {
        let begun = ContinuousClock.now
        let mapper = RangeMapper(
            update.definition, crashed: crashed,
            guardSlot: try update.definition.mayTrap ? update.crashGuard.slot() : nil)
        var pieces: [MappedPiece] = []
        var rest: DocumentRange? = range
        while let next = rest {
            if isCancelled() { throw CancellationError() }
            let mapped = try update.store.read("index \(update.definition.name)") {
                try mapper.map(
                    next,
                    limit: MapLimit(
                        countMax: .max, duration: update.pace.snapshotDuration,
                        isCancelled: isCancelled),
                    in: $0)
            }
            pieces.append(mapped.piece)
            rest = mapped.rest
        }
        return MappedPieces(
            number: number, pieces: pieces, duration: ContinuousClock.now - begun)
    }

    private func store(_ pieces: [MappedPiece], _ before: BuildPlan) async throws -> BuildPlan {
        let isAlone = before.state.build?.runCount == 0
        let range = try MappedRange(
            joining: pieces, directCountMax: isAlone ? update.pace.mergeCountMax : 0)
        return try await update.write { [steps, update] transaction in
            var plan = before
            try steps.store(range, &plan, in: transaction)
            // A small index is there with one commit.
            if range.isLast, try steps.merge(&plan, in: transaction) {
                try Self.completeIfCurrent(&plan, steps, update, in: transaction)
            }
            return plan
        }
    }

    // MARK: Ending

    private static func completeIfCurrent(
        _ plan: inout BuildPlan, _ steps: IndexBuildSteps, _ update: IndexUpdate,
        in transaction: StoreTransaction
    ) throws {
        guard plan.state.sequence == transaction.lastSequence else { return }
        try steps.complete(&plan, in: transaction) { update.crashGuard.isAlive($0) }
    }

    private func catchUp(_ merged: BuildPlan) async throws {
        var plan = merged
        var passes = CatchUpPasses()
        while plan.state.build != nil {
            try Task.checkCancellation()
            let before = plan
            let changes = try await update.mapping { [update, passes] isCancelled in
                let limit = update.pace.limit(of: passes, isCancelled: isCancelled)
                return try update.store.read("index \(update.definition.name)") { snapshot in
                    if before.state.missesPurges(in: snapshot) {
                        throw IndexError.superseded(name: update.definition.name)
                    }
                    return try update.crashGuard.changes(
                        of: update.definition, slot: before.slot, before.state, limit,
                        in: snapshot)
                }
            }
            plan = try await update.write { [steps, update] transaction in
                var plan = before
                try steps.apply(changes, &plan, in: transaction)
                if changes.isComplete {
                    try steps.complete(&plan, in: transaction) { update.crashGuard.isAlive($0) }
                }
                return plan
            }
            passes.end(with: changes)
        }
    }
}
