import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

@Suite(.serialized) struct `Notes of an operation` {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory("notes")
    }

    @Test func `that is carried out are there at its next start, also after a restart`()
        async throws
    {
        let bench = try await OutboxBench(in: directory)
        var outbox = try await bench.open()
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        await bench.hand.wait(forStarts: 1)
        #expect(bench.hand.started[0].notes == [:])
        var pipeline = try #require(outbox.pipeline())
        let isKept = try await pipeline.setNotes(
            ["session": "s-1", "offset": 0, "big": .integer(.max), "part": 0.1],
            of: bench.hand.started[0])
        #expect(isKept)
        let more = try await pipeline.setNotes(
            ["offset": 4_096, "part": nil], of: bench.hand.started[0])
        #expect(more)
        // The process ends: what was started is pending again.
        await outbox.close()
        outbox = try await bench.open()
        await bench.hand.wait(forStarts: 2)
        let notes: [String: JSONValue] = [
            "session": "s-1", "offset": 4_096, "big": .integer(.max),
        ]
        #expect(bench.hand.started[1].notes == notes)
        // A retry keeps them too, and what its outcome notes.
        bench.hand.end(id, .retry { try $0.outbox.setNotes(["tries": 2], of: id) })
        await bench.hand.wait(forStarts: 3)
        #expect(bench.hand.started[2].notes == notes.merging(["tries": 2]) { $1 })
        // By the start before, nothing is noted any more.
        pipeline = try #require(outbox.pipeline())
        let late = try await pipeline.setNotes(["late": true], of: bench.hand.started[1])
        #expect(!late)
        let kept = try outbox.read { try $0.operation(id)?.notes }
        #expect(kept?["late"] == nil && kept?["tries"] == 2)
        try await outbox.write { _ = try $0.skip(id) }
        let gone = try await pipeline.setNotes(["late": true], of: bench.hand.started[2])
        #expect(!gone)
        await outbox.close()
        await bench.database.close()
    }

    @Test func `go with it, and are not those of another with its identifier`() async throws {
        let bench = try await OutboxBench(in: directory)
        let outbox = try await bench.open()
        let id = UUID()
        for _ in 0..<2 {
            let count = bench.hand.started.count
            _ = try await outbox.write { try $0.add(Step(title: "a"), id: id) }
            await bench.hand.wait(forStarts: count + 1)
            let operation = bench.hand.started[count]
            #expect(operation.notes.isEmpty)
            let pipeline = try #require(outbox.pipeline())
            try await pipeline.setNotes(["n": 1], of: operation)
            try await outbox.write { _ = try $0.complete(id) }
        }
        await outbox.close()
        await bench.database.close()
    }

    @Test func `and changes of it do not undo each other`() async throws {
        let bench = try await OutboxBench(in: directory)
        let outbox = try await bench.open()
        outbox.suspend()
        let id = try await outbox.write { queue in
            let id = try queue.add(Step(title: "a"))
            try queue.setNotes(["from": "the beginning"], of: id)
            try queue.modify(id) { $0.priority = 1 }
            return id
        }
        let old = try #require(try outbox.read { try $0.operation(id) })
        #expect(old.notes == ["from": "the beginning"] && old.priority == 1)
        try await outbox.write { queue in
            try queue.setNotes(["n": 1, "from": nil], of: id)
            // Whoever changes it has an older copy.
            try queue.modify(id) { operation in
                operation = old
                operation.priority = 7
            }
            try queue.setNotes(["m": 2], of: id)
            try queue.hold(id, until: .distantFuture, context: "test")
        }
        let changed = try outbox.read { try $0.operation(id) }
        #expect(changed?.notes == ["n": 1, "m": 2] && changed?.priority == 7)
        #expect(changed?.holds.keys.sorted() == ["test"])
        // One that is active can be noted at, and not changed.
        try await outbox.write { queue in
            try queue.releaseHolds(id)
            try queue.markActive(id)
            try queue.setNotes(["m": 3], of: id)
            #expect(throws: OutboxError.self) { try queue.modify(id) { $0.priority = 8 } }
            try queue.giveBack(id)
            try queue.modify(id) { try $0.set(Step(title: "b")) }
        }
        let last = try outbox.read { try $0.operation(id) }
        #expect(last?.notes == ["n": 1, "m": 3])
        #expect(try last?.operation(as: Step.self)?.title == "b")
        await outbox.close()
        await bench.database.close()
    }

    @Test func `of two that are coalesced are united`() async throws {
        let bench = try await OutboxBench(in: directory)
        let newest = CoalescingPolicy { _, added in .replace(added) }
        let outbox = try await bench.open([bench.pipeline(coalescing: newest)])
        outbox.suspend()
        let first = try await outbox.write { queue in
            let id = try queue.add(Step(title: "a"), about: ["fig"])
            try queue.setNotes(["a": 1, "both": 1], of: id)
            return id
        }
        try await outbox.write { queue in
            let id = try queue.add(Step(title: "b"), about: ["fig"])
            try queue.setNotes(["b": 2, "both": 2], of: id)
        }
        let left = try outbox.read { try $0.operations() }
        #expect(left.map(\.id) == [first])
        #expect(left[0].notes == ["a": 1, "b": 2, "both": 2])
        await outbox.close()
        await bench.database.close()
    }

    @Test func `that cannot be kept are refused, and the others stay`() async throws {
        let bench = try await OutboxBench(in: directory)
        let outbox = try await bench.open()
        outbox.suspend()
        let id = try await outbox.write { queue in
            let id = try queue.add(Step(title: "a"))
            try queue.setNotes(["n": 1], of: id)
            return id
        }
        let long = String(repeating: "x", count: 201)
        let refused: [[String: JSONValue?]] = [
            ["": 1], [long: 1], ["n": .double(.nan)],
            ["n": .string(String(repeating: "x", count: 1 << 16))],
        ]
        for notes in refused {
            let thrown = try await code {
                try await outbox.write { try $0.setNotes(notes, of: id) }
            }
            #expect(thrown == .invalidNote)
        }
        let none = try await code { try await outbox.write { try $0.setNotes([:], of: UUID()) } }
        #expect(none == .operationNotFound)
        let kept = try outbox.read { try $0.operation(id)?.notes }
        #expect(kept == ["n": 1])
        await outbox.close()
        let closed = try await code { try await outbox.write { try $0.setNotes([:], of: id) } }
        #expect(closed == .closed)
        await bench.database.close()
    }

    @Test func `are told as changes to those who follow the queue`() async throws {
        let bench = try await OutboxBench(in: directory)
        let outbox = try await bench.open()
        outbox.suspend()
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        var changes = outbox.queueChanges.makeAsyncIterator()
        try await outbox.write { try $0.setNotes(["n": 1], of: id) }
        #expect(await changes.next()?.modified == [id])
        await outbox.close()
        await bench.database.close()
    }
}
