import Foundation
import Settle
import TestSupport
import Testing

/// States of observed queries that are met by chance only.
@Suite(.serialized) struct `An observed query` {
    private static let sums = Database.Index(name: "i", version: "1", builtInReduce: .stats) {
        document, addIndexRow in addIndexRow(document["n"], document["v"])
    }
    private static let rows = Database.Index(name: "i", version: "1") { document, addIndexRow in
        addIndexRow(document["n"], nil)
    }

    @Test func `of the first groups does not fail for one behind them`() async throws {
        try await withDatabase(indexes: [Self.sums]) { database async throws in
            try await database.add(["n": 1, "v": 5])
            let bad = try await database.add(["id": "bad", "n": 2, "v": "text"])
            var query = QueryByKeyRange()
            query.group = true
            query.rowLimit = 1
            var results = database.queryResults(on: "i", with: query).makeAsyncIterator()
            let first = try await results.next()
            let fresh = try await database.runQuery(on: "i", with: query)
            #expect(fresh.count == 1)
            #expect(first?.rows == fresh.rows)
            // In one commit, a group that cannot be reduced leaves the answer as it comes in.
            try await database.write { transaction in
                var moved = bad
                moved["n"] = 1
                try transaction.update(moved)
                try transaction.add(["n": 0, "v": 7])
            }
            let second = try await results.next()
            let again = try await database.runQuery(on: "i", with: query)
            #expect(second?.rows == again.rows)
        }
    }

    @Test func `has the revisions that a fresh query shows`() async throws {
        try await withDatabase(indexes: [Self.rows]) { database async throws in
            var query = QueryByKeyRange()
            query.includeDocuments = true
            let stored = try await database.add(["id": "a", "n": 1])
            var results = database.queryResults(on: "i", with: query).makeAsyncIterator()
            _ = try await results.next()
            // The same members, and another revision.
            let saved = try await database.update(stored)
            #expect(saved.metaData.revision != stored.metaData.revision)
            try await database.add(["id": "b", "n": 2])
            var last: QueryResultEnumerator?
            while last?.count != 2 { last = try await results.next() }
            let shown = try #require(last?.first?.document)
            #expect(shown.metaData.revision == saved.metaData.revision)
            var edited = shown
            edited["n"] = 3
            try await database.update(edited)
        }
    }
}
