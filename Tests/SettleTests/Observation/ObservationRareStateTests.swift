import Dispatch
import SettleIndexing
import Synchronization
import TestSupport
import Testing

@testable import Settle

/// States of an observation that are seldom come by.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `An observation in a rare state` {
    private struct Marker: Error {}

    private static let byN = Database.Index.keyPaths(name: "byN", keys: [["n"]])

    private static func index(_ version: String, of member: String) -> Database.Index {
        Database.Index(name: "i", version: version) { document, addIndexRow in
            addIndexRow(document[member], nil)
        }
    }

    private static func ids(_ result: QueryResultEnumerator?) -> [String]? {
        result?.rows.compactMap(\.documentId)
    }

    @Test func `is told of no failure by a round that a close breaks off`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let query = try ObservedQuery(
                QueryByKeyRange(), of: try database.indexes.entry(named: "byN"))
            let observed = ObservedIndex("byN", in: database)
            observed.add(query)
            await observed.update()
            _ = await query.list.take()
            // The first thing that a close does.
            await database.endIndexJobs()
            try await database.add(["n": 1])
            await observed.update()
            // Only the first failure in a row is delivered.
            query.list.fail(Marker())
            let state = await query.list.take()
            guard case .failure(let error)? = state else {
                Issue.record("not a failure")
                return
            }
            #expect(error is Marker, "\(error)")
        }
    }

    @Test func `sees documents apart whose identifiers only look alike`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            try await database.add(["id": "\u{E9}", "n": 1])
            var changes = database.queryChanges(on: "byN").makeAsyncIterator()
            _ = try await changes.next()
            try await database.write { transaction in
                try transaction.delete(documentWithId: "\u{E9}")
                try transaction.add(["id": "e\u{301}", "n": 2])
            }
            #expect(try await changes.next()?.changes == [.removed(old: 0), .inserted(new: 0)])
        }
    }

    @Test func `begins with what a query says beside its rows`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            for n in 0..<20 { try await database.add(["n": .some(n)]) }
            var random = SeededGenerator(seed: 5)
            for step in 0..<60 {
                var query = QueryByKeyRange()
                if Bool.random(using: &random) {
                    query.startKey = Int.random(in: -3..<23, using: &random)
                }
                if Bool.random(using: &random) {
                    query.endKey = Int.random(in: -3..<23, using: &random)
                }
                if Bool.random(using: &random) { query.sortOrder = .descending }
                query.startRow = UInt.random(in: 0..<5, using: &random)
                query.rowLimit = UInt.random(in: 0..<5, using: &random)
                let fresh = try await database.runQuery(on: "byN", with: query)
                var results = database.queryResults(on: "byN", with: query).makeAsyncIterator()
                let observed = try #require(try await results.next())
                #expect(observed.rows == fresh.rows, "step \(step)")
                #expect(observed.offset == fresh.offset, "step \(step): \(query)")
                #expect(observed.totalRows == fresh.totalRows, "step \(step): \(query)")
                #expect(observed.sequence == fresh.sequence, "step \(step)")
            }
        }
    }

    @Test func `of documents knows types by their bytes, as the feed does`() async throws {
        try await withDatabase { database async throws in
            try await database.add(["id": "a", "type": "caf\u{E9}"])
            try await database.add(["id": "b", "type": "cafe\u{301}"])
            var feed: [String] = []
            for try await element in database.changes(since: 0, ofType: "caf\u{E9}") {
                feed.append(element.change.documentId)
            }
            var results = database.documentResults(ofType: "caf\u{E9}").makeAsyncIterator()
            #expect(Self.ids(try await results.next()) == feed)
        }
    }

    @Test func `is asked again when its index was replaced by a call that was cancelled`()
        async throws
    {
        try await withDatabase(indexes: [Self.index("1", of: "n")]) { database async throws in
            for number in 0..<3 {
                try await database.add([
                    "id": .some("d\(number)"), "n": .some(number), "m": .some(-number),
                ])
            }
            var results = database.queryResults(on: "i").makeAsyncIterator()
            #expect(Self.ids(try await results.next()) == ["d0", "d1", "d2"])
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await database.addIndex(Self.index("2", of: "m"))
            }
            task.cancel()
            _ = await task.result
            let fresh = try await database.runQuery(on: "i")
            #expect(Self.ids(fresh) == ["d2", "d1", "d0"])
            #expect(Self.ids(try await results.next()) == ["d2", "d1", "d0"])
        }
    }

    @Test func `that could not be begun frees its handler when the database is closed`()
        async throws
    {
        let directory = try ScratchDirectory("observer")
        let database = try await openDatabase(in: directory, indexes: [Self.byN])
        let (freed, called) = (Inbox<Void>(), Inbox<Void>())
        var query = QueryByKeyRange()
        query.group = true
        let observer = observe(query, of: database, Token(freed), called, interval: .zero)
        _ = await called.first()
        await database.close()
        _ = await freed.first()
        withExtendedLifetime(observer) {}
    }

    private func observe(
        _ query: QueryByKeyRange, of database: Database, _ token: Token, _ called: Inbox<Void>,
        interval: Duration
    ) -> QueryObserver? {
        database.observeQuery(on: "byN", with: query, interval: interval) { _ in
            token.use()
            called.put(())
        }
    }

    @Test func `does not wait for its interval when the database is closed`() async throws {
        let directory = try ScratchDirectory("interval")
        let clock = ManualClock()
        let configuration = Database.OpenDatabaseConfiguration(
            name: "test", fileLocation: directory.url, indexes: [Self.byN],
            completionQueue: DispatchQueue(label: "test"), clock: clock)
        let database = try #require(try await Database.open(with: configuration, create: true))
        let (freed, called) = (Inbox<Void>(), Inbox<Void>())
        let observer = observe(
            QueryByKeyRange(), of: database, Token(freed), called, interval: .seconds(3_600))
        _ = await called.first()
        let reader = Task {
            var count = 0
            for try await _ in database.queryResults(on: "byN", interval: .seconds(3_600)) {
                count += 1
            }
            return count
        }
        // One looks for the commits of others, two let the interval pass.
        await clock.sleepers(reach: 3)
        await database.close()
        _ = await freed.first()
        #expect(try await reader.value == 1)
        withExtendedLifetime(observer) {}
    }

    @Test func `forgets what has changed when too much of it waits for a round`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let observed = ObservedIndex("byN", in: database)
            var seen = 0
            for base in 0..<200 as Range<UInt64> {
                let changes = RowChanges(
                    slot: 0, base: base, reached: base + 1,
                    keys: (0..<500).map { [UInt8($0 & 0xFF)] },
                    documentIDs: (0..<500).map { "d\($0)" })
                observed.add(changes, of: 1)
                #expect(observed.changedCount >= 1_001)
                #expect(observed.changedCount <= ObservedIndex.changedCountMax)
                seen = max(seen, observed.changedCount)
                // Told twice, it counts once.
                let count = observed.changedCount
                observed.add(changes, of: 1)
                #expect(observed.changedCount <= count)
            }
            #expect(seen > ObservedIndex.changedCountMax / 2)
            observed.add(RowChanges(slot: 0, base: 1, reached: 2, keys: [], documentIDs: []), of: 2)
            #expect(observed.changedCount == 1)
        }
    }
}
