import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Observed queries as sequences` {
    private static let byN = Database.Index.keyPaths(
        name: "byN", keys: [["n"]], value: ["v"], reduce: .count)

    private static var rows: QueryByKeyRange {
        var query = QueryByKeyRange()
        query.reduce = false
        return query
    }

    private static func keys(_ result: QueryResultEnumerator?) -> [Int]? {
        result?.rows.compactMap { $0.key as? Int }
    }

    @Test func `give the first result and each later one`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let results = database.queryResults(on: "byN", with: Self.rows)
            try await database.add(["id": "a", "n": 1])
            var iterator = results.makeAsyncIterator()
            let first = try await iterator.next()
            #expect(Self.keys(first) == [1])
            #expect(first?.totalRows == 1 && first?.offset == 0 && first?.sequence == 1)
            try await database.add(["id": "b", "n": 0])
            let second = try await iterator.next()
            #expect(Self.keys(second) == [0, 1])
            #expect(second?.totalRows == 2 && second?.sequence == 2)
            try await database.delete(documentWithId: "a")
            #expect(Self.keys(try await iterator.next()) == [0])
            // What was given before stays as it was.
            #expect(Self.keys(second) == [0, 1])
        }
    }

    @Test func `give every iteration results of its own`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let results = database.queryResults(on: "byN", with: Self.rows)
            var (one, other) = (results.makeAsyncIterator(), results.makeAsyncIterator())
            #expect(Self.keys(try await one.next()) == [])
            try await database.add(["n": 1])
            #expect(Self.keys(try await other.next()) == [1])
            #expect(Self.keys(try await one.next()) == [1])
            try await database.add(["n": 2])
            #expect(Self.keys(try await other.next()) == [1, 2])
            #expect(Self.keys(try await one.next()) == [1, 2])
        }
    }

    @Test func `give a slow reader the newest result alone`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            var results = database.queryResults(on: "byN", with: Self.rows).makeAsyncIterator()
            var changes = database.queryChanges(on: "byN", with: Self.rows).makeAsyncIterator()
            #expect(Self.keys(try await results.next()) == [])
            #expect(try await changes.next()?.isFirst == true)
            for number in 0..<30 { try await database.add(["n": .some(number)]) }
            try await database.observersAreUpToDate(on: "byN")
            #expect(Self.keys(try await results.next()) == Array(0..<30))
            let step = try await changes.next()
            #expect(step?.changes == (0..<30).map { .inserted(new: $0) })
            try await database.add(["n": 30])
            #expect(Self.keys(try await results.next()) == Array(0...30))
            #expect(try await changes.next()?.changes == [.inserted(new: 30)])
        }
    }

    @Test func `do not give a slow reader the result again that it has`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            try await database.add(["id": "a", "n": 1])
            let inbox = Inbox<[Int]>()
            let asks = Inbox<Void>()
            let reader = Task {
                var results = database.queryResults(on: "byN", with: Self.rows)
                    .makeAsyncIterator()
                for _ in 0..<2 {
                    inbox.put(Self.keys(try await results.next()) ?? [])
                    _ = await asks.first()
                }
            }
            #expect(await inbox.first() == [1])
            // There and back again while nobody asks.
            try await database.save(["id": "a", "n": 2])
            try await database.observersAreUpToDate(on: "byN")
            try await database.save(["id": "a", "n": 1])
            try await database.observersAreUpToDate(on: "byN")
            asks.put(())
            // Lets the reader come so far that it waits.
            for _ in 0..<1_000 { await Task.yield() }
            try await database.save(["id": "a", "n": 3])
            #expect(await inbox.first() == [3])
            asks.put(())
            try await reader.value
        }
    }

    @Test func `tell what became of rows and where`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            for (id, number) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
                try await database.add(["id": .some(id), "n": .some(number), "v": 0])
            }
            var changes = database.queryChanges(on: "byN", with: Self.rows).makeAsyncIterator()
            let first = try #require(try await changes.next())
            #expect(first.isFirst && first.changes == [] && first.result.count == 4)
            try await database.write { transaction in
                try transaction.delete(documentWithId: "b")
                try transaction.add(["id": "e", "n": 0, "v": 0])
                try transaction.save(["id": "c", "n": 3, "v": 1])
                try transaction.save(["id": "a", "n": 9, "v": 0])
            }
            let step = try #require(try await changes.next())
            #expect(
                step.changes == [
                    .removed(old: 1), .inserted(new: 0), .updated(old: 2, new: 1),
                    .moved(old: 0, new: 3),
                ])
            #expect(step.result.rows.compactMap(\.documentId) == ["e", "c", "d", "a"])
            #expect(step.result.sequence == 8 && !step.isFirst)
        }
    }

    @Test func `show a window that slides`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            for number in 0..<200 {
                try await database.add(["id": .some("d\(1_000 + number)"), "n": .some(number)])
            }
            var query = Self.rows
            query.startRow = 2
            query.rowLimit = 3
            query.sortOrder = .descending
            var changes = database.queryChanges(on: "byN", with: query).makeAsyncIterator()
            let first = try #require(try await changes.next())
            #expect(Self.keys(first.result) == [197, 196, 195])
            #expect(first.result.startRow == 2 && first.result.offset == 2)
            try await database.add(["n": 500])
            let step = try #require(try await changes.next())
            #expect(Self.keys(step.result) == [198, 197, 196])
            #expect(step.changes == [.removed(old: 2), .inserted(new: 0)])
        }
    }

    @Test func `end when their task is cancelled`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let inbox = Inbox<Int>()
            let task = Task {
                var steps = 0
                for try await result in database.queryResults(on: "byN", with: Self.rows) {
                    steps += 1
                    inbox.put(result.count)
                }
                return steps
            }
            #expect(await inbox.first() == 0)
            task.cancel()
            #expect(try await task.value == 1)
            let never = Task {
                for try await _ in database.queryChanges(on: "byN") { return true }
                return false
            }
            never.cancel()
            _ = try await never.value
        }
    }

    @Test func `end when the database is closed, and then fail to begin`() async throws {
        let results = Lock<QueryResults?>(nil)
        let readers = Lock<[Task<Int, any Error>]>([])
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let inbox = Inbox<Int>()
            results.withLock { $0 = database.queryResults(on: "byN", with: Self.rows) }
            let tasks = [
                Task {
                    var steps = 0
                    for try await _ in database.queryResults(on: "byN") {
                        inbox.put(0)
                        steps += 1
                    }
                    return steps
                },
                Task {
                    var steps = 0
                    for try await _ in database.documentStates(of: "a") {
                        inbox.put(1)
                        steps += 1
                    }
                    return steps
                },
            ]
            readers.withLock { $0 = tasks }
            _ = await inbox.first()
            _ = await inbox.first()
        }
        for reader in readers.withLock({ $0 }) { #expect(try await reader.value == 1) }
        let late = try #require(results.withLock { $0 })
        let error = await #expect(throws: DatabaseError.self) {
            for try await _ in late {}
        }
        #expect(error?.code == .databaseClosed)
    }

    @Test func `fail when there is no such index, or the question contradicts itself`()
        async throws
    {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let missing = await #expect(throws: DatabaseError.self) {
                for try await _ in database.queryResults(on: "none") {}
            }
            #expect(missing?.code == .indexNotFound)
            var query = QueryByKeyRange()
            query.includeDocuments = true
            let contradiction = await #expect(throws: DatabaseError.self) {
                for try await _ in database.queryChanges(on: "byN", with: query) {}
            }
            #expect(contradiction?.code == .unsupportedQuery)
            let inbox = Inbox<DatabaseError.Code?>()
            let observer = database.observeQuery(on: "byN", with: query) { result in
                inbox.put((result.error as? DatabaseError)?.code)
            }
            #expect(await inbox.first() == .unsupportedQuery)
            #expect(observer != nil)
            // An iteration that has failed is over.
            var iterator = database.queryResults(on: "none").makeAsyncIterator()
            _ = try? await iterator.next()
            #expect(try await iterator.next() == nil)
        }
    }
}
