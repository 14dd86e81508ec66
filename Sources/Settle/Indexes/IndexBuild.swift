import SettleIndexing
import SettleStorage

/// One build of an index from all documents.
///
/// Ranges of documents are mapped and sorted side by side; their rows are stored in between, and
/// in the end merged into the tree in order. Then what was changed meanwhile is caught up with, and
/// the rows take the place of older ones. A build that is broken off goes on where it was.
struct IndexBuild {
    let work: IndexWork
    let builder: IndexBuilder
    let report: IndexWorks.Report

    /// - Throws: ``IndexError/superseded(name:)`` when another process has done something meanwhile;
    ///   otherwise as ``IndexWork/bringUpToDate(to:report:)``.
    func run() async throws {
        guard var plan = try await plan() else { return }
        if plan.state.build?.isMapped != true { plan = try await map(plan) }
        while plan.state.build?.isMerged == false {
            try Task.checkCancellation()
            let before = plan
            plan = try await work.write { [builder, work] transaction in
                var plan = before
                if try builder.merge(&plan, in: transaction) {
                    try Self.completeIfCurrent(&plan, builder, work, in: transaction)
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
            let isPatient = clock.now - lastProgress < work.pace.patience
            let marks = work.marks
            let worker = try marks.worker
            let (verdict, states) = try work.store.read("index \(work.definition.name)") {
                snapshot in
                (
                    try BuildPlan.plan(
                        for: work.definition, worker: worker, in: snapshot,
                        isAlive: { isPatient && marks.isAlive($0) }),
                    try IndexState.states(of: work.definition.name, in: snapshot)
                )
            }
            if case .build = verdict {
                let claimed = try await work.write { [builder] transaction in
                    try builder.claim(in: transaction) { isPatient && marks.isAlive($0) }
                }
                if case .build(let plan) = claimed { return plan }
            }
            if states != lastSeen {
                let isBuilt = states.values.contains {
                    $0.build == nil && $0.fits(work.definition)
                }
                if lastSeen != nil, isBuilt { return nil }
                lastSeen = states
                lastProgress = clock.now
            }
            try await Task.sleep(for: .milliseconds(100), clock: clock)
            try work.checkIsCurrent()
        }
    }

    // MARK: Mapping

    private func map(_ begun: BuildPlan) async throws -> BuildPlan {
        var plan = begun
        let (crashed, total) = try work.store.read("index \(work.definition.name)") { snapshot in
            (try work.crashed(in: snapshot), snapshot.liveCount + snapshot.deletedCount)
        }
        var progress = plan.state.build?.mappedCount ?? 0
        try await withThrowingTaskGroup(of: MappedPieces.self) { group in
            var dispenser = RangeDispenser(work.store, after: plan.state.build?.after, work.pace)
            var line = PieceLine()
            var running = 0
            /// Sets workers to work, but none far ahead of the slowest: what they map is kept.
            func begin() throws {
                let window = 8 * work.pace.workerCount
                while running < work.pace.workerCount, dispenser.number < line.nextNumber + window,
                    let (number, range) = try dispenser.next()
                {
                    running += 1
                    let work = work
                    group.addTask {
                        try await work.mapping { isCancelled in
                            try Self.map(range, number: number, work, crashed, isCancelled)
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
                report(MaintenanceProgress(completed: min(progress, total), total: total))
                if let due = line.take(work.pace) {
                    plan = try await store(due, plan)
                    try begin()
                }
            }
        }
        return plan
    }

    /// Maps a range, in as many snapshots as it takes to hold none for long.
    private static func map(
        _ range: DocumentRange, number: Int, _ work: IndexWork, _ crashed: CrashedDocuments,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> MappedPieces {
        let begun = ContinuousClock.now
        let mapper = RangeMapper(
            work.definition, crashed: crashed,
            mark: try work.definition.mayTrap ? work.marks.mark() : nil)
        var pieces: [MappedPiece] = []
        var rest: DocumentRange? = range
        while let next = rest {
            if isCancelled() { throw CancellationError() }
            let mapped = try work.store.read("index \(work.definition.name)") {
                try mapper.map(
                    next,
                    limit: MapLimit(
                        countMax: .max, duration: work.pace.snapshotDuration,
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
        let isAlone = before.state.build?.segmentCount == 0
        let range = try MappedRange(
            joining: pieces, directCountMax: isAlone ? work.pace.mergeCountMax : 0)
        return try await work.write { [builder, work] transaction in
            var plan = before
            try builder.store(range, &plan, in: transaction)
            // A small index is there with one commit.
            if range.isLast, try builder.merge(&plan, in: transaction) {
                try Self.completeIfCurrent(&plan, builder, work, in: transaction)
            }
            return plan
        }
    }

    // MARK: Ending

    private static func completeIfCurrent(
        _ plan: inout BuildPlan, _ builder: IndexBuilder, _ work: IndexWork,
        in transaction: StoreTransaction
    ) throws {
        guard plan.state.sequence == transaction.lastSequence else { return }
        try builder.complete(&plan, in: transaction) { work.marks.isAlive($0) }
    }

    private func catchUp(_ merged: BuildPlan) async throws {
        var plan = merged
        var rounds = CatchUpRounds()
        while plan.state.build != nil {
            try Task.checkCancellation()
            let before = plan
            let changes = try await work.mapping { [work, rounds] isCancelled in
                let limit = work.pace.limit(of: rounds, isCancelled: isCancelled)
                return try work.store.read("index \(work.definition.name)") { snapshot in
                    if before.state.missesPurges(in: snapshot) {
                        throw IndexError.superseded(name: work.definition.name)
                    }
                    return try work.changes(of: before.slot, before.state, limit, in: snapshot)
                }
            }
            plan = try await work.write { [builder, work] transaction in
                var plan = before
                try builder.apply(changes, &plan, in: transaction)
                if changes.isComplete {
                    try builder.complete(&plan, in: transaction) { work.marks.isAlive($0) }
                }
                return plan
            }
            rounds.end(with: changes)
        }
    }
}

/// The pieces of one range, its place among the others, and how long it took.
private struct MappedPieces: Sendable {
    let number: Int
    let pieces: [MappedPiece]
    let duration: Duration

    var documentCount: Int { pieces.reduce(0) { $0 + $1.documentCount } }
    var byteCount: Int { pieces.reduce(0) { $0 + $1.byteCount } }
}

/// Gives out ranges of documents that follow each other.
private struct RangeDispenser {
    private let store: Store
    private let countMax: Int
    private var count: Int
    private var after: String?
    private(set) var number = 0
    private var isAtEnd = false

    private static let countMin = 64

    init(_ store: Store, after: String?, _ pace: IndexPace) {
        self.store = store
        self.after = after
        countMax = pace.rangeCount
        count = pace.rangeCount
    }

    mutating func next() throws -> (number: Int, range: DocumentRange)? {
        if isAtEnd { return nil }
        let range = try store.read("index ranges") { [after, count] in
            try DocumentRange(after: after, countMax: count, in: $0)
        }
        after = range.through
        isAtEnd = range.through == nil
        defer { number += 1 }
        return (number, range)
    }

    /// Makes the ranges of a slow map smaller, so that no snapshot is held for long.
    mutating func learn(from pieces: MappedPieces) {
        if pieces.duration > .milliseconds(500) {
            count = max(min(Self.countMin, countMax), count / 2)
        } else if pieces.duration < .milliseconds(100) {
            count = min(countMax, count * 2)
        }
    }
}

/// Puts pieces that come in any order into theirs.
private struct PieceLine {
    private var early: [Int: MappedPieces] = [:]
    /// The first range whose pieces have not come.
    private(set) var nextNumber = 0
    private var ready: [MappedPiece] = []
    private var documentCount = 0
    private var byteCount = 0
    private var duration = Duration.zero

    /// After how much mapping the rows are stored.
    private static let durationMax = Duration.seconds(5)

    mutating func add(_ pieces: MappedPieces) {
        early[pieces.number] = pieces
        while let next = early.removeValue(forKey: nextNumber) {
            ready += next.pieces
            documentCount += next.documentCount
            byteCount += next.byteCount
            duration += next.duration
            nextNumber += 1
        }
    }

    /// The pieces that are due to be stored; nil while they are too few.
    mutating func take(_ pace: IndexPace) -> [MappedPiece]? {
        guard
            documentCount >= pace.storeCountMax || byteCount >= pace.storeByteCountMax
                || duration >= Self.durationMax || ready.last?.isLast == true
        else { return nil }
        defer {
            ready = []
            (documentCount, byteCount, duration) = (0, 0, .zero)
        }
        return ready
    }
}
