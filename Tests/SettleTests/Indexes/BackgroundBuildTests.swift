import Dispatch
@testable import Settle
import SettleIndexing
import TestSupport
import Testing

@Suite(.serialized) struct `Building an index in the background` {
    private static func once(_ numbers: Range<Int>) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: numbers.map { (Database.numbered($0).id, 1) })
    }

    @Test func `begins when the database is opened, without any query`() async throws {
        let directory = try ScratchDirectory("background")
        try await withDatabase(in: directory) { try await $0.addNumbers(0..<500) }
        let calls = MapCalls()
        try await withDatabase(in: directory, indexes: [calls.index()]) { database async throws in
            try await database.indexIsCurrent("i")
            #expect(calls.byDocument == Self.once(0..<500))
            #expect(try await database.keys(of: "i", .stale) == Array(0..<500))
        }
        calls.reset()
        try await withDatabase(in: directory, indexes: [calls.index()]) { database async throws in
            #expect(try await database.keys(of: "i") == Array(0..<500))
            #expect(calls.total == 0)
        }
    }

    @Test func `is joined by queries, and each document is mapped once`() async throws {
        let directory = try ScratchDirectory("background")
        try await withDatabase(in: directory) { try await $0.addNumbers(0..<500) }
        let calls = MapCalls()
        let hasBegun = Inbox<Void>()
        let mayGoOn = DispatchSemaphore(value: 0)
        let index = calls.index { call in
            guard call == 1 else { return }
            hasBegun.put(())
            mayGoOn.wait()
        }
        try await withDatabase(in: directory, indexes: [index]) { database async throws in
            _ = await hasBegun.first()
            #expect(try !database.indexStatus(named: "i").isBuilt)
            let answers = (0..<4).map { _ in Task { try await database.keys(of: "i") } }
            let built = Task { try await database.buildIndex(named: "i") }
            mayGoOn.signal()
            for answer in answers { #expect(try await answer.value == Array(0..<500)) }
            try await built.value
            #expect(calls.byDocument == Self.once(0..<500))
        }
    }

    @Test func `goes on when those who wait for it give up`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<200)
            let (calls, gate) = (MapCalls(), MapGate())
            let adding = Task {
                try await database.addIndex(calls.index { gate.pass($0) })
            }
            try await gate.whileHeld { () async throws in
                let waiting = Task { try await database.buildIndex(named: "i") }
                adding.cancel()
                waiting.cancel()
            }
            #expect(try await database.keys(of: "i") == Array(0..<200))
            #expect(calls.byDocument == Self.once(0..<200))
        }
    }

    @Test func `goes on where it was when the database was closed in its midst`() async throws {
        let directory = try ScratchDirectory("background")
        let calls = MapCalls()
        try await withDatabase(in: directory) { database async throws in
            try await database.addNumbers(0..<1_000)
            database.takeSmallSteps()
            // What closing does first, at a moment that is known.
            let index = calls.index { if $0 == 500 { database.indexEngine.breakOff() } }
            await #expect(throws: (any Error).self) { try await database.addIndex(index) }
            #expect(try !database.indexStatus(named: "i").isBuilt)
        }
        #expect((500..<600).contains(calls.total), "\(calls.total) calls")
        calls.reset()
        try await withDatabase(in: directory, indexes: [calls.index()]) { database async throws in
            #expect(try await database.keys(of: "i") == Array(0..<1_000))
            #expect((400...600).contains(calls.total), "\(calls.total) calls")
            #expect(calls.byDocument.values.allSatisfy { $0 == 1 })
            #expect(try await database.check() == [])
        }
    }

    @Test func `catches up with what is changed meanwhile`() async throws {
        try await withDatabase { database async throws in
            try await database.addNumbers(0..<300)
            database.takeSmallSteps()
            let (calls, hasBegun) = (MapCalls(), Inbox<Int>())
            let mayGoOn = DispatchSemaphore(value: 0)
            let index = calls.index { call in
                guard call == 150 else { return }
                hasBegun.put(call)
                mayGoOn.wait()
            }
            let building = Task { try await database.addIndex(index) }
            _ = await hasBegun.first()
            try await database.write { transaction in
                // One that was mapped, one that was not, a new one before and one after.
                try transaction.delete(documentWithId: "10000")
                try transaction.save(["id": "10001", "n": 900])
                try transaction.delete(documentWithId: "10299")
                try transaction.save(["id": "0", "n": 901])
                try transaction.save(["id": "2", "n": 902])
            }
            mayGoOn.signal()
            try await building.value
            #expect(
                try await database.keys(of: "i", .stale) == Array(2..<299) + [900, 901, 902])
            #expect(try await database.check() == [])
        }
    }
}
