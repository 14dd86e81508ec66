import SettleDocuments
import TestSupport
import Testing

@testable import SettleIndexing

/// What a function of the application is given for few rows, and for many.
@Suite struct `Rows that a query sums up` {
    /// Tells what it was called with: the keys and values of rows, or that it was a rereduce.
    private static let witness = IndexReducer.custom { keys, values, rereduce in
        if rereduce { return ["rereduced": .integer(Int64(values.count))] }
        // Short, because a reduction has to shrink.
        var text = ""
        for (key, value) in zip(keys, values) {
            text += "\(JSONText.text(of: key).hashValue) \(value?.integerValue ?? -1),"
        }
        return [.integer(Int64(keys.count)), .integer(Int64(text.hashValue))]
    }

    private struct Row {
        let key: JSONValue
        let value: Int64
    }

    /// What the witness says of rows that it is given in one call.
    private func direct(_ rows: some Collection<Row>) throws -> JSONValue {
        guard case .custom(let function) = Self.witness.source else { throw CancellationError() }
        return try function(rows.map(\.key), rows.map { .integer($0.value) }, false)
    }

    private var countMax: Int { IndexReducer.directRowCountMax }

    /// An index with groups of so many rows each, in order; keys are group, number.
    private func index(_ counts: [Int]) async throws -> (TestIndex, [[Row]]) {
        let index = try TestIndex()
        var groups: [[Row]] = []
        for (group, count) in counts.enumerated() {
            let rows = (0..<count).map { number in
                Row(
                    key: [.integer(Int64(group)), .integer(Int64(number))],
                    value: Int64(group * 1_000_003 + number * 7))
            }
            groups.append(rows)
            for (start, part) in stride(from: 0, to: count, by: 50).enumerated() {
                let some = rows[part..<min(part + 50, count)]
                try await index.put(
                    "d\(group)-\(start)",
                    some.map { (key: $0.key, value: JSONValue?.some(.integer($0.value))) })
            }
        }
        return (index, groups)
    }

    private func bound(_ group: Int, _ number: Int) -> IndexQuery.KeyBound {
        IndexQuery.KeyBound(key: [.integer(Int64(group)), .integer(Int64(number))])
    }

    private func rowCount(_ value: JSONValue?) -> JSONValue? {
        value?["rereduced"] == nil ? value : "rereduced"
    }

    @Test func `are given directly up to some hundred, and by parts from there`() async throws {
        let (index, groups) = try await index([1_300])
        let definition = TestIndex.definition(Self.witness)
        try await index.bringUpToDate(definition, countMax: 100)
        var lengths = Array(1...130)
        lengths += [200, 256, 300, countMax - 1, countMax, countMax + 1, countMax + 60, 1_000]
        for length in lengths {
            for start in [0, 1, 57, 123, 299] {
                for isDescending in [false, true] {
                    let ends = [bound(0, start), bound(0, start + length - 1)]
                    let query = IndexQuery(
                        selection: .range(
                            start: ends[isDescending ? 1 : 0], end: ends[isDescending ? 0 : 1]),
                        isDescending: isDescending, summary: .total)
                    let found = try index.answer(query, definition).rows.map(\.value)
                    let wanted =
                        length <= countMax
                        ? try direct(groups[0][start..<start + length]) : "rereduced"
                    #expect(found.map(rowCount) == [wanted], "\(length) rows from \(start)")
                }
            }
        }
    }

    @Test func `of groups are given directly, each for itself`() async throws {
        let counts = [1, 2, 60, 61, countMax - 1, countMax, countMax + 1, 900]
        let (index, groups) = try await index(counts)
        let definition = TestIndex.definition(Self.witness)
        try await index.bringUpToDate(definition, countMax: 100)
        let wanted = try groups.map { $0.count <= countMax ? try direct($0) : "rereduced" }
        for isDescending in [false, true] {
            let query = IndexQuery(isDescending: isDescending, summary: .firstElements(1))
            let found = try index.answer(query, definition).rows.map { rowCount($0.value) }
            #expect(found == (isDescending ? wanted.reversed() : wanted))
            let page = IndexQuery(
                isDescending: isDescending, skip: 2, limit: 4, summary: .firstElements(1))
            let few = try index.answer(page, definition).rows.map { rowCount($0.value) }
            #expect(few == Array((isDescending ? wanted.reversed() : wanted)[2..<6]))
        }
        // Every level: the keys themselves are groups of one row.
        let keys = try index.answer(IndexQuery(limit: 5, summary: .exactKeys), definition).rows
        #expect(try keys.map(\.value) == groups.joined().prefix(5).map { try direct([$0]) })
        // One row for the rows of several keys, with one twice.
        let list = groups[3] + groups[2] + groups[2]
        let total = try index.answer(
            IndexQuery(selection: .keys(list.map(\.key)), summary: .total), definition)
        #expect(try total.rows.map(\.value) == [direct(list)])
        let tooMany = groups[4] + groups[2]
        let parts = try index.answer(
            IndexQuery(selection: .keys(tooMany.map(\.key)), summary: .total), definition)
        #expect(parts.rows.map { rowCount($0.value) } == ["rereduced"])
    }

    @Test func `of an older definition are given alike`() async throws {
        let (index, groups) = try await index([3, 120, countMax, countMax + 1])
        try await index.bringUpToDate(TestIndex.definition(.builtIn(.count)), countMax: 100)
        let definition = TestIndex.definition(Self.witness, version: "2")
        let found = try index.answer(IndexQuery(summary: .firstElements(1)), definition).rows
        let wanted = try groups.map { $0.count <= countMax ? try direct($0) : "rereduced" }
        #expect(found.map { rowCount($0.value) } == wanted)
    }

    @Test func `are read again by an observer as a query reads them`() async throws {
        var generator = SeededGenerator()
        let (index, _) = try await index([5, 130, countMax - 3])
        let definition = TestIndex.definition(Self.witness)
        try await index.bringUpToDate(definition, countMax: 100)
        let queries = [
            IndexQuery(summary: .total), IndexQuery(summary: .firstElements(1)),
            IndexQuery(isDescending: true, summary: .firstElements(1)),
            IndexQuery(
                selection: .range(start: bound(2, 0), end: nil), summary: .total),
        ]
        for round in 0..<12 {
            let group = Int.random(in: 0...2, using: &generator)
            try await index.put(
                "new\(round)",
                [(key: [.integer(Int64(group)), .integer(10_000 + Int64(round))], value: 1)])
            try await index.bringUpToDate(definition, countMax: 100)
            for query in queries {
                let wanted = try index.answer(query, definition).rows
                let selection = ObservedSelection(query, definition)
                let items = try index.read(definition) { runner in
                    let items = try runner.items(of: selection, countMax: nil)
                    // And one by one, as after a change.
                    for item in items {
                        let again = try runner.item(item.key, of: selection)
                        #expect(again == item.row, "\(generator)")
                    }
                    return items
                }
                #expect(items?.map(\.row) == wanted, "\(generator)")
            }
        }
    }

    @Test func `are summed up by what is stored where the function is built in`() async throws {
        let (index, groups) = try await index([40, countMax + 1])
        let definition = TestIndex.definition(.builtIn(.sum))
        try await index.bringUpToDate(definition, countMax: 100)
        let found = try index.answer(IndexQuery(summary: .firstElements(1)), definition).rows
        #expect(found.map(\.value) == groups.map { .integer($0.reduce(0) { $0 + $1.value }) })
    }
}
