import SettleDocuments
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `Mapped changes` {
    private func changes(
        _ index: TestIndex, _ definition: IndexDefinition, _ limit: MapLimit
    ) throws -> MappedChanges? {
        try index.store.read("test") { snapshot in
            guard let view = try IndexReader(of: "test", fitting: definition, in: snapshot),
                !view.isCurrent(at: snapshot.lastSequence)
            else { return nil }
            return try MappedChanges(
                of: definition, slot: view.slot, state: view.state, in: snapshot, limit: limit,
                crashed: .init(), guardSlot: nil)
        }
    }

    @Test func `take no more memory than they may, but for one document`() async throws {
        for _ in 0..<2 {
            var random = SeededGenerator()
            let seed = random.description
            let index = try TestIndex()
            let definition = TestIndex.definition(.builtIn(.count))
            try await index.build(definition)
            for _ in 0..<120 {
                let number = Int.random(in: 0..<100, using: &random)
                let text = String(repeating: "x", count: Int.random(in: 0...3_000, using: &random))
                try await index.put("d\(number)", [(.integer(Int64(number)), .string(text))])
                if number % 10 == 0 { try await index.delete("d\(number)") }
            }
            let steps = IndexBuildSteps(definition, worker: index.worker)
            var rounds = 0
            while true {
                let byteCountMax = Int.random(in: 1...30_000, using: &random)
                let limit = MapLimit(countMax: .max, byteCountMax: byteCountMax)
                guard let mapped = try changes(index, definition, limit) else { break }
                rounds += 1
                let sizes = mapped.documents.map(\.byteCount)
                let taken = sizes.reduce(0, +) - (sizes.max() ?? 0)
                #expect(taken < byteCountMax, "\(seed), round \(rounds)")
                #expect(mapped.count > 0 && mapped.reached > mapped.base, "\(seed)")
                #expect(mapped.isComplete == (mapped.reached == mapped.latest), "\(seed)")
                _ = try await index.store.write { try steps.apply(mapped, in: $0) }
                let state = try #require(try index.state(of: definition))
                #expect(state.isWhole == mapped.isComplete, "\(seed), round \(rounds)")
            }
            #expect(rounds > 5, "\(seed)")
            let findings = try index.findings(definition)
            #expect(findings == [], "\(seed)")
            let rows = try index.answer(IndexQuery(), definition).rows.compactMap(\.documentID)
            let other = TestIndex.definition(.builtIn(.count), version: "2")
            try await index.build(other)
            let built = try index.answer(IndexQuery(), other).rows.compactMap(\.documentID)
            #expect(rows == built && rows.count > 20, "\(seed)")
        }
    }

    @Test func `of all there is are all when the memory lasts`() async throws {
        let index = try TestIndex()
        let definition = TestIndex.definition()
        try await index.build(definition)
        for number in 0..<150 { try await index.put("d\(number)", [(1, nil)]) }
        let mapped = try #require(
            try changes(index, definition, MapLimit(countMax: 150, byteCountMax: 1 << 20)))
        #expect(mapped.count == 150 && mapped.isComplete)
        let fewer = try #require(
            try changes(index, definition, MapLimit(countMax: 149, byteCountMax: 1 << 20)))
        #expect(fewer.count == 149 && !fewer.isComplete && fewer.reached == 149)
        let one = try #require(
            try changes(index, definition, MapLimit(countMax: 150, byteCountMax: 1)))
        #expect(one.count == 1 && !one.isComplete && one.reached == 1)
    }

    @Test func `say that no row was made or removed only when the keys are those of before`()
        async throws
    {
        var random = SeededGenerator()
        let seed = random.description
        let index = try TestIndex()
        let definition = TestIndex.definition()
        let steps = IndexBuildSteps(definition, worker: index.worker)
        try await index.build(definition)
        var keptCount = 0
        var keys: [String] = []
        for step in 0..<150 {
            let id = "d\(Int.random(in: 0..<4, using: &random))"
            if Int.random(in: 0..<6, using: &random) == 0 {
                try await index.delete(id)
            } else {
                let rows = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    let key = JSONValue.integer(Int64.random(in: 0..<2, using: &random))
                    return (key: key, value: JSONValue?.some(.integer(Int64(step))))
                }
                try await index.put(id, rows)
            }
            let mapped = try #require(
                try changes(index, definition, MapLimit(countMax: .max)))
            let changed = try await index.store.write { try steps.apply(mapped, in: $0) }
            let before = keys
            keys = try index.answer(IndexQuery(), definition).rows
                .map { "\($0.documentID ?? "") \(String(describing: $0.key))" }
            // A document whose rows come in another order has a new pointer, and the same keys.
            if changed.keepsKeys {
                #expect(keys == before, "\(seed), step \(step)")
                keptCount += 1
            } else if keys == before {
                #expect(keys.count > 1, "\(seed), step \(step)")
            }
        }
        #expect(keptCount > 10 && keptCount < 140, "\(seed)")
    }
}
