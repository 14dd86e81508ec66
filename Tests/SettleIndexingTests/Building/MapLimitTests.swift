import SettleDocuments
import SettlePrimitives
import TestSupport
import Testing

@testable import SettleIndexing
@testable import SettleStorage

@Suite(.serialized) struct `Mapping within a limit` {
    private func filled(_ count: Int) async throws -> TestIndex {
        let index = try TestIndex()
        let body = try TestIndex.body([("x", 1)])
        try await index.store.write { transaction in
            for number in 0..<count {
                _ = try transaction.put(
                    "d\(1_000 + number)", body: body, precondition: .none, origin: nil)
            }
        }
        return index
    }

    /// The pieces that a range is mapped in, each in a snapshot of its own.
    private func pieces(
        _ index: TestIndex, _ range: DocumentRange,
        _ limit: () -> MapLimit
    ) throws -> [MappedPiece] {
        let mapper = RangeMapper(TestIndex.definition(), crashed: .init(), guardSlot: nil)
        var pieces: [MappedPiece] = []
        var rest: DocumentRange? = range
        while let next = rest {
            let mapped = try index.store.read("test") {
                try mapper.map(next, limit: limit(), in: $0)
            }
            pieces.append(mapped.piece)
            rest = mapped.rest
        }
        return pieces
    }

    @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 33, 160, 161])
    func `by time ends after sixteen documents at most, and leaves none out`(
        count: Int
    ) async throws {
        let index = try await filled(count)
        for rangeCount in [1, 16, 20, 1_000] {
            var after: String?
            var isAtEnd = false
            var found: [MappedPiece] = []
            while !isAtEnd {
                let range = try index.store.read("test") { [after] in
                    try DocumentRange(after: after, countMax: rangeCount, in: $0)
                }
                let parts = try pieces(index, range) {
                    MapLimit(countMax: .max, duration: .zero)
                }
                #expect(parts.allSatisfy { $0.documentCount <= 16 }, "\(rangeCount)")
                let last = try #require(parts.last)
                #expect(last.last == range.through, "\(rangeCount)")
                #expect(parts.dropLast().allSatisfy { !$0.isLast }, "\(rangeCount)")
                #expect(last.isLast == (range.through == nil), "\(rangeCount)")
                found += parts
                after = range.through
                isAtEnd = after == nil
            }
            #expect(found.reduce(0) { $0 + $1.documentCount } == count, "\(rangeCount)")
            let rows = found.compactMap(\.rows).reduce(0) { $0 + $1.entryCount }
            #expect(rows == count, "\(rangeCount)")
        }
    }

    @Test func `by bytes ends after sixteen documents at most, and leaves none out`()
        async throws
    {
        let index = try await filled(100)
        let range = try index.store.read("test") {
            try DocumentRange(after: nil, countMax: 1_000, in: $0)
        }
        let found = try pieces(index, range) { MapLimit(countMax: .max, byteCountMax: 1) }
        #expect(found.map(\.documentCount) == [16, 16, 16, 16, 16, 16, 4])
        let whole = try pieces(index, range) { MapLimit(countMax: .max) }
        #expect(whole.map(\.documentCount) == [100])
    }

    @Test func `is broken off when it is cancelled`() async throws {
        let index = try await filled(100)
        let range = try index.store.read("test") {
            try DocumentRange(after: nil, countMax: 1_000, in: $0)
        }
        #expect(throws: CancellationError.self) {
            try pieces(index, range) { MapLimit(countMax: .max, isCancelled: { true }) }
        }
        let definition = TestIndex.definition(version: "empty")
        let before = try TestIndex()
        try await before.build(definition)
        try await before.put("a", [("x", 1)])
        #expect(throws: CancellationError.self) {
            try changes(before, definition, MapLimit(countMax: 9, isCancelled: { true }))
        }
    }

    private func changes(
        _ index: TestIndex, _ definition: IndexDefinition, _ limit: MapLimit
    ) throws -> MappedChanges {
        try index.store.read("test") { snapshot in
            let view = try #require(try IndexReader(of: "test", fitting: definition, in: snapshot))
            return try MappedChanges(
                of: definition, slot: view.slot, state: view.state, in: snapshot, limit: limit,
                crashed: .init(), guardSlot: nil)
        }
    }

    @Test(arguments: [1, 64, 65, 128, 200])
    func `of changes ends after a stretch of them, and says that they are not whole`(
        count: Int
    ) async throws {
        let index = try await filled(0)
        let definition = TestIndex.definition()
        try await index.build(definition)
        for number in 0..<count { try await index.put("d\(number)", [("x", 1)]) }
        var reached: UInt64 = 0
        var steps = 0
        while try index.store.read("test", { reached < $0.lastSequence }) {
            let step = try changes(index, definition, MapLimit(countMax: .max, duration: .zero))
            steps += 1
            #expect((1...64).contains(step.count), "\(step.count)")
            #expect(step.isComplete == (steps == (count + 63) / 64))
            #expect(step.reached == UInt64(min(count, 64 * steps)))
            reached = step.reached
            let steps = IndexBuildSteps(definition, worker: "w")
            _ = try await index.store.write { try steps.apply(step, in: $0) }
            let state = try #require(try index.state(of: definition))
            #expect(state.isWhole == step.isComplete && state.sequence == reached)
        }
        #expect(steps == (count + 63) / 64)
        #expect(try index.answer(IndexQuery(), definition).rows.count == count)
        #expect(try index.findings(definition) == [])
    }

    @Test(arguments: [1, 2, 100])
    func `of changes takes a document once that damage lists twice`(
        countMax: Int
    ) async throws {
        let index = try TestIndex()
        let definition = TestIndex.definition(.builtIn(.count))
        try await index.build(definition)
        for number in 0..<6 {
            try await index.put("d\(number)", [(.integer(Int64(number)), nil)])
        }
        // The first and the last change are of documents that have changes of their own.
        try await index.store.write { transaction in
            let table = OrderedTable(transaction.tables.sequences, in: transaction)
            for (number, id) in [(1, "d3"), (6, "d3"), (5, "gone")] {
                var key: [UInt8] = []
                key.append(fixed64: UInt64(number))
                try table.set(Array(id.utf8), for: key)
            }
        }
        try await index.bringUpToDate(definition, countMax: countMax)
        let rows = try index.answer(IndexQuery(), definition).rows
        #expect(rows.compactMap(\.documentID) == ["d1", "d2", "d3"])
        let total = try index.answer(IndexQuery(summary: .total), definition).rows
        #expect(total.map(\.value) == [3])
    }
}
