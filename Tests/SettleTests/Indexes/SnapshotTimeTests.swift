import Dispatch
import SettlePrimitives
@testable import Settle
import SettleIndexing
import Synchronization
import TestSupport
import Testing

/// A snapshot is seen by what is in it: while it is held, a change that was committed is not there.
@Suite(.serialized) struct `A slow map function` {
    /// Counts what was mapped of documents as they were before a change, and as they are after it.
    private final class Stages: Sendable {
        private let counts = Lock<[Int: Int]>([:])

        func note(_ stage: Int) { counts.withLock { $0[stage, default: 0] += 1 } }
        subscript(stage: Int) -> Int { counts.withLock { $0[stage] ?? 0 } }
    }

    /// An index that stops once, when it has mapped a document.
    private static func index(
        _ stages: Stages, after callCount: Int, _ hasBegun: Inbox<Void>,
        _ mayGoOn: DispatchSemaphore
    ) -> Database.Index {
        let calls = Atomic(0)
        return Database.Index(name: "i", version: "1") { document, addIndexRow in
            stages.note(document["stage"] as? Int ?? -1)
            if calls.add(1, ordering: .relaxed).newValue == callCount {
                hasBegun.put(())
                mayGoOn.wait()
            }
            addIndexRow(document["stage"], nil)
        }
    }

    private func save(
        _ numbers: Range<Int>, stage: Int, in database: Database
    ) async throws {
        try await database.write { transaction in
            for number in numbers {
                try transaction.save(
                    ["id": "\(10_000 + number)", "stage": stage])
            }
        }
    }

    private func hold(_ duration: Duration, in database: Database) {
        database.indexEngine.pace.withLock { pace in
            pace.snapshotDuration = duration
            pace.workerCount = 1
        }
    }

    @Test(arguments: [true, false])
    func `keeps no snapshot for the length of a build`(isBounded: Bool) async throws {
        try await withDatabase { database async throws in
            hold(isBounded ? .zero : .seconds(3_600), in: database)
            try await save(0..<1_000, stage: 1, in: database)
            let stages = Stages()
            let (hasBegun, mayGoOn) = (Inbox<Void>(), DispatchSemaphore(value: 0))
            let building = Task {
                try await database.addIndex(Self.index(stages, after: 1, hasBegun, mayGoOn))
            }
            _ = await hasBegun.first()
            // All in one range, of which the first document is in hand.
            try await save(0..<1_000, stage: 2, in: database)
            mayGoOn.signal()
            try await building.value
            if isBounded {
                #expect((1...32).contains(stages[1]), "\(stages[1]) in the first snapshot")
            } else {
                // So the stages do tell of snapshots.
                #expect(stages[1] == 1_000)
            }
            #expect(try await database.keys(of: "i") == Array(repeating: 2, count: 1_000))
            #expect(try await database.check() == [])
        }
    }

    @Test(arguments: [true, false])
    func `keeps no snapshot for as long as it takes to catch up`(isBounded: Bool) async throws {
        try await withDatabase { database async throws in
            hold(isBounded ? .zero : .seconds(3_600), in: database)
            let stages = Stages()
            let (hasBegun, mayGoOn) = (Inbox<Void>(), DispatchSemaphore(value: 0))
            try await database.addIndex(Self.index(stages, after: 1, hasBegun, mayGoOn))
            try await save(0..<1_000, stage: 1, in: database)
            let query = Task { try await database.keys(of: "i") }
            _ = await hasBegun.first()
            try await save(0..<1_000, stage: 2, in: database)
            mayGoOn.signal()
            // With one snapshot for all, it is as of the moment at which it was asked.
            let stage = isBounded ? 2 : 1
            #expect(try await query.value == Array(repeating: stage, count: 1_000))
            if isBounded {
                #expect((1...128).contains(stages[1]), "\(stages[1]) in the first snapshot")
            } else {
                #expect(stages[1] == 1_000)
            }
            #expect(try await database.check() == [])
        }
    }

    @Test func `in a build is called for few documents more when it is broken off`()
        async throws
    {
        try await withDatabase { database async throws in
            hold(.seconds(3_600), in: database)
            try await database.addNumbers(0..<3_000)
            let calls = MapCalls()
            let index = calls.index { if $0 == 100 { database.indexEngine.breakOff() } }
            await #expect(throws: DatabaseError.self) { try await database.addIndex(index) }
            // One range, one snapshot: only the map itself can have stopped.
            #expect((100...132).contains(calls.total), "\(calls.total) calls")
        }
    }

    @Test func `that catches up is not called any more when it is broken off`() async throws {
        try await withDatabase { database async throws in
            hold(.seconds(3_600), in: database)
            let calls = MapCalls()
            try await database.addIndex(
                calls.index { if $0 == 100 { database.indexEngine.breakOff() } })
            try await database.addNumbers(0..<1_000)
            await #expect(throws: DatabaseError.self) { try await database.keys(of: "i") }
            #expect(calls.total == 100)
        }
    }
}
