import SettleDocuments
import SettlePrimitives
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `Building an index` {
    /// Every table of the index, row by row, with their names; without the states.
    private func tables(_ index: TestIndex, slot: Int) throws -> [String: [[UInt8]]] {
        try index.store.read("test") { snapshot in
            var tables: [String: [[UInt8]]] = [:]
            for part in ["rows", "documents", "side"] {
                var rows: [[UInt8]] = []
                try snapshot.table(named: "view/test/\(slot)/\(part)")?.forEach { key, value in
                    rows.append(key.rest(from: 0))
                    rows.append(value.rest(from: 0))
                    return true
                }
                tables[part] = rows
            }
            return tables
        }
    }

    /// Says in which table and row they differ, without all the bytes.
    private func expectEqual(
        _ found: [String: [[UInt8]]], _ expected: [String: [[UInt8]]], _ comment: String
    ) {
        for (part, rows) in expected {
            let other = found[part] ?? []
            let first = zip(rows, other).enumerated().first { $0.element.0 != $0.element.1 }
            #expect(first?.offset == nil, "\(comment), \(part), row \(first?.offset ?? 0)")
            #expect(rows.count == other.count, "\(comment), \(part)")
        }
    }

    private func slot(_ index: TestIndex, _ definition: IndexDefinition) throws -> Int? {
        try index.store.read("test") {
            try IndexReader(of: "test", fitting: definition, in: $0)?.slot
        }
    }

    private func fill(_ index: TestIndex, _ random: inout SeededGenerator) async throws {
        for number in 0..<200 {
            var rows = RandomQueries.rows(&random)
            if number % 40 == 13 { rows.append(("throw", nil)) }
            try await index.put("d\(number)", rows)
        }
        for number in 0..<20 { try await index.delete("d\(number * 9)") }
    }

    @Test func `comes to the same bytes whatever way it goes`() async throws {
        var random = SeededGenerator()
        let seed = random.description
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.stats))
        try await fill(index, &random)
        try await index.build(definition, rangeCount: 1_000)
        let first = try #require(try slot(index, definition))
        let expected = try tables(index, slot: first)
        #expect(expected["rows"]?.isEmpty == false)
        for _ in 0..<4 {
            let before = try #require(try slot(index, definition))
            try await index.build(
                definition, rangeCount: Int.random(in: 1...60, using: &random))
            let after = try #require(try slot(index, definition))
            #expect(after != before, "\(seed)")
            let found = try tables(index, slot: after)
            expectEqual(found, expected, seed)
            let left = try tables(index, slot: before)
            let isEmpty = left.values.allSatisfy { $0.isEmpty }
            #expect(isEmpty, "\(seed)")
        }
        // And change by change, from nothing.
        let other = TestIndex.definition(.builtIn(.stats))
        let fresh = try TestIndex()
        try await fresh.bringUpToDate(other)
        var again = random
        try await fill(fresh, &again)
        try await fresh.bringUpToDate(other, countMax: 13)
        let rebuilt = try TestIndex()
        try await fill(rebuilt, &random)
        try await rebuilt.build(other)
        let slots = (try slot(fresh, other), try slot(rebuilt, other))
        let changed = try tables(fresh, slot: try #require(slots.0))
        let built = try tables(rebuilt, slot: try #require(slots.1))
        expectEqual(changed, built, seed)
    }

    @Test func `comes to the same bytes when the rows are not stored in between`() async throws {
        var random = SeededGenerator()
        let seed = random.description
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.stats))
        try await fill(index, &random)
        try await index.build(definition, rangeCount: 23)
        let expected = try tables(index, slot: try #require(try slot(index, definition)))
        // All at once, broken off after the rows are in the tree, and after other documents.
        for (rangeCount, stepsMax) in [(1_000, Int.max), (1_000, 1), (150, 2)] {
            let again = TestIndex.definition(
                .builtIn(.stats), version: "\(rangeCount) \(stepsMax)")
            let isDone = try await index.build(
                again, rangeCount: rangeCount, stepsMax: stepsMax, directCountMax: 100_000)
            if !isDone { try await index.build(again, directCountMax: 100_000) }
            let found = try tables(index, slot: try #require(try slot(index, again)))
            expectEqual(found, expected, "\(seed), \(rangeCount), \(stepsMax)")
        }
    }

    @Test func `goes on where it was broken off, at every step`() async throws {
        var random = SeededGenerator()
        let seed = random.description
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.sum))
        try await fill(index, &random)
        try await index.build(definition, rangeCount: 23)
        let expected = try tables(index, slot: try #require(try slot(index, definition)))
        var steps = 0
        var isDone = false
        while !isDone {
            steps += 1
            let again = TestIndex.definition(.builtIn(.sum), version: "try \(steps)")
            isDone = try await index.build(again, rangeCount: 23, stepsMax: steps)
            let findings = try index.findings(again)
            #expect(findings == [], "\(seed), \(steps) steps")
            let mapped = try index.plan(again)?.state.build?.mappedCount ?? 0
            #expect(isDone || mapped == min(200, 23 * steps), "\(seed), \(steps) steps")
            // The old rows answer as long as the new ones are not complete.
            let rows = try index.answer(IndexQuery(summary: .total), again).rows
            #expect(rows.count == 1, "\(seed), \(steps) steps")
            #expect(try await index.build(again, rangeCount: 23), "\(seed), \(steps) steps")
            let found = try tables(index, slot: try #require(try slot(index, again)))
            expectEqual(found, expected, "\(seed), \(steps) steps")
        }
        #expect(steps > 10)
    }

    @Test func `catches up with what changes meanwhile`() async throws {
        var random = SeededGenerator()
        let seed = random.description
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.sum))
        try await fill(index, &random)
        for steps in [1, 4, 9, 11] {
            let again = TestIndex.definition(.builtIn(.sum), version: "\(steps)")
            try await index.build(again, rangeCount: 23, stepsMax: steps)
            try await index.put("d\(steps)", [("new", 1)])
            try await index.put("before", [("new", 1)])
            try await index.delete("d150")
            let id = "d\(100 + steps)"
            try await index.store.write { _ = try $0.purge(id) }
            try await index.build(again, rangeCount: 23)
            #expect(try index.findings(again) == [], "\(seed), \(steps) steps")
            try await index.bringUpToDate(again)
            #expect(try index.findings(again) == [], "\(seed), \(steps) steps")
        }
        _ = definition
    }

    @Test func `lists documents that cannot be mapped and indexes the others`() async throws {
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.count))
        try await index.put("a", [("x", 1)])
        try await index.put("b", [("x", 1), ("throw", nil)])
        try await index.put("c", [("x", 1)])
        try await index.build(definition)
        #expect(try index.failures(definition).map(\.id) == ["b"])
        #expect(try index.failures(definition).first?.reason.contains("MapBroken") == true)
        #expect(try index.state(of: definition)?.errorCount == 1)
        let rows = try index.answer(IndexQuery(), definition).rows
        #expect(rows.compactMap(\.documentID) == ["a", "c"])

        // A document loses its rows with the error, and gets them back with its next revision.
        try await index.put("a", [("throw", nil)])
        try await index.put("b", [("y", 1)])
        try await index.bringUpToDate(definition)
        #expect(try index.failures(definition).map(\.id) == ["a"])
        #expect(try index.state(of: definition)?.errorCount == 1)
        let changed = try index.answer(IndexQuery(), definition).rows
        #expect(changed.compactMap(\.documentID) == ["c", "b"])
        try await index.delete("a")
        try await index.bringUpToDate(definition)
        #expect(try index.failures(definition) == [])
        #expect(try index.findings(definition) == [])
    }

    @Test func `does not map a document again that ended a process`() async throws {
        let index = try TestIndex()
        let definition = TestIndex.definition()
        for id in ["a", "b", "c"] { try await index.put(id, [(.string(id), nil)]) }
        var crashed = PoisonDocuments()
        crashed.add(Array("b".utf8))
        try await index.build(definition, crashed: crashed)
        #expect(try index.failures(definition).map(\.isCrash) == [true])
        #expect(
            try index.answer(IndexQuery(), definition).rows.compactMap(\.documentID) == ["a", "c"])
        // What the index lists counts at the next build, without any mark.
        var known = PoisonDocuments()
        try index.store.read("test") { try known.add(of: definition, in: $0) }
        try await index.build(definition, crashed: known)
        #expect(try index.failures(definition).map(\.id) == ["b"])
        // Another revision is tried again, and so is another version.
        try await index.put("b", [("B", nil)])
        try await index.bringUpToDate(definition, crashed: known)
        #expect(try index.failures(definition) == [])
        #expect(try index.findings(definition) == [])
        let other = TestIndex.definition(version: "2")
        var fresh = PoisonDocuments()
        try index.store.read("test") { try fresh.add(of: other, in: $0) }
        #expect(fresh.isEmpty)
    }

    @Test func `leaves the slot of a living worker alone`() async throws {
        let index = try TestIndex()
        for id in ["a", "b", "c"] { try await index.put(id, [(.string(id), 1)]) }
        let (old, new) = (TestIndex.definition(version: "1"), TestIndex.definition(version: "2"))
        try await index.build(old)
        let other = try TestIndex(worker: "other")
        _ = other
        // Another process builds the new version; this one waits, or goes on when it has died.
        let steps = IndexBuildSteps(new, worker: "other")
        let plan = try index.store.read("test") {
            try BuildPlan.plan(for: new, worker: "other", in: $0, isAlive: { $0 == "w" })
        }
        guard case .build(let begun) = plan else {
            Issue.record("The free slot was not taken.")
            return
        }
        let range = try index.store.read("test") { snapshot in
            let mapper = RangeMapper(new, crashed: .init(), guardSlot: nil)
            return try MappedRange(joining: [
                try mapper.map(
                    DocumentRange(after: nil, countMax: 2, in: snapshot),
                    limit: MapLimit(countMax: .max), in: snapshot
                ).piece
            ])
        }
        try await index.store.write { transaction in
            var plan = begun
            try steps.store(range, &plan, in: transaction)
        }
        index.alive = ["other"]
        #expect(try index.plan(new) == nil)
        index.alive = []
        let resumed = try #require(try index.plan(new))
        #expect(resumed.state.build?.mappedCount == 2)
        // What the slow one does afterwards has no ground any more.
        #expect(try await index.build(new))
        await #expect(throws: IndexError.superseded(name: "test")) {
            try await index.store.write { transaction in
                var plan = begun
                try steps.store(range, &plan, in: transaction)
            }
        }
        #expect(try index.findings(new) == [])
        // Its own version is gone with the worker, and kept as long as another lives.
        #expect(try index.state(of: old) == nil)
    }

    @Test func `takes a slot with its plan, so that two versions never build in one`()
        async throws
    {
        let index = try TestIndex()
        for id in ["a", "b", "c"] { try await index.put(id, [(.string(id), 1)]) }
        func claim(_ version: String, _ worker: String) async throws -> BuildPlan? {
            let steps = IndexBuildSteps(TestIndex.definition(version: version), worker: worker)
            let verdict = try await index.store.write { transaction in
                try steps.claim(in: transaction) { ["first", "second"].contains($0) }
            }
            guard case .build(let plan) = verdict else { return nil }
            return plan
        }
        let first = try await claim("1", "first")
        let second = try await claim("2", "second")
        #expect(Set([first?.slot, second?.slot]) == [0, 1])
        // Nobody else builds the same, or anything at all, as long as both live.
        for version in ["1", "2", "3"] {
            let third = try await claim(version, "third")
            #expect(third == nil, "version \(version)")
        }
        let again = try await claim("1", "first")
        #expect(again == first)
        // Who has died is taken over from, where it was.
        index.alive = ["second"]
        let one = TestIndex.definition(version: "1")
        try await index.build(one)
        #expect(try index.answer(IndexQuery(), one).rows.count == 3)
        #expect(try index.findings(one) == [])
        let steps = IndexBuildSteps(TestIndex.definition(version: "1"), worker: "first")
        let range = try index.store.read("test") { snapshot in
            try MappedRange(joining: [
                try RangeMapper(one, crashed: .init(), guardSlot: nil).map(
                    DocumentRange(after: nil, countMax: 2, in: snapshot),
                    limit: MapLimit(countMax: .max), in: snapshot
                ).piece
            ])
        }
        let plan = try #require(first)
        await #expect(throws: IndexError.superseded(name: "test")) {
            try await index.store.write { transaction in
                var plan = plan
                try steps.store(range, &plan, in: transaction)
            }
        }
    }

    @Test func `keeps the rows of another version while somebody lives who uses them`()
        async throws
    {
        let index = try TestIndex(worker: "w")
        try await index.put("a", [("x", 1)])
        let (mine, theirs) = (
            TestIndex.definition(version: "1"), TestIndex.definition(version: "2")
        )
        try await index.build(mine)
        let steps = IndexBuildSteps(mine, worker: "other")
        // The rows of version 1 were last worked on by somebody else who is alive.
        try await index.put("b", [("y", 1)])
        let changes = try index.store.read("test") { snapshot in
            let view = try #require(try IndexReader(of: "test", fitting: mine, in: snapshot))
            return try MappedChanges(
                of: mine, slot: view.slot, state: view.state, in: snapshot,
                limit: MapLimit(countMax: 10), crashed: .init(), guardSlot: nil)
        }
        _ = try await index.store.write { try steps.apply(changes, in: $0) }
        index.alive = ["other"]
        try await index.build(theirs)
        #expect(try index.state(of: mine) != nil)
        #expect(try index.state(of: theirs) != nil)
        // Once it has died, they go.
        try await index.store.write {
            try IndexBuildSteps.removeUnused(
                by: theirs, worker: "w", in: $0, isAlive: { _ in false })
        }
        #expect(try index.state(of: mine) == nil)
        #expect(try index.answer(IndexQuery(), theirs).rows.count == 2)
    }

    @Test func `is rebuilt when purges were missed`() async throws {
        let index = try TestIndex()
        let definition = TestIndex.definition()
        try await index.put("a", [("x", nil)])
        try await index.build(definition)
        let state = try #require(try index.state(of: definition))
        let isMissing = try index.store.read("test") { state.missesPurges(in: $0) }
        #expect(!isMissing)
        for number in 0..<3 {
            try await index.store.write { transaction in
                for purge in 0..<4_000 {
                    let id = "p\(number)-\(purge)"
                    _ = try transaction.put(
                        id, body: PackedValue(.object([:])), precondition: .none, origin: nil)
                    _ = try transaction.purge(id)
                }
            }
        }
        let missesNow = try index.store.read("test") { state.missesPurges(in: $0) }
        #expect(missesNow)
        try await index.build(definition)
        let rebuilt = try #require(try index.state(of: definition))
        let missesStill = try index.store.read("test") { rebuilt.missesPurges(in: $0) }
        #expect(!missesStill)
    }
}
