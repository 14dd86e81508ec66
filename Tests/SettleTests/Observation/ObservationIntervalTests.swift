import Dispatch
import Settle
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct `The interval of an observation` {
    private static let byN = Database.Index.keyPaths(name: "byN", keys: [["n"]])

    private func withClock(_ body: (Database, ManualClock) async throws -> Void) async throws {
        let directory = try ScratchDirectory("interval")
        let clock = ManualClock()
        let configuration = Database.OpenDatabaseConfiguration(
            name: "test", fileLocation: directory.url, indexes: [Self.byN],
            completionQueue: DispatchQueue(label: "test"), clock: clock,
            foreignCommitInterval: .seconds(1_000_000))
        let database = try #require(try await Database.open(with: configuration, create: true))
        do {
            try await body(database, clock)
        } catch {
            Issue.record(error)
        }
        await database.close()
    }

    @Test func `takes commits together, and the last one is told`() async throws {
        try await withClock { database, clock in
            let inbox = Inbox<Int>()
            let observer = database.observeQuery(on: "byN", interval: .seconds(60)) { result in
                inbox.put(result.count)
            }
            #expect(observer != nil)
            #expect(await inbox.first() == 0)
            for round in 1...3 {
                // One looks for the commits of others, one lets the interval pass.
                await clock.sleepers(reach: 2)
                for number in 0..<5 { try await database.add(["n": .some(number)]) }
                try await database.observersAreUpToDate(on: "byN")
                clock.advance(by: .seconds(59))
                #expect(clock.sleeperCount == 2)
                clock.advance(by: .seconds(1))
                // Those in between never come.
                #expect(await inbox.first() == 5 * round)
            }
            // After a quiet time a commit is told of at once.
            await clock.sleepers(reach: 2)
            clock.advance(by: .seconds(60))
            try await database.add(["n": 9])
            #expect(await inbox.first() == 16)
        }
    }

    @Test func `holds for sequences, and cancelling does not wait for it`() async throws {
        try await withClock { database, clock in
            let inbox = Inbox<Int>()
            let task = Task {
                for try await result in database.queryResults(on: "byN", interval: .seconds(60)) {
                    inbox.put(result.count)
                }
                return true
            }
            #expect(await inbox.first() == 0)
            await clock.sleepers(reach: 2)
            for number in 0..<5 { try await database.add(["n": .some(number)]) }
            try await database.observersAreUpToDate(on: "byN")
            clock.advance(by: .seconds(60))
            #expect(await inbox.first() == 5)
            await clock.sleepers(reach: 2)
            task.cancel()
            #expect(try await task.value)
        }
    }

    @Test func `of one observer does not hold back others`() async throws {
        try await withClock { database, clock in
            let (slow, fast) = (Inbox<Int>(), Inbox<String>())
            let observers = [
                database.observeQuery(on: "byN", interval: .seconds(60)) { slow.put($0.count) },
                database.observeDocument("d2") { result in
                    fast.put(try result.get()?.id ?? "none")
                },
            ]
            #expect(await slow.first() == 0)
            #expect(await fast.first() == "none")
            await clock.sleepers(reach: 2)
            for number in 0..<3 {
                try await database.add(["id": .some("d\(number)"), "n": .some(number)])
            }
            #expect(await fast.first() == "d2")
            try await database.observersAreUpToDate(on: "byN")
            clock.advance(by: .seconds(60))
            #expect(await slow.first() == 3)
            #expect(observers.allSatisfy { $0 != nil })
        }
    }

    @Test func `is not needed for a slow handler to be told of the newest result alone`()
        async throws
    {
        try await withDatabase(indexes: [Self.byN]) { database async throws in
            let (begun, inbox) = (Inbox<Void>(), Inbox<Int>())
            let mayGoOn = DispatchSemaphore(value: 0)
            let observer = database.observeQuery(on: "byN") { result in
                begun.put(())
                mayGoOn.wait()
                inbox.put(result.count)
            }
            _ = await begun.first()
            for number in 0..<50 { try await database.add(["n": .some(number)]) }
            try await database.observersAreUpToDate(on: "byN")
            mayGoOn.signal()
            #expect(await inbox.first() == 0)
            _ = await begun.first()
            mayGoOn.signal()
            #expect(await inbox.first() == 50)
            #expect(observer != nil)
        }
    }
}
