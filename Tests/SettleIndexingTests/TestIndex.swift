import SettleDocuments
import SettlePrimitives
import SettleStorage
import TestSupport

@testable import SettleIndexing

/// A store with one index, worked on step by step as the engine does.
final class TestIndex {
    let directory: ScratchDirectory
    let store: Store
    /// Who is alive beside this worker.
    var alive: Set<String> = []
    let worker: String

    init(worker: String = "w") throws {
        self.worker = worker
        let directory = try ScratchDirectory("index")
        self.directory = directory
        store = try Store(
            directory: directory.path, options: StoreOptions(), create: true,
            clock: { Timestamp(microseconds: 0) }, publish: { _ in })
    }

    deinit {
        store.close()
    }

    // MARK: Documents

    /// A document with a row for each pair of `keys` and `values`.
    static func body(_ rows: [(key: JSONValue, value: JSONValue?)]) throws -> PackedValue {
        try PackedValue(
            .object([
                "keys": .array(rows.map(\.key)),
                // A value is kept in a list, so that none is told from null.
                "values": .array(rows.map { .array($0.value.map { [$0] } ?? []) }),
            ]))
    }

    func put(_ id: String, _ rows: [(key: JSONValue, value: JSONValue?)]) async throws {
        let body = try Self.body(rows)
        try await store.write {
            _ = try $0.put(id, body: body, precondition: .none, origin: nil)
        }
    }

    func delete(_ id: String) async throws {
        let body = try PackedValue(.object([:]))
        try await store.write {
            _ = try $0.put(id, body: body, isDeleted: true, precondition: .none, origin: nil)
        }
    }

    /// An index over such documents; the key "throw" makes the map fail.
    static func definition(
        _ reducer: IndexReducer? = nil, version: String = "1",
        collation: Collator.Strings = .unicode
    ) -> IndexDefinition {
        IndexDefinition(name: "test", version: version, collation: collation, reducer: reducer) {
            _, record, rows in
            guard let members = RecordHead.members(of: record) else { return }
            let body = PackedValue(stored: record.rest(from: members.start))
            guard case .array(let keys)? = try body.member("keys"),
                case .array(let values)? = try body.member("values")
            else { return }
            for (key, value) in zip(keys, values) {
                if key == "throw" { throw MapBroken() }
                try rows.emit(key: key, value: value.arrayValue?.first)
            }
        }
    }

    // MARK: Work

    /// Brings the index up to date, building it when it has no rows.
    func bringUpToDate(
        _ definition: IndexDefinition, countMax: Int = 7, crashed: PoisonDocuments = .init()
    ) async throws {
        let steps = IndexBuildSteps(definition, worker: worker, mergeCountMax: 50)
        while true {
            let changes = try store.read("test") { snapshot -> MappedChanges? in
                guard let view = try IndexReader(of: "test", fitting: definition, in: snapshot),
                    view.fits
                else { return nil }
                if view.isCurrent(at: snapshot.lastSequence) { return nil }
                return try MappedChanges(
                    of: definition, slot: view.slot, state: view.state, in: snapshot,
                    limit: MapLimit(countMax: countMax), crashed: crashed, guardSlot: nil)
            }
            guard let changes else { break }
            _ = try await store.write { try steps.apply(changes, in: $0) }
        }
        if try state(of: definition) == nil { try await build(definition, crashed: crashed) }
    }

    /// Builds the index anew, `rangeCount` documents at a time; breaks off after some steps.
    ///
    /// When the first step takes all documents and they have at most `directCountMax` rows, these
    /// go straight into the tree.
    ///
    /// Answers false when it was broken off.
    @discardableResult
    func build(
        _ definition: IndexDefinition, rangeCount: Int = 10, stepsMax: Int = .max,
        directCountMax: Int = 0, crashed: PoisonDocuments = .init()
    ) async throws -> Bool {
        let steps = IndexBuildSteps(definition, worker: worker, mergeCountMax: 50)
        let alive = alive
        let verdict = try await store.write { transaction in
            try steps.claim(in: transaction) { alive.contains($0) }
        }
        guard case .build(var plan) = verdict else { throw MustWait() }
        var stepCount = 0
        while plan.state.build != nil {
            if stepCount == stepsMax { return false }
            stepCount += 1
            let before = plan
            if plan.state.build?.isMapped == false {
                let mapper = RangeMapper(definition, crashed: crashed, guardSlot: nil)
                let piece = try store.read("test") { snapshot in
                    let range = try DocumentRange(
                        after: before.state.build?.after, countMax: rangeCount, in: snapshot)
                    return try mapper.map(range, limit: MapLimit(countMax: .max), in: snapshot)
                        .piece
                }
                let isAlone = before.state.build?.runCount == 0
                let range = try MappedRange(
                    joining: [piece], directCountMax: isAlone ? directCountMax : 0)
                plan = try await store.write { transaction in
                    var plan = before
                    try steps.store(range, &plan, in: transaction)
                    return plan
                }
            } else if plan.state.build?.isMerged == false {
                plan = try await store.write { transaction in
                    var plan = before
                    _ = try steps.merge(&plan, in: transaction)
                    return plan
                }
            } else {
                let changes = try store.read("test") { snapshot in
                    try MappedChanges(
                        of: definition, slot: before.slot, state: before.state, in: snapshot,
                        limit: MapLimit(countMax: 100), crashed: crashed, guardSlot: nil)
                }
                plan = try await store.write { transaction in
                    var plan = before
                    try steps.apply(changes, &plan, in: transaction)
                    if changes.isComplete {
                        try steps.complete(&plan, in: transaction) { alive.contains($0) }
                    }
                    return plan
                }
            }
        }
        return true
    }

    func plan(_ definition: IndexDefinition) throws -> BuildPlan? {
        let alive = alive
        let verdict = try store.read("test") {
            try BuildPlan.plan(
                for: definition, worker: worker, in: $0, isAlive: { alive.contains($0) })
        }
        guard case .build(let plan) = verdict else { return nil }
        return plan
    }

    // MARK: Answers

    func state(of definition: IndexDefinition) throws -> IndexState? {
        try store.read("test") { snapshot in
            let view = try IndexReader(of: "test", fitting: definition, in: snapshot)
            return view.flatMap { $0.fits ? $0.state : nil }
        }
    }

    func answer(_ query: IndexQuery, _ definition: IndexDefinition) throws -> IndexResult {
        try read(definition) { try $0.run(query) } ?? IndexResult()
    }

    /// Hands a runner to a closure; nil when the index has no rows to run on.
    func read<Value>(
        _ definition: IndexDefinition, _ body: (QueryRunner) throws -> Value
    ) throws -> Value? {
        try store.read("test") { snapshot in
            guard let view = try IndexReader(of: "test", fitting: definition, in: snapshot) else {
                return nil
            }
            return try body(
                QueryRunner(definition, slot: view.slot, state: view.state, in: snapshot))
        }
    }

    func failures(_ definition: IndexDefinition) throws -> [MapFailure] {
        try store.read("test") { snapshot in
            try IndexReader(of: "test", fitting: definition, in: snapshot)?.failures(limit: 100)
                ?? []
        }
    }

    /// What a check finds, place and problem.
    func findings(_ definition: IndexDefinition?) throws -> [String] {
        let log = CheckLog()
        let check = IndexCheck(
            definitions: definition.map { ["test": $0] } ?? [:], isDeep: true, log)
        try store.check(threadCount: 2) { try check.pieces(of: $0) }
        return log.findings.map(\.problem)
    }
}

/// What the test's map function throws.
struct MapBroken: Error {}

/// Another worker has the index in hand.
struct MustWait: Error {}
