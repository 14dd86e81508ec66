import Foundation
import Settle
import SettleOData
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

@Suite struct `Work that is done at once` {
    private struct Failure: Error {}

    @Test func `is done where a turn is free, and nowhere else`() throws {
        let turns = WorkTurns(count: 1)
        let sender = SenderKey.subject("ann")
        #expect(try turns.performNow(for: sender) { _ in 1 } == 1)
        let inside = try turns.perform(for: sender) { _ in
            try turns.performNow(for: sender) { _ in 2 }
        }
        #expect(inside == nil)
        #expect(throws: Failure.self) {
            try turns.performNow(for: sender) { _ in throw Failure() }
        }
        // The turn is free again.
        #expect(try turns.performNow(for: sender) { _ in 3 } == 3)
    }

    @Test func `is given up at the end of its slice, and before many bytes`() throws {
        let start = ContinuousClock.now
        let time = Mutex(start)
        let turns = WorkTurns(count: 1, now: { time.withLock { $0 } })
        let sender = SenderKey.subject("ann")
        let done = Mutex(0)
        let work = { (turn: WorkTurn) throws -> Int in
            while true {
                try turn.check()
                done.withLock { $0 += 1 }
                time.withLock { $0 += .microseconds(300) }
            }
        }
        #expect(try turns.performNow(for: sender, work) == nil)
        #expect(done.withLock { $0 } == 4)
        #expect(
            try turns.performNow(for: sender) { turn in
                try turn.check(before: 64 << 10)
                return 1
            } == 1)
        #expect(
            try turns.performNow(for: sender) { turn in
                try turn.check(before: (64 << 10) + 1)
                return 1
            } == nil)
        // Long work goes on.
        try turns.perform(for: sender) { try $0.check(before: .max) }
    }

    @Test func `is a page of few rows in the order of time or of identifiers`() async throws {
        try await withScratchDirectory("server") { scratch in
            // Its slices never end, however busy the machine is.
            let start = ContinuousClock.now
            let turns = WorkTurns(count: 1, now: { start })
            let store = try LMDBTableStore(
                directory: scratch.url, tableCountMax: 1, indexes: nil, durability: .relaxed,
                turns: turns)
            let stored = try #require(
                try await store.table(try TableName("t"), isCreated: true))
            #expect((stored as? LMDBTable)?.database.configuration.durability == .relaxed)
            let table = HostedTable(stored: stored)
            let clock = StepClock()
            for number in 0..<7 {
                _ = try await table.perform(
                    ItemWrite(
                        operation: .insert(members: ["n": .integer(Int64(number))]),
                        id: "r\(6 - number)"), by: .unlimited, now: clock.date)
            }
            func now(_ request: PageRequest) throws -> CollectedPage<[TableItem]>? {
                try table.pageNow(request, for: .unlimited, into: [])
            }
            let span = "updatedAt gt datetimeoffset'1970-01-01T00:00:00.000Z'"
            for (filter, order, top) in [
                (nil, "id", 3), (nil, "updatedAt", 3), (span, "updatedAt", 100), (span, "id", 2),
            ] {
                var request = PageRequest(top: top)
                request.filter = try filter.map { try ODataParser.filter($0) }
                request.order = try ODataParser.order(order)
                let page = try #require(try now(request))
                let long = try await table.page(request, for: .unlimited)
                #expect(page.sink == long.items)
                #expect(page.end == long.end)
                // A long read comes first.
                let inside = try turns.perform(for: .subject("bob")) { _ in
                    try now(request)?.itemCount
                }
                #expect(inside == nil)
            }
            for (filter, order, top, isCounted) in [
                ("n eq 1", "id", 3, false), (nil, "n", 3, false), (nil, "id", 101, false),
                (nil, "id", 3, true),
            ] {
                var request = PageRequest(top: top)
                request.filter = try filter.map { try ODataParser.filter($0) }
                request.order = try ODataParser.order(order)
                request.isCounted = isCounted
                #expect(try now(request) == nil)
            }
            let text = String(repeating: "x", count: 70_000)
            _ = try await table.perform(
                ItemWrite(operation: .insert(members: ["s": .string(text)]), id: "s"),
                by: .unlimited, now: clock.date)
            var request = PageRequest(top: 8)
            #expect(try now(request) == nil)
            request.top = 6
            #expect(try now(request)?.itemCount == 6)
            await store.close()
        }
    }
}
