import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Ending operations` {
    @Test func `an operation is completed once`() async throws {
        let queue = try await QueueFixture()
        let id = try await queue.add("one", about: ["fig"])
        try await queue.start()
        let answers = try await queue.outbox.write { [try $0.complete(id), try $0.complete(id)] }
        #expect(answers == [true, false])
        let later = try await queue.outbox.write { [try $0.complete(id), try $0.skip(id)] }
        #expect(later == [false, false])
        let (rowCount, status) = (
            try queue.rowCount(), try queue.outbox.read { try $0.status(of: id) }
        )
        #expect(rowCount == 0)
        #expect(status == nil)
    }

    @Test func `one that was never started can be completed, and one of this closure`()
        async throws
    {
        let queue = try await QueueFixture()
        let id = try await queue.add("one")
        try await queue.outbox.write { queue in
            let own = try queue.add(Errand())
            let answers = [try queue.complete(own), try queue.complete(own), try queue.skip(id)]
            #expect(answers == [true, false, true])
        }
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
    }

    @Test func `what waits for one that is skipped may start`() async throws {
        let queue = try await QueueFixture()
        let ids = try await queue.outbox.write { queue in
            let first = try queue.add(Errand())
            return [first, try queue.add(Errand(), dependencies: [first])]
        }
        let later = try await queue.add("later")
        try await queue.outbox.write { _ = try $0.skip(ids[0]) }
        var started = try await queue.start()
        #expect(started == [ids[1]])
        try await queue.outbox.write { _ = try $0.skip(ids[1]) }
        started = try await queue.start()
        #expect(started == [later])
    }

    @Test func `operations are skipped by a test and by pipeline`() async throws {
        let queue = try await QueueFixture([idle(), idle("photos")])
        for text in ["a", "b", "a"] {
            try await queue.add(text)
            try await queue.add(text, in: "photos")
        }
        let counts = try await queue.outbox.write { queue in
            try queue.add(Errand(text: "a"), pipeline: "photos")
            let own = try queue.skipOperations(in: "photos") { operation in
                try operation.operation(as: Errand.self)?.text == "a"
            }
            return [own, try queue.skipOperations(in: "nothing")]
        }
        #expect(counts == [3, 0])
        let left = try [queue.ids(in: "photos").count, queue.ids(in: "default").count]
        #expect(left == [1, 3])
        let all = try await queue.outbox.write { try $0.skipOperations() }
        #expect(all == 4)
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
    }

    @Test func `one that is marked as active is not started, and counts as active`() async throws {
        let queue = try await QueueFixture()
        let id = try await queue.add("upload")
        try await queue.outbox.write { try $0.markActive(id) }
        let found = try #require(try queue.operation(id))
        #expect(found.status == .active && found.startCount == 1)
        let started = try await queue.start()
        #expect(started.isEmpty)
        try await queue.complete(id)
    }

    @Test func `one that is marked as active before its turn is not started when that comes`()
        async throws
    {
        let queue = try await QueueFixture()
        let first = try await queue.outbox.write { queue in
            let first = try queue.add(Errand())
            return [first, try queue.add(Errand(), dependencies: [first])]
        }
        let later = try await queue.add("later")
        try await queue.outbox.write { queue in
            try queue.markActive(first[1])
            try queue.markActive(later)
        }
        // Its turn comes by a dependency, and by the end of a graph.
        try await queue.start()
        try await queue.complete(first[0])
        try await queue.complete(first[1])
        let started = try await queue.start()
        #expect(started.isEmpty)
        let lists = try queue.lists()
        #expect(lists == QueueLists(started: [later]))
        try await queue.complete(later)
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
    }

    @Test func `one that was marked before its turn waits for it after a restart`() async throws {
        let queue = try await QueueFixture()
        let first = try await queue.outbox.write { queue in
            let first = try queue.add(Errand())
            return [first, try queue.add(Errand(), dependencies: [first])]
        }
        let later = try await queue.add("later")
        try await queue.outbox.write { queue in
            try queue.markActive(first[1])
            try queue.markActive(later)
        }
        let again = try await queue.reopened()
        for id in first + [later] {
            let started = try await again.start()
            #expect(started == [id])
            try await again.complete(id)
        }
    }

    @Test func `one that is given back before its turn waits for it`() async throws {
        let queue = try await QueueFixture()
        let first = try await queue.add("first")
        let later = try await queue.add("later")
        try await queue.outbox.write { try $0.markActive(later) }
        try await queue.outbox.write { try $0.giveBack(later) }
        let started = try await queue.start()
        #expect(started == [first])
    }

    @Test func `a start that has done nothing can be taken back`() async throws {
        let queue = try await QueueFixture()
        let id = try await queue.add("one")
        func startCount() throws -> Int? {
            try queue.outbox.read { try $0.operation(id)?.startCount }
        }
        try await queue.outbox.write { try $0.markActive(id) }
        #expect(try startCount() == 1)
        try await queue.outbox.write { try $0.takeBackStart(of: id) }
        #expect(try startCount() == 0)
        await #expect(throws: OutboxError.self) {
            try await queue.outbox.write { try $0.takeBackStart(of: id) }
        }
        let started = try await queue.start()
        #expect(started == [id])
        try await queue.outbox.write { try $0.giveBack(id) }
        #expect(try startCount() == 1)
    }

    @Test func `what was changed and then marked in one closure is active`() async throws {
        let queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        let other = try await queue.add("other")
        let id = try await queue.add("one")
        try await queue.outbox.write { queue in
            try queue.modify(id) { $0.dependencies = [other] }
            try queue.markActive(id)
        }
        let lists = try queue.lists()
        #expect(lists == QueueLists(ready: [other], started: [id]))
        let again = try await queue.reopened()
        let started = try await again.start()
        #expect(started == [other])
    }
}
