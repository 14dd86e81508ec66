import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

@Suite(.serialized) struct `What becomes of an operation` {
    private let fixture: PipelineFixture
    private var time: ManualTime { fixture.time }
    private var bench: OutboxBench { fixture.bench }
    private var hand: Hand { fixture.bench.hand }

    init() async throws { fixture = try await PipelineFixture() }

    private func end(_ outbox: Outbox) async { await fixture.end(outbox) }

    @Test func `tries again at once when the waits after failures are ended`() async throws {
        struct Offline: Error {}
        let outbox = try await bench.open()
        var failures = outbox.failures.makeAsyncIterator()
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        await hand.wait(forStarts: 1)
        hand.end(id, throwing: Offline())
        _ = await failures.next()
        let count = try await outbox.write {
            try $0.releaseHolds(context: Outbox.retryContext)
        }
        #expect(count == 1)
        await hand.wait(forStarts: 2)
        #expect(hand.started.last?.holds == [:])
        await end(outbox)
    }

    @Test func `starts what an outcome inserts into the graph before the next graph`()
        async throws
    {
        let outbox = try await bench.open()
        let first = try await outbox.write { try $0.add(Step(title: "first")) }
        try await outbox.write { try $0.add(Step(title: "next graph")) }
        await hand.wait(forStarts: 1)
        hand.end(
            first,
            .completed { transaction in
                try transaction.outbox.insert(Step(title: "follow-up"), intoGraphOf: first)
            })
        await hand.wait(forStarts: 2)
        #expect(try hand.titles() == ["first", "follow-up"])
        hand.end(hand.started[1].id)
        await hand.wait(forStarts: 3)
        #expect(try hand.titles().last == "next graph")
        await end(outbox)
    }

    @Test func `tries again what has failed, later and later, and tells of it`() async throws {
        struct Refused: Error {}
        let outbox = try await bench.open([
            bench.pipeline(retries: RetryPolicy(first: 10, longest: 15))
        ])
        var failures = outbox.failures.makeAsyncIterator()
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        for count in 1...3 {
            await hand.wait(forStarts: count)
            #expect(hand.started.last?.startCount == count)
            hand.end(id, throwing: Refused())
            let failure = try #require(await failures.next())
            #expect(failure.operationId == id)
            #expect(failure.error is Refused)
            let wait = try #require(failure.retryDate).timeIntervalSince(time.now)
            #expect((count == 1 ? 5...10 : 7.5...15).contains(wait))
            // The timer, and the look for commits of others.
            await time.clock.sleepers(reach: 2)
            time.clock.advance(by: .seconds(16))
        }
        await hand.wait(forStarts: 4)
        await end(outbox)
    }

    @Test func `keeps why it failed last, over retries, changes and restarts, until it is done`()
        async throws
    {
        struct Refused: Error, CustomStringConvertible {
            let description: String
        }
        var outbox = try await bench.open([
            bench.pipeline(retries: RetryPolicy(first: 10, longest: 15))
        ])
        var failures = outbox.failures.makeAsyncIterator()
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        func failure() throws -> OperationFault? {
            try bench.database.read { try OutboxSnapshot(in: $0).operation(id)?.lastFailure }
        }
        await hand.wait(forStarts: 1)
        #expect(try failure() == nil)
        hand.end(id, throwing: Refused(description: "no"))
        _ = await failures.next()
        let first = try #require(try failure())
        #expect(first.message == "no" && abs(first.date.timeIntervalSince(time.now)) < 0.001)
        try await outbox.write { try $0.modify(id) { $0.priority = 3 } }
        #expect(try failure()?.message == "no")
        await outbox.close()
        outbox = try await bench.open()
        failures = outbox.failures.makeAsyncIterator()
        _ = try await outbox.write { try $0.releaseHolds() }
        await hand.wait(forStarts: 2)
        #expect(hand.started.last?.lastFailure?.message == "no")
        // An outcome that the delegate answers is no failure, and one that is long is cut.
        hand.end(id, .retry())
        await hand.wait(forStarts: 3)
        #expect(try failure()?.message == "no")
        hand.end(id, throwing: Refused(description: String(repeating: "é", count: 1_000)))
        _ = await failures.next()
        #expect(try failure()?.message == String(repeating: "é", count: 300))
        _ = try await outbox.write { try $0.skip(id) }
        #expect(try failure() == nil)
        await end(outbox)
    }

    @Test func `gives back what is to be tried again, merged or held as its outcome says`()
        async throws
    {
        let outbox = try await bench.open()
        let id = try await outbox.write { try $0.add(Step(title: "mine")) }
        await hand.wait(forStarts: 1)
        hand.end(
            id,
            .retry { transaction in
                try outbox.with(transaction).modify(id) { try $0.set(Step(title: "merged")) }
            })
        await hand.wait(forStarts: 2)
        #expect(try hand.titles() == ["mine", "merged"])
        hand.end(id, .held(until: time.now.addingTimeInterval(60), context: "quota"))
        await time.clock.sleepers(reach: 2)
        let held = try outbox.read { try $0.operation(id) }
        #expect(held?.holds.keys.sorted() == ["quota"])
        #expect(held?.status == .pending)
        time.clock.advance(by: .seconds(61))
        await hand.wait(forStarts: 3)
        hand.end(id, .suspendPipeline())
        var counts = try #require(outbox.pipeline()).suspendCounts.makeAsyncIterator()
        while let count = await counts.next(), count == 0 {}
        outbox.pipeline()?.resume()
        await hand.wait(forStarts: 4)
        hand.end(id, .skipped())
        await end(outbox)
        #expect(hand.started.map(\.startCount) == [1, 2, 3, 4])
    }

    @Test func `stores nothing of an outcome whose write throws, and tries again`() async throws {
        struct Unhappy: Error {}
        let outbox = try await bench.open()
        var failures = outbox.failures.makeAsyncIterator()
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        await hand.wait(forStarts: 1)
        hand.end(
            id,
            .completed { transaction in
                try transaction.save(["id": "half"])
                throw Unhappy()
            })
        let failure = await failures.next()
        #expect(failure?.error is Unhappy)
        #expect(try bench.database.totalDocumentCount == 0)
        #expect(try outbox.read { try $0.status(of: id) } == .pending)
        await time.clock.sleepers(reach: 2)
        time.clock.advance(by: .seconds(2))
        await hand.wait(forStarts: 2)
        await end(outbox)
    }

    @Test func `cancels what is skipped while it is active, and does not run its write`()
        async throws
    {
        let outbox = try await bench.open([bench.pipeline(limit: 1)])
        let first = try await outbox.write { queue in
            defer { _ = try? queue.add(Step(title: "next")) }
            return try queue.add(Step(title: "first"))
        }
        await hand.wait(forStarts: 1)
        try await outbox.write { _ = try $0.skip(first) }
        await hand.wait(forStarts: 2)
        #expect(!hand.open.contains(first))
        #expect(try hand.titles() == ["first", "next"])
        await end(outbox)
    }

    @Test func `leaves to others what they look after`() async throws {
        let outbox = try await bench.open([bench.pipeline(limit: 1)])
        let upload = UUID()
        try await outbox.write { queue in
            try queue.add(Step(title: "upload"), id: upload)
            try queue.add(Step(title: "next"))
        }
        await hand.wait(forStarts: 1)
        hand.end(upload, .leftActive)
        #expect(try outbox.read { try $0.status(of: upload) } == .active)
        #expect(outbox.pipeline()?.activeOperations == [upload])
        let isDone = try await outbox.write { try $0.complete(upload) }
        #expect(isDone)
        await hand.wait(forStarts: 2)
        let isDoneAgain = try await outbox.write { try $0.complete(upload) }
        #expect(!isDoneAgain)
        await end(outbox)
    }

    @Test func `ends with every start of an operation that was given back meanwhile`()
        async throws
    {
        let outbox = try await bench.open()
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        await hand.wait(forStarts: 1)
        var failures = outbox.failures.makeAsyncIterator()
        for count in 2...6 {
            // The start before is cancelled, which is no failure.
            try await outbox.write { try $0.giveBack(id) }
            await hand.wait(forStarts: count)
        }
        #expect(outbox.pipeline()?.activeOperations == [id])
        await outbox.close()
        // Closing waits for the delegate, so nothing is being carried out any more.
        #expect(hand.open.isEmpty)
        let failure = await failures.next()
        #expect(failure == nil)
        await bench.database.close()
    }

    @Test func `counts an operation that is marked as active before it starts`() async throws {
        let outbox = try await bench.open([bench.pipeline(limit: 1)])
        outbox.suspend()
        let found = UUID()
        try await outbox.write { queue in
            try queue.add(Step(title: "found"), id: found)
            try queue.add(Step(title: "next"))
        }
        try await outbox.write { try $0.markActive(found) }
        outbox.resume()
        #expect(outbox.pipeline()?.activeOperations == [found])
        try await outbox.write { try $0.giveBack(found) }
        await hand.wait(forStarts: 1)
        #expect(hand.started.first?.id == found)
        #expect(hand.started.first?.startCount == 2)
        await end(outbox)
    }

    @Test func `is known to the transaction that ends an operation`() async throws {
        let outbox = try await bench.open()
        outbox.suspend()
        let statuses = try await outbox.write { queue in
            let added = try queue.add(Step(title: "added"))
            let first = try queue.status(of: added)
            try queue.skip(added)
            return [first, try queue.status(of: added)]
        }
        #expect(statuses == [.pending, .skipped])
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        let end = try await outbox.write { queue in
            try queue.complete(id)
            return try queue.status(of: id)
        }
        #expect(end == .completed)
        #expect(try outbox.read { try $0.status(of: id) } == nil)
        await self.end(outbox)
    }
}
