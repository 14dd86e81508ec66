import Dispatch
import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `An observer` {
    private static let byN = Database.Index.keyPaths(name: "byN", keys: [["n"]])

    private struct Problem: Error, Equatable {
        let count: Int
    }

    @Test func `is called again after its handler threw`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let inbox = Inbox<Int>()
            let observer = try #require(
                database.observeQuery(on: "byN") { result in
                    defer { inbox.put(result.count) }
                    if result.count < 2 { throw Problem(count: result.count) }
                })
            #expect(await inbox.first() == 0)
            try await database.add(["n": 1])
            #expect(await inbox.first() == 1)
            try await database.add(["n": 2])
            #expect(await inbox.first() == 2)
            #expect(observer.handlerError as? Problem == Problem(count: 1))
        }
    }

    @Test func `may write what it observes and end itself`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let counts = Gathered<Int>()
            let inbox = Inbox<Void>()
            let mine = Lock<QueryObserver?>(nil)
            let begin = DispatchSemaphore(value: 0)
            let observer = database.observeQuery(on: "byN") { result in
                if counts.elements.isEmpty { begin.wait() }
                counts.add(result.count)
                if result.count < 5 {
                    database.add(["n": .some(result.count)]) { _ in }
                } else {
                    mine.withLock { $0.map { database.removeObserver($0) } }
                    inbox.put(())
                }
            }
            mine.withLock { $0 = observer }
            begin.signal()
            _ = await inbox.first()
            try await database.add(["n": 9])
            try await database.observersAreUpToDate(on: "byN")
            let result = Inbox<Int>()
            let other = database.observeQuery(on: "byN") { result.put($0.count) }
            // It is called on the same queue, behind what the one that is over would get.
            #expect(await result.first() == 6)
            #expect(counts.elements == [0, 1, 2, 3, 4, 5])
            #expect(other != nil)
            mine.withLock { $0 = nil }
        }
    }

    /// The ways in which an observation ends.
    enum End: CaseIterable { case removed, letGo, closed }
    /// What is observed.
    enum Kind: CaseIterable { case query, document, type }

    private func observe(
        _ kind: Kind, of database: Database, _ token: Token, _ inbox: Inbox<Void>,
        interval: Duration = .zero
    ) -> QueryObserver? {
        switch kind {
        case .query:
            database.observeQuery(on: "byN", interval: interval) { _ in
                token.use()
                inbox.put(())
            }
        case .document:
            database.observeDocument("a", interval: interval) { _ in
                token.use()
                inbox.put(())
            }
        case .type:
            database.observeDocuments(ofType: "note", interval: interval) { _ in
                token.use()
                inbox.put(())
            }
        }
    }

    @Test(arguments: End.allCases, Kind.allCases)
    func `frees what its handler captured when it ends`(end: End, kind: Kind) async throws {
        let (freed, called) = (Inbox<Void>(), Inbox<Void>())
        let directory = try ScratchDirectory("observer")
        let database = try await openDatabase(in: directory, indexes: [Self.byN])
        var observer = observe(kind, of: database, Token(freed), called)
        #expect(observer != nil)
        _ = await called.first()
        switch end {
        case .removed: observer.map { database.removeObserver($0) }
        case .letGo: observer = nil
        case .closed: await database.close()
        }
        // It waits for ever if the token is kept.
        _ = await freed.first()
        await database.close()
        withExtendedLifetime(observer) {}
    }

    @Test(arguments: [End.removed, .letGo])
    func `frees what its handler captured also when its interval has not passed`(end: End)
        async throws
    {
        let directory = try ScratchDirectory("observer")
        let clock = ManualClock()
        let configuration = Database.OpenDatabaseConfiguration(
            name: "test", fileLocation: directory.url, indexes: [Self.byN],
            completionQueue: DispatchQueue(label: "test"), clock: clock)
        let database = try #require(try await Database.open(with: configuration, create: true))
        let (freed, called) = (Inbox<Void>(), Inbox<Void>())
        var observer = observe(
            .query, of: database, Token(freed), called, interval: .seconds(3_600))
        _ = await called.first()
        // One looks for the commits of others, one lets the interval pass.
        await clock.sleepers(reach: 2)
        if end == .removed { observer.map { database.removeObserver($0) } }
        observer = nil
        _ = await freed.first()
        await database.close()
    }

    @Test func `may outlive its database`() async throws {
        let directory = try ScratchDirectory("observer")
        let (freed, called) = (Inbox<Void>(), Inbox<Void>())
        var database: Database? = try await openDatabase(in: directory, indexes: [Self.byN])
        let weak = Weak(database)
        let observer = database.flatMap { observe(.query, of: $0, Token(freed), called) }
        _ = await called.first()
        await database?.close()
        database = nil
        _ = await freed.first()
        while weak.isThere { await Task.yield() }
        #expect(observer?.handlerError == nil)
        // The same once more, with what was stored.
        let again = try await openDatabase(in: directory, indexes: [Self.byN])
        observer.map { again.removeObserver($0) }
        let other = observe(.query, of: again, Token(freed), called)
        _ = await called.first()
        #expect(other != nil)
        await again.close()
    }

    @Test func `cannot be had of a database that is closed`() async throws {
        let directory = try ScratchDirectory("observer")
        let database = try await openDatabase(in: directory, indexes: [Self.byN])
        await database.close()
        #expect(database.observeQuery(on: "byN") { _ in } == nil)
        #expect(database.observeDocument("a") { _ in } == nil)
        #expect(database.observeDocuments(ofType: "note") { _ in } == nil)
    }

    @Test func `is one of hundreds, and each is told of its own rows alone`() async throws {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let count = 300
            let inbox = Inbox<(Int, Int)>()
            let observers = (0..<count).map { number in
                var query = QueryByKeyRange(startKey: number, endKey: number)
                query.includeDocuments = number.isMultiple(of: 2)
                return database.observeQuery(on: "byN", with: query) { result in
                    inbox.put((number, result.count))
                }
            }
            #expect(observers.allSatisfy { $0 != nil })
            var told = Array(repeating: [Int](), count: count)
            for _ in 0..<count {
                let (number, rows) = try #require(await inbox.first())
                told[number].append(rows)
            }
            for number in stride(from: 0, to: count, by: 10) {
                try await database.add(["n": .some(number)])
                let (concerned, rows) = try #require(await inbox.first())
                told[concerned].append(rows)
            }
            for number in 0..<count {
                #expect(told[number] == (number.isMultiple(of: 10) ? [0, 1] : [0]), "\(number)")
            }
        }
    }
}

/// Whether something is still there.
private struct Weak {
    private weak var database: Database?

    init(_ database: Database?) { self.database = database }

    var isThere: Bool { database != nil }
}
