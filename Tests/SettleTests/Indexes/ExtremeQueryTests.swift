@testable import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A query with numbers beyond all bounds` {
    private static let sizes: [UInt] = [
        21, 1 << 31, 1 << 32, UInt(Int.max) - 1, UInt(Int.max), UInt(Int.max) + 1, .max - 1, .max,
    ]

    private static let index = Database.Index(
        name: "i", version: "1", builtInReduce: .count
    ) { document, addIndexRow in
        guard let number = document["n"] as? Int else { return }
        addIndexRow([number % 3, number], nil)
        addIndexRow("all", nil)
    }

    /// How a query sums up.
    private struct Manner {
        let reduce: Bool
        var group = false
        var level: UInt = 0
    }

    /// Ranges and lists, in both directions, plain and summed up in every way.
    private static func queries() -> [any QueryParameters] {
        var plain: [any QueryParameters] = [QueryByKeyList()]
        for bound: JSONValue? in [nil, [1], [2, 8], "all", "zzz"] {
            var from = QueryByKeyRange()
            from.startKeyJSON = bound
            var to = QueryByKeyRange()
            to.endKeyJSON = bound
            plain += [from, to]
        }
        var list = QueryByKeyList()
        list.keysJSON = ["all", [0, 0], "none", "all"]
        plain.append(list)
        let manners = [
            Manner(reduce: false), Manner(reduce: true), Manner(reduce: true, group: true),
            Manner(reduce: true, level: 1),
        ]
        var all: [any QueryParameters] = []
        for base in plain {
            for manner in manners {
                for order in QuerySortOrder.allCases {
                    var query = base
                    query.sortOrder = order
                    query.reduce = manner.reduce
                    query.group = manner.group
                    query.groupLevel = manner.level
                    all.append(query)
                }
            }
        }
        return all
    }

    private func query(
        _ base: any QueryParameters, start: UInt, limit: UInt,
        _ freshness: QueryFreshness = .current
    ) -> any QueryParameters {
        var query = base
        query.startRow = start
        query.rowLimit = limit
        query.freshness = freshness
        return query
    }

    private func rows(
        _ database: Database, _ query: any QueryParameters
    ) async throws -> [QueryResultRow] {
        try await database.runQuery(on: "i", with: query).rows
    }

    @Test func `has no rows when it passes over more than there are`() async throws {
        try await withDatabase(indexes: [Self.index]) { database async throws in
            try await database.addNumbers(0..<10)
            for base in Self.queries() {
                for size in Self.sizes {
                    for limit in [0, 1, .max] as [UInt] {
                        let query = query(base, start: size, limit: limit)
                        let place = "\(query)"
                        let answer = try await database.runQuery(on: "i", with: query)
                        // No query has more than 21 rows, all in the list with a key twice.
                        #expect(answer.count == 0, "\(place)")
                        #expect(answer.startRow == size)
                        if let offset = answer.offset, let total = answer.totalRows {
                            #expect(offset <= total, "\(place)")
                        }
                    }
                }
            }
        }
    }

    @Test func `has all rows when it takes more than there are`() async throws {
        try await withDatabase(indexes: [Self.index]) { database async throws in
            try await database.addNumbers(0..<10)
            for base in Self.queries() {
                for start in [0, 1, 3] as [UInt] {
                    let wanted = try await rows(database, query(base, start: start, limit: 0))
                    for size in Self.sizes {
                        let query = query(base, start: start, limit: size)
                        let place = "\(query)"
                        let found = try await rows(database, query)
                        #expect(found == wanted, "\(place)")
                    }
                }
            }
        }
    }

    @Test func `takes levels beyond all depth for the deepest`() async throws {
        try await withDatabase(indexes: [Self.index]) { database async throws in
            try await database.addNumbers(0..<10)
            var exact = QueryByKeyRange()
            exact.group = true
            let wanted = try await rows(database, exact)
            #expect(wanted.count == 11)
            for size in Self.sizes {
                var query = QueryByKeyRange()
                query.groupLevel = size
                let found = try await rows(database, query)
                #expect(found == wanted)
                var prefix = QueryByKeyRange(prefix: [1] as [Int], level: size)
                prefix.reduce = false
                // No key is so deep that something in it could begin with what is asked for.
                let deep = try await rows(database, prefix)
                prefix.prefixMatchLevel = 3
                let three = try await rows(database, prefix)
                #expect(deep == three)
            }
        }
    }

    @Test(arguments: [0, 1])
    func `of an index with hardly any rows is answered as well`(count: Int) async throws {
        try await withDatabase(indexes: [Self.index]) { database async throws in
            try await database.addNumbers(0..<count)
            for base in Self.queries() {
                for freshness in QueryFreshness.allCases {
                    let query = query(base, start: .max, limit: .max, freshness)
                    let place = "\(query)"
                    let found = try await rows(database, query)
                    #expect(found == [], "\(place)")
                }
            }
        }
    }
}
