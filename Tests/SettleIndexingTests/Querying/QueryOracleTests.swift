import SettleDocuments
import SettleStorage
import TestSupport
import Testing

@testable import SettleIndexing

/// Every answer is compared with one worked out the plain way: map all, sort all, fold all.
@Suite(.serialized) struct `Queries over random documents` {
    private func check(
        _ reducer: IndexReducer, collation: Collator.Strings, rounds: Int, queries: Int
    ) async throws {
        var random = SeededGenerator()
        let seed = random.description
        let index = try TestIndex()
        let definition = TestIndex.definition(reducer, collation: collation)
        var oracle = QueryOracle(collation)
        for round in 0..<rounds {
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                let id = "d\(Int.random(in: 0..<120, using: &random))"
                if Int.random(in: 0..<5, using: &random) == 0 {
                    oracle.documents[id] = nil
                    try await index.delete(id)
                } else {
                    let rows = RandomQueries.rows(&random)
                    oracle.documents[id] = rows
                    try await index.put(id, rows)
                }
            }
            // Rebuilt in between, in steps, which must come to the same.
            if round % 4 == 3 {
                let isDone = try await index.build(
                    definition, rangeCount: Int.random(in: 1...50, using: &random))
                #expect(isDone, "\(seed)")
            } else {
                try await index.bringUpToDate(
                    definition, countMax: Int.random(in: 1...40, using: &random))
            }
            let findings = try index.findings(definition)
            #expect(findings == [], "\(seed)")
            let all = oracle.rows
            for _ in 0..<queries {
                let query = RandomQueries.query(&random)
                let found = try index.answer(query, definition)
                let expected = oracle.answer(query, all)
                #expect(found == expected, "\(seed), \(query)")
                if found != expected { return }
            }
        }
    }

    @Test(arguments: [Collator.Strings.unicode, .raw])
    func `equal those of a naive oracle with a built-in sum`(collation: Collator.Strings)
        async throws
    {
        try await check(.builtIn(.sum), collation: collation, rounds: 8, queries: 150)
    }

    @Test func `equal those of a naive oracle with a closure`() async throws {
        let sum = IndexReducer.custom { _, values, _ in
            .integer(values.reduce(0) { $0 + ($1?.integerValue ?? 0) })
        }
        try await check(sum, collation: .unicode, rounds: 8, queries: 150)
    }

    @Test func `take reductions anew from rows of another definition`() async throws {
        let index = try TestIndex()
        for number in 0..<300 {
            try await index.put("d\(number)", [(.integer(Int64(number % 7)), .integer(1))])
        }
        let counting = TestIndex.definition(.builtIn(.count))
        try await index.bringUpToDate(counting)
        let summing = TestIndex.definition(
            .custom { keys, values, rereduce in
                rereduce
                    ? .integer(values.reduce(0) { $0 + ($1?.integerValue ?? 0) })
                    : .integer(Int64(2 * keys.count))
            }, version: "2")
        let found = try index.answer(IndexQuery(summary: .total), summing)
        #expect(found.rows.map(\.value) == [.integer(600)])
        let groups = try index.answer(
            IndexQuery(isDescending: true, limit: 1, summary: .exactKeys), summing)
        #expect(groups.rows.map(\.key) == [.integer(6)])
        #expect(groups.rows.map(\.value) == [.integer(84)])
    }

    @Test func `find strings and arrays by how they begin`() async throws {
        let index = try TestIndex()
        let keys: [JSONValue] = [
            "abel", "Abel", "ábel", "b", "ab", "a", ["abel", 1], ["a", "xyz"], ["a", "xz"],
            ["a", "X"], ["a"], 7, "Äbc",
        ]
        for (number, key) in keys.enumerated() { try await index.put("d\(number)", [(key, nil)]) }
        for collation in [Collator.Strings.unicode, .raw] {
            let definition = TestIndex.definition(
                version: collation == .raw ? "raw" : "unicode", collation: collation)
            try await index.build(definition)
            func found(_ prefix: JSONValue, _ level: Int) throws -> Set<JSONValue> {
                let bound = IndexQuery.KeyBound(key: prefix, prefixLevel: level)
                let answer = try index.answer(
                    IndexQuery(selection: .range(start: bound, end: bound)), definition)
                return Set(answer.rows.compactMap(\.key))
            }
            let isRaw = collation == .raw
            let strings = try found("ab", 1)
            #expect(
                strings
                    == (isRaw ? ["abel", "ab"] : ["abel", "Abel", "ábel", "ab", "Äbc"]))
            let arrays = try found(["a"], 1)
            #expect(arrays == [["a", "xyz"], ["a", "xz"], ["a", "X"], ["a"]])
            let inside = try found(["a", "x"], 2)
            #expect(
                inside
                    == (isRaw
                        ? [["a", "xyz"], ["a", "xz"]]
                        : [["a", "xyz"], ["a", "xz"], ["a", "X"]]))
            let number = try found(7, 1)
            #expect(number == [7])
        }
    }
}
