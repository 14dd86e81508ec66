@testable import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `The answer to a query` {
    /// Two rows for each number, with ten times the number for a key.
    private static let index = Database.Index(name: "i", version: "1") { document, addIndexRow in
        guard let number = document["n"] as? Int else { return }
        addIndexRow(number * 10, nil)
        addIndexRow(number * 10, nil)
    }

    private struct Case: CustomStringConvertible {
        var start: Int?
        var end: Int?
        var isDescending = false
        var skip = 0
        var limit = 0
        var includesStart = true
        var includesEnd = true

        var query: QueryByKeyRange {
            var query = QueryByKeyRange(startKey: start, endKey: end)
            query.sortOrder = isDescending ? .descending : .ascending
            query.startRow = UInt(skip)
            query.rowLimit = UInt(limit)
            query.inclusiveStart = includesStart
            query.inclusiveEnd = includesEnd
            return query
        }

        /// Rows before the first that is meant, in the order of the query, and the keys returned.
        ///
        /// As in CouchDB, rows that are skipped count, and the number of all rows is the most.
        func wanted(_ all: [Int]) -> (offset: Int, keys: [Int]) {
            let ordered = isDescending ? all.reversed() : all
            func isBefore(_ key: Int) -> Bool {
                guard let start else { return false }
                if key == start { return !includesStart }
                return isDescending ? key > start : key < start
            }
            func isBehind(_ key: Int) -> Bool {
                guard let end else { return false }
                if key == end { return !includesEnd }
                return isDescending ? key < end : key > end
            }
            let before = ordered.count(where: isBefore)
            var keys = ordered.filter { !isBefore($0) && !isBehind($0) }.dropFirst(skip)
            if limit > 0 { keys = keys.prefix(limit) }
            return (min(all.count, before + skip), Array(keys))
        }

        var description: String {
            "\(start ?? -1)...\(end ?? -1) descending \(isDescending) skip \(skip) limit \(limit) "
                + "includes \(includesStart) \(includesEnd)"
        }
    }

    @Test func `counts all rows and those before it as CouchDB does`() async throws {
        try await withDatabase(indexes: [Self.index]) { database async throws in
            try await database.addNumbers(0..<10)
            let all = (0..<10).flatMap { [$0 * 10, $0 * 10] }
            let bounds: [Int?] = [nil, 0, 15, 40, 90, 95]
            for start in bounds {
                for end in bounds {
                    for isDescending in [false, true] {
                        for (skip, limit) in [(0, 0), (3, 2), (0, 1), (19, 0), (100, 5)] {
                            for includes in [(true, true), (false, true), (true, false)] {
                                let example = Case(
                                    start: start, end: end, isDescending: isDescending,
                                    skip: skip, limit: limit, includesStart: includes.0,
                                    includesEnd: includes.1)
                                let answer = try await database.runQuery(
                                    on: "i", with: example.query)
                                let wanted = example.wanted(all)
                                #expect(
                                    answer.rows.compactMap { $0.key as? Int } == wanted.keys,
                                    "\(example)")
                                #expect(answer.offset == wanted.offset, "\(example)")
                                #expect(answer.totalRows == 20, "\(example)")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `to a list of keys has no offset, and one that sums up has no counts`()
        async throws
    {
        try await withDatabase(indexes: [MapCalls().index()]) { database async throws in
            try await database.addNumbers(0..<10)
            var list = QueryByKeyList(keys: [4, 2, 4])
            list.reduce = false
            let answer = try await database.runQuery(on: "i", with: list)
            #expect(answer.rows.map { $0.key as? Int } == [4, 2, 4])
            #expect(answer.offset == nil && answer.totalRows == 10)
            #expect(try answer.sequence == database.lastSequence)
            let sum = try await database.runQuery(on: "i")
            #expect(sum.offset == nil && sum.totalRows == nil)
            #expect(try sum.sequence == database.lastSequence)
        }
    }

    @Test func `to a prefix has the keys that begin with it`() async throws {
        let index = Database.Index(name: "i", version: "1") { document, addIndexRow in
            addIndexRow(document["key"], nil)
        }
        let keys: [JSONValue] = [
            "apple", "Apricot", "apricot", "Äpfel", "avocado", "a", "banana", "ap", "aq", 5, .null,
            ["red"], ["red", "ap"], ["red", "apple"], ["red", "Apricot"], ["red", "b"],
            ["red", ["x", "yes"]], ["red", ["x", "yellow", 1]], ["red", 5], ["redder"], ["r"],
            [], ["a": 1],
        ]
        try await withDatabase(indexes: [index]) { database async throws in
            try await database.write { transaction in
                for key in keys { try transaction.add(["key": key]) }
            }
            func found(_ prefix: Any, _ level: UInt = 1) async throws -> [JSONValue] {
                var query = QueryByKeyRange(prefix: prefix, level: level)
                let rows = try await database.runQuery(on: "i", with: query).rows.map(\.keyJSON)
                query.sortOrder = .descending
                let turned = try await database.runQuery(on: "i", with: query).rows.map(\.keyJSON)
                #expect(turned == rows.reversed())
                return rows
            }
            #expect(
                try await found("ap") == ["ap", "Äpfel", "apple", "apricot", "Apricot"])
            #expect(
                try await found("") == [
                    "a", "ap", "Äpfel", "apple", "apricot", "Apricot", "aq", "avocado", "banana",
                ])
            #expect(
                try await found(["red"]) == [
                    ["red"], ["red", 5], ["red", "ap"], ["red", "apple"], ["red", "Apricot"],
                    ["red", "b"], ["red", ["x", "yellow", 1]], ["red", ["x", "yes"]],
                ])
            #expect(
                try await found(["red", "ap"], 2)
                    == [["red", "ap"], ["red", "apple"], ["red", "Apricot"]])
            #expect(
                try await found(["red", ["x"]], 2)
                    == [["red", ["x", "yellow", 1]], ["red", ["x", "yes"]]])
            #expect(try await found(["red", ["x", "ye"]], 3).count == 2)
            #expect(try await found(["red", ["x", "yel"]], 3) == [["red", ["x", "yellow", 1]]])
            #expect(try await found("z").isEmpty)
        }
    }

    @Test(arguments: QueryFreshness.allCases)
    func `is the same with every freshness once the index is built`(
        freshness: QueryFreshness
    ) async throws {
        try await withDatabase(indexes: [MapCalls().index()]) { database async throws in
            try await database.addNumbers(0..<100)
            try await database.buildIndex(named: "i")
            #expect(try await database.keys(of: "i", freshness) == Array(0..<100))
            var list = QueryByKeyList(keys: [5, 3])
            list.freshness = freshness
            list.group = true
            let rows = try await database.runQuery(on: "i", with: list).rows
            #expect(rows.map { $0.key as? Int } == [5, 3])
            #expect(rows.map { $0.value as? Int } == [1, 1])
        }
    }
}
