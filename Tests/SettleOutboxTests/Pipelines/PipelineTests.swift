import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

@Suite(.serialized) struct `A pipeline` {
    private let fixture: PipelineFixture
    private var time: ManualTime { fixture.time }
    private var bench: OutboxBench { fixture.bench }
    private var hand: Hand { fixture.bench.hand }

    init() async throws { fixture = try await PipelineFixture() }

    private func end(_ outbox: Outbox) async { await fixture.end(outbox) }

    @Test func `starts what a commit has added, and completes it with what is written for it`()
        async throws
    {
        let outbox = try await bench.open()
        let id = try await bench.database.write { transaction in
            try transaction.save(["id": "a", "name": "Ann"])
            return try outbox.with(transaction).add(
                Step(title: "put a"), about: ["a"], recordsChanges: true)
        }
        await hand.wait(forStarts: 1)
        let operation = try #require(hand.started.first)
        #expect(operation.id == id)
        #expect(operation.startCount == 1)
        #expect(operation.status == .active)
        #expect(operation.changedFields == ["a": FieldChanges(new: ["name": .string("Ann")])])
        #expect(try outbox.read { try $0.status(of: id) } == .active)
        var changes = outbox.queueChanges.makeAsyncIterator()
        hand.end(id, .completed { try outbox.with($0).setTag(.string("1"), "etag", of: "a") })
        let change = await changes.next()
        #expect(change?.completed == [id])
        #expect(try outbox.read { try $0.operation(id) } == nil)
        #expect(try outbox.read { try $0.tag("etag", of: "a") } == .string("1"))
        await end(outbox)
    }

    @Test func `starts no more than it may, and the next when one has ended`() async throws {
        let outbox = try await bench.open([bench.pipeline(limit: 2)])
        try await outbox.write { queue in
            for number in 0..<5 { try queue.add(Step(title: "\(number)")) }
        }
        await hand.wait(forStarts: 2)
        for count in 3...5 {
            // What runs at a time are tasks, so two that were started together begin in any order.
            #expect(Set(try hand.titles()) == Set((0..<count - 1).map { "\($0)" }))
            #expect(hand.started.count == count - 1)
            #expect(hand.open.count == 2)
            let first = try #require(hand.started.first { hand.open.contains($0.id) })
            hand.end(first.id)
            await hand.wait(forStarts: count)
        }
        #expect(try hand.titles().suffix(3) == ["2", "3", "4"])
        await end(outbox)
    }

    @Test func `takes another limit while it runs`() async throws {
        let outbox = try await bench.open([bench.pipeline(limit: 1)])
        try await outbox.write { queue in
            for number in 0..<6 { try queue.add(Step(title: "\(number)")) }
        }
        await hand.wait(forStarts: 1)
        let pipeline = try #require(outbox.pipeline())
        pipeline.maxConcurrentOperationCount = 3
        await hand.wait(forStarts: 3)
        #expect(hand.started.count == 3)
        pipeline.maxConcurrentOperationCount = 0
        await hand.wait(forStarts: 6)
        #expect(pipeline.activeOperations.count == 6)
        await end(outbox)
    }

    @Test func `holds to the order of graphs, dependencies, and priorities`() async throws {
        let outbox = try await bench.open()
        let last = UUID()
        try await outbox.write { queue in
            let b = try queue.add(Step(title: "b"))
            try queue.add(Step(title: "c"), dependencies: [b])
            try queue.add(Step(title: "a"), priority: 100)
        }
        try await outbox.write { try $0.add(Step(title: "later"), id: last, priority: 200) }
        await hand.wait(forStarts: 2)
        #expect(Set(try hand.titles()) == ["a", "b"])
        let a = try #require(hand.started.first { $0.priority == 100 })
        let b = try #require(hand.started.first { $0.id != a.id })
        hand.end(b.id)
        await hand.wait(forStarts: 3)
        #expect(try hand.titles().last == "c")
        hand.end(a.id)
        hand.end(hand.started[2].id)
        await hand.wait(forStarts: 4)
        #expect(hand.started.last?.id == last)
        await end(outbox)
    }

    @Test func `starts by priority, then by age, one at a time`() async throws {
        let outbox = try await bench.open([bench.pipeline(limit: 1)])
        let priorities: [Int32] = [0, -5, 100, 0, 7]
        try await outbox.write { queue in
            for (number, priority) in priorities.enumerated() {
                try queue.add(Step(title: "\(number)"), priority: priority)
            }
        }
        for count in 1...5 {
            await hand.wait(forStarts: count)
            hand.end(hand.started[count - 1].id)
        }
        #expect(try hand.titles() == ["2", "4", "0", "3", "1"])
        await end(outbox)
    }

    @Test func `does not keep another pipeline waiting`() async throws {
        let outbox = try await bench.open([bench.pipeline(), bench.pipeline("photos")])
        try await outbox.write { try $0.add(Step(title: "photo"), pipeline: "photos") }
        try await outbox.write { try $0.add(Step(title: "recipe")) }
        try await outbox.write { try $0.add(Step(title: "photo 2"), pipeline: "photos") }
        await hand.wait(forStarts: 2)
        #expect(Set(try hand.titles()) == ["photo", "recipe"])
        await end(outbox)
    }

    @Test func `starts nothing while it is suspended, and counts`() async throws {
        let outbox = try await bench.open([bench.pipeline(), bench.pipeline("other")])
        let pipeline = try #require(outbox.pipeline())
        var counts = pipeline.suspendCounts.makeAsyncIterator()
        #expect(await counts.next() == 0)
        #expect(outbox.suspend(count: 2) == 2)
        #expect(pipeline.suspend() == 3)
        #expect(await counts.next() == 3)
        #expect(outbox.pipeline(named: "other")?.suspendCount == 2)
        var changes = outbox.queueChanges.makeAsyncIterator()
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        #expect(await changes.next()?.added == [id])
        #expect(pipeline.resume() == 2)
        #expect(outbox.resume() == 1)
        #expect(hand.started.isEmpty)
        #expect(outbox.resume() == 0)
        #expect(outbox.resume() == 0)
        await hand.wait(forStarts: 1)
        #expect(hand.started.map(\.id) == [id])
        await end(outbox)
    }

    @Test func `starts nothing that is added after it was suspended`() async throws {
        for _ in 0..<60 {
            let outbox = try await bench.open()
            outbox.suspend()
            let id = try await outbox.write { try $0.add(Step(title: "a")) }
            // Whatever look was decided before has been through the writer by then.
            for _ in 0..<3 {
                await Task.yield()
                try await bench.database.write { _ in }
            }
            #expect(try outbox.read { try $0.status(of: id) } == .pending)
            try await outbox.write { _ = try $0.skip(id) }
            await outbox.close()
        }
        #expect(hand.started.isEmpty)
        await bench.database.close()
    }

    @Test func `can be opened suspended`() async throws {
        let outbox = try await bench.database.openOutbox(
            OutboxConfiguration(
                operations: [Step.self], pipelines: [bench.pipeline()], suspendCount: 1))
        #expect(outbox.pipeline()?.suspendCount == 1)
        try await outbox.write { try $0.add(Step(title: "a")) }
        #expect(hand.started.isEmpty)
        outbox.resume()
        await hand.wait(forStarts: 1)
        await end(outbox)
    }

    @Test func `tells whether it is active`() async throws {
        let outbox = try await bench.open()
        let pipeline = try #require(outbox.pipeline())
        var activity = pipeline.activity.makeAsyncIterator()
        // Until it is known that there is nothing to do.
        while let isActive = await activity.next(), isActive {}
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        #expect(pipeline.isActive)
        await hand.wait(forStarts: 1)
        #expect(pipeline.isActive)
        hand.end(id)
        while let isActive = await activity.next(), isActive {}
        #expect(try outbox.read { try $0.operations().isEmpty })
        await end(outbox)
    }
}
