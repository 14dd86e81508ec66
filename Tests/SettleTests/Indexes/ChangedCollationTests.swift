@testable import Settle
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `An index whose collation changed` {
    private static func index(
        version: String = "1", _ collation: Database.IndexCollation,
        atCall: @escaping @Sendable () -> Void = {}
    ) -> Database.Index {
        Database.Index(
            name: "i", version: version, collation: collation,
            map: { document, addIndexRow in
                atCall()
                addIndexRow(document["word"], nil)
            }, reduce: { _, values, _ in values.count })
    }

    private static let words = ["a", "B", "c", "D", "é", "e", "Z"]

    private func fill(_ database: Database) async throws {
        try await database.write { transaction in
            for word in Self.words { try transaction.add(["word": word]) }
        }
    }

    /// Queries of all kinds that take what is there.
    private static let queries: [any QueryParameters] = {
        var range = QueryByKeyRange(startKey: "b", endKey: "e")
        range.reduce = false
        var list = QueryByKeyList(keys: ["a", "B", "Z"])
        list.reduce = false
        var prefix = QueryByKeyRange(prefix: "e")
        prefix.reduce = false
        var all = QueryByKeyRange()
        all.reduce = false
        all.sortOrder = .descending
        var groups = QueryByKeyList(keys: ["a", "Z"])
        groups.group = true
        return [range, list, prefix, all, QueryByKeyRange(), groups]
    }()

    private func words(
        _ database: Database, _ query: any QueryParameters, _ freshness: QueryFreshness
    ) async throws -> [String?] {
        var query = query
        query.freshness = freshness
        return try await database.runQuery(on: "i", with: query).rows.map { $0.key as? String }
    }

    @Test(arguments: [
        (Database.IndexCollation.unicode, Database.IndexCollation.raw), (.raw, .unicode),
    ])
    func `has no rows rather than wrong ones until it is built`(
        before: Database.IndexCollation, after: Database.IndexCollation
    ) async throws {
        try await withDatabase { database async throws in
            try await fill(database)
            try await database.addIndex(Self.index(before))
            let gate = MapGate()
            let calls = Atomic(0)
            // The version too, or there would be nothing to tell old rows by but the collation.
            let building = Task {
                try await database.addIndex(
                    Self.index(version: "2", after) {
                        gate.pass(calls.add(1, ordering: .relaxed).newValue)
                    })
            }
            try await gate.whileHeld {
                for query in Self.queries {
                    for freshness in [QueryFreshness.stale, .staleThenUpdate] {
                        let place = "\(query)"
                        let found = try await words(database, query, freshness)
                        #expect(found == [], "\(place)")
                    }
                }
            }
            try await building.value
            try await withDatabase(indexes: [Self.index(after)]) { fresh async throws in
                try await fill(fresh)
                for query in Self.queries {
                    let wanted = try await words(fresh, query, .current)
                    let isEmpty = wanted.isEmpty
                    #expect(!isEmpty)
                    for freshness in QueryFreshness.allCases {
                        let place = "\(query)"
                        let found = try await words(database, query, freshness)
                        #expect(found == wanted, "\(place)")
                    }
                }
            }
            #expect(try await database.check() == [])
        }
    }

    @Test func `is rebuilt although its version is the same`() async throws {
        let directory = try ScratchDirectory("collation")
        try await withDatabase(in: directory, indexes: [Self.index(.unicode)]) {
            database async throws in
            try await fill(database)
            #expect(
                try await words(database, Self.queries[3], .current)
                    == ["Z", "é", "e", "D", "c", "B", "a"])
        }
        try await withDatabase(in: directory, indexes: [Self.index(.raw)]) {
            database async throws in
            #expect(
                try await words(database, Self.queries[3], .current)
                    == ["é", "e", "c", "a", "Z", "D", "B"])
            #expect(try await database.check() == [])
        }
    }
}
