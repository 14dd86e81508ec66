import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Observing a query` {
    private static let byN = Database.Index.keyPaths(name: "byN", keys: [["n"]], reduce: .count)

    private static var rows: QueryByKeyRange {
        var query = QueryByKeyRange()
        query.reduce = false
        return query
    }

    @Test func `gives the first result and then each one that differs`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let inbox = Inbox<[Int?]>()
            let observer = try #require(
                database.observeQuery(on: "byN", with: Self.rows) { result in
                    inbox.put(result.rows.map { $0.key as? Int })
                })
            #expect(await inbox.first() == [])
            try await database.add(["id": "a", "n": 1])
            #expect(await inbox.first() == [1])
            try await database.add(["id": "b", "unrelated": true])
            try await database.add(["id": "c", "n": 0])
            // The unrelated document changed nothing, so the next result is the one with 0.
            #expect(await inbox.first() == [0, 1])
            try await database.delete(documentWithId: "a")
            #expect(await inbox.first() == [0])
            database.removeObserver(observer)
            database.removeObserver(observer)
            try await database.add(["id": "d", "n": 7])
            let sentinel = try #require(
                database.observeQuery(on: "byN", with: Self.rows) { _ in inbox.put([99]) })
            #expect(await inbox.first() == [99])
            database.removeObserver(sentinel)
        }
    }

    @Test func `always delivers the last state, however fast the writes`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let inbox = Inbox<Int>()
            let observer = database.observeQuery(on: "byN") { result in
                inbox.put(result.rows.first?.value as? Int ?? 0)
            }
            #expect(observer != nil)
            await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask { try await database.add(["n": .some(number)]) }
                }
            }
            #expect(await inbox.first { $0 == 200 } == 200)
        }
    }

    @Test func `a handler may write and remove its own observer`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let inbox = Inbox<Int>()
            let mine = Lock<QueryObserver?>(nil)
            let observer = database.observeQuery(on: "byN", with: Self.rows) { result in
                inbox.put(result.count)
                if result.count == 2, let observer = mine.withLock({ $0 }) {
                    database.removeObserver(observer)
                }
                if result.count < 2 {
                    database.add(["n": .some(result.count)]) { _ in }
                }
            }
            mine.withLock { $0 = observer }
            #expect(await inbox.first { $0 == 2 } == 2)
        }
    }

    @Test func `runs again when the index is replaced`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            try await database.add(["id": "a", "n": 1, "m": 2])
            let inbox = Inbox<[Int?]>()
            let observer = database.observeQuery(on: "byN", with: Self.rows) { result in
                inbox.put(result.rows.map { $0.key as? Int })
            }
            #expect(await inbox.first() == [1])
            try await database.addIndex(
                Database.Index.keyPaths(name: "byN", keys: [["m"]], reduce: .count))
            #expect(await inbox.first() == [2])
            #expect(observer != nil)
        }
    }

    @Test func `of an index that is not there gives nil`() async throws {
        try await withDatabase { database async throws in
            #expect(database.observeQuery(on: "none") { _ in } == nil)
        }
    }

    @Test func `tells a failure once and recovers`() async throws {
        // `_stats` refuses a text, and a closure cannot be refused at mapping.
        let failing = Database.Index(
            name: "failing", version: "1", builtInReduce: .stats,
            map: { document, addIndexRow in
                addIndexRow(1, document.id == "bad" ? "text" : 1)
            })
        try await withDatabase(indexes: [failing]) { database async throws in
            let inbox = Inbox<String>()
            let observer = database.observeQuery(on: "failing") { result in
                inbox.put(result.error == nil ? "\(result.count)" : "failed")
            }
            #expect(await inbox.first() == "0")
            try await database.add(["id": "bad"])
            #expect(await inbox.first() == "failed")
            try await database.add(["id": "good"])
            try await database.delete(documentWithId: "bad")
            #expect(await inbox.first() == "1")
            #expect(observer != nil)
        }
    }
}
