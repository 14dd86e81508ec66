import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Holding operations back` {
    @Test func `an operation starts when the latest date of all reasons has come`() async throws {
        let queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        let now = queue.date.value
        let held = try await queue.add("held")
        let other = try await queue.add("other")
        try await queue.outbox.write { queue in
            try queue.hold(held, until: now + 10, context: "wifi")
            try queue.hold(held, until: now + 30, context: "login")
            try queue.hold(held, until: now + 20, context: "night")
        }
        var found = try #require(try queue.operation(held))
        #expect(found.holdDate == now + 30)
        var started = try await queue.start()
        #expect(started == [other])
        queue.date.advance(by: 29.999)
        started = try await queue.start()
        #expect(started.isEmpty)
        // A later reason that is taken back leaves the others.
        try await queue.outbox.write { try $0.hold(held, until: now + 99, context: "wifi") }
        try await queue.outbox.write { try $0.hold(held, until: nil, context: "wifi") }
        found = try #require(try queue.operation(held))
        #expect(found.holds == ["login": now + 30, "night": now + 20])
        queue.date.advance(by: 0.001)
        started = try await queue.start()
        #expect(started == [held])
    }

    @Test func `a reason has one date, and may come earlier or later`() async throws {
        let queue = try await QueueFixture()
        let now = queue.date.value
        let id = try await queue.add("one")
        for delay in [50.0, 5, 20] {
            try await queue.outbox.write { try $0.hold(id, until: now + delay, context: "a") }
        }
        let lists = try queue.lists()
        #expect(lists.held == [id] && lists.ready.isEmpty)
        queue.date.advance(by: 20)
        let started = try await queue.start()
        #expect(started == [id])
    }

    @Test func `holds are let go together, and outlast a restart`() async throws {
        var queue = try await QueueFixture()
        let id = try await queue.add("one")
        try await queue.outbox.write { queue in
            try queue.hold(id, until: .distantFuture, context: "a")
            try queue.hold(id, until: .distantFuture, context: "b")
        }
        queue = try await queue.reopened()
        var started = try await queue.start()
        #expect(started.isEmpty)
        try await queue.outbox.write { try $0.releaseHolds(id) }
        started = try await queue.start()
        #expect(started == [id])
    }

    @Test func `held ones hold their graph, and those that depend on them`() async throws {
        let queue = try await QueueFixture()
        let now = queue.date.value
        let ids = try await queue.outbox.write { queue in
            let first = try queue.add(Errand())
            return [first, try queue.add(Errand(), dependencies: [first])]
        }
        let later = try await queue.add("later")
        try await queue.outbox.write { try $0.hold(ids[0], until: now + 5, context: "a") }
        var started = try await queue.start()
        #expect(started.isEmpty)
        queue.date.advance(by: 5)
        for id in ids + [later] {
            started = try await queue.start()
            #expect(started == [id])
            try await queue.complete(id)
        }
    }

    @Test func `a hold that ends while the operation waits for others does not matter`()
        async throws
    {
        let queue = try await QueueFixture()
        let now = queue.date.value
        let first = try await queue.add("first")
        let second = try await queue.add("second")
        try await queue.outbox.write { try $0.hold(second, until: now + 5, context: "a") }
        queue.date.advance(by: 10)
        try await queue.start()
        try await queue.complete(first)
        let lists = try queue.lists()
        #expect(lists == QueueLists(ready: [second]))
    }

    @Test func `dates of any kind can be held until`() async throws {
        let queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        let dates: [Date] = [
            .distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity),
            Date(timeIntervalSince1970: -1), Date(timeIntervalSince1970: 6_000_000_000.123_456_7),
        ]
        for date in dates {
            let id = try await queue.add("one")
            try await queue.outbox.write { try $0.hold(id, until: date, context: "a") }
            let lists = try queue.lists()
            #expect(date > queue.date.value ? lists.held == [id] : lists.ready == [id], "\(date)")
            // Found again in its list.
            try await queue.complete(id)
            let rowCount = try queue.rowCount()
            #expect(rowCount == 0, "\(date)")
        }
    }

    @Test func `one that is given back waits as long as it is told`() async throws {
        let queue = try await QueueFixture()
        let id = try await queue.add("one")
        try await queue.start()
        try await queue.outbox.write { try $0.giveBack(id, after: 60) }
        let found = try #require(try queue.operation(id))
        #expect(found.status == .pending)
        #expect(found.holds == [Outbox.retryContext: queue.date.value + 60])
        var started = try await queue.start()
        #expect(started.isEmpty)
        queue.date.advance(by: 60)
        started = try await queue.start()
        #expect(started == [id])
        try await queue.outbox.write { try $0.giveBack(id) }
        let again = try #require(try queue.operation(id))
        #expect(again.holds.isEmpty && again.startCount == 2)
    }
}
