import Dispatch
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `A live change feed` {
    @Test func `gives what is there and then what comes, and ends with the database`() async throws
    {
        let inbox = Inbox<String>()
        let reader = Lock<Task<UInt64, any Error>?>(nil)
        try await withDatabase { database async throws in
            try await database.add(["id": "a"])
            let task = Task {
                var last: UInt64 = 0
                for try await element in database.changes(since: 0, isLive: true) {
                    inbox.put(element.change.documentId)
                    last = element.lastSequence
                }
                return last
            }
            reader.withLock { $0 = task }
            #expect(await inbox.first() == "a")
            try await database.add(["id": "b"])
            #expect(await inbox.first() == "b")
            try await database.delete(documentWithId: "a")
            #expect(await inbox.first() == "a")
        }
        // The database was closed: the feed came to its end without an error.
        #expect(try await reader.withLock { $0 }?.value == 3)
    }

    @Test func `begins with what comes when it is told to`() async throws {
        try await withDatabase { database async throws in
            try await database.add(["id": "a"])
            let feed = database.changes(since: try database.lastSequence, isLive: true)
            try await database.add(["id": "b"])
            var iterator = feed.makeAsyncIterator()
            #expect(try await iterator.next()?.change.documentId == "b")
        }
    }

    @Test func `ends when its task is cancelled while it waits, and keeps its place`() async throws
    {
        try await withDatabase { database async throws in
            try await database.add(["id": "a"])
            let inbox = Inbox<UInt64>()
            let task = Task {
                var iterator = database.changes(since: 0, isLive: true).makeAsyncIterator()
                while let element = try await iterator.next() { inbox.put(element.lastSequence) }
                return iterator.lastSequence
            }
            #expect(await inbox.first() == 1)
            task.cancel()
            #expect(try await task.value == 1)
            try await database.add(["id": "b"])
            let found = try await all(database.changes(since: 1))
            #expect(found.map(\.change.documentId) == ["b"])
        }
    }

    @Test func `gives a slow reader the newest state of what changed meanwhile`() async throws {
        try await withDatabase { database async throws in
            var iterator = database.changes(since: 0, isLive: true, includesDocuments: true)
                .makeAsyncIterator()
            try await database.add(["id": "a", "n": 0])
            #expect(try await iterator.next()?.document?["n"] as? Int == 0)
            for number in 1...50 { try await database.save(["id": "a", "n": .some(number)]) }
            let next = try await iterator.next()
            #expect(next?.document?["n"] as? Int == 50 && next?.change.sequence == 51)
        }
    }

    @Test func `runs hundreds of times at once`() async throws {
        try await withDatabase { database async throws in
            let (feedCount, documentCount) = (300, 40)
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<feedCount {
                    group.addTask {
                        var seen: [String: UInt64] = [:]
                        for try await element in database.changes(since: 0, isLive: true) {
                            seen[element.change.documentId] = element.change.sequence
                            if seen.count == documentCount { break }
                        }
                        return seen.sorted { $0.value < $1.value }.map(\.key)
                    }
                }
                for number in 0..<documentCount {
                    try await database.add(["id": .some("d\(number)")])
                }
                let wanted = (0..<documentCount).map { "d\($0)" }
                var finished = 0
                for try await seen in group {
                    #expect(seen == wanted)
                    finished += 1
                }
                #expect(finished == feedCount)
            }
        }
    }

    @Test func `of a database that may only be read waits and ends`() async throws {
        let directory = try ScratchDirectory("feed")
        let name = "test"
        let writing = Database.OpenDatabaseConfiguration(name: name, fileLocation: directory.url)
        let filled = try #require(try await Database.open(with: writing, create: true))
        try await filled.add(["id": "a"])
        await filled.close()
        let clock = ManualClock()
        let reading = Database.OpenDatabaseConfiguration(
            name: name, fileLocation: directory.url, clock: clock, isReadOnly: true)
        let database = try #require(try await Database.open(with: reading))
        let task = Task {
            var count = 0
            for try await _ in database.changes(since: 0, isLive: true) { count += 1 }
            return count
        }
        await clock.sleepers(reach: 1)
        await database.close()
        #expect(try await task.value == 1)
    }
}

@Suite(.serialized) struct `Looking for commits of other processes` {
    private func withClock(
        _ body: (Database, ManualClock) async throws -> Void
    ) async throws {
        let directory = try ScratchDirectory("signal")
        let clock = ManualClock()
        let configuration = Database.OpenDatabaseConfiguration(
            name: "test", fileLocation: directory.url,
            completionQueue: DispatchQueue(label: "test"), clock: clock,
            foreignCommitInterval: .seconds(5))
        let database = try #require(try await Database.open(with: configuration, create: true))
        do {
            try await body(database, clock)
        } catch {
            Issue.record(error)
        }
        await database.close()
    }

    @Test func `happens while somebody waits, and no longer`() async throws {
        try await withClock { database, clock in
            try await database.add(["id": "a"])
            _ = try await all(database.changes(since: 0))
            #expect(clock.sleeperCount == 0)
            let task = Task {
                for try await _ in database.changes(since: 1, isLive: true) {}
            }
            await clock.sleepers(reach: 1)
            clock.advance(by: .seconds(5))
            await clock.sleepers(reach: 1)
            task.cancel()
            try await task.value
            clock.advance(by: .seconds(5))
            // Somebody who comes later begins it anew: two watches would be two sleepers.
            let other = Task {
                for try await _ in database.changes(since: 1, isLive: true) {}
            }
            await clock.sleepers(reach: 1)
            #expect(clock.sleeperCount == 1)
            other.cancel()
            try await other.value
        }
    }

    @Test func `is not what own commits wait for`() async throws {
        try await withClock { database, clock in
            let inbox = Inbox<String>()
            let task = Task {
                for try await element in database.changes(since: 0, isLive: true) {
                    inbox.put(element.change.documentId)
                }
            }
            await clock.sleepers(reach: 1)
            // The clock stands still, so nothing but the commit itself can wake the feed.
            try await database.add(["id": "a"])
            #expect(await inbox.first() == "a")
            try await database.add(["id": "b"])
            #expect(await inbox.first() == "b")
            task.cancel()
            try await task.value
        }
    }
}
