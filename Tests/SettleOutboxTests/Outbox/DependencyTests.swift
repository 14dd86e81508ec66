import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Dependencies of operations` {
    @Test func `hold in any order of adding, and free one after the other`() async throws {
        let queue = try await QueueFixture()
        let ids = (0..<3).map { _ in UUID() }
        // Each waits for the one added after it.
        try await queue.outbox.write { queue in
            try queue.add(Errand(), id: ids[0], dependencies: [ids[1]])
            try queue.add(Errand(), id: ids[1], dependencies: [ids[2]])
            try queue.add(Errand(), id: ids[2])
        }
        for id in ids.reversed() {
            let started = try await queue.start()
            #expect(started == [id])
            let more = try await queue.start()
            #expect(more.isEmpty)
            try await queue.complete(id)
        }
        let rowCount = try queue.rowCount()
        #expect(rowCount == 0)
    }

    @Test func `wait for all, and for operations of earlier commits`() async throws {
        let queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        let first = try await queue.add("first")
        let second = try await queue.add("second")
        let last = try await queue.add("last", after: [first, second])
        var started = try await queue.start()
        #expect(started == [first, second])
        try await queue.complete(first)
        started = try await queue.start()
        #expect(started.isEmpty)
        try await queue.complete(second)
        started = try await queue.start()
        #expect(started == [last])
    }

    @Test func `on many do not read the one that waits each time one of them is done`() async throws
    {
        let queue = try await QueueFixture()
        let (first, second, last) = (UUID(), UUID(), UUID())
        try await queue.outbox.write { queue in
            for id in [first, second] { try queue.add(Errand(), id: id) }
            try queue.add(Errand(), id: last, dependencies: [first, second])
        }
        try await queue.database.write { transaction in
            let table = try OutboxTable(writingIn: transaction)
            let key = try #require(try table.key(of: last))
            try table.set([9], for: OutboxRowKey.operation(key))
        }
        try await queue.complete(first)
        // It is free now, and has to be read.
        await #expect(throws: DatabaseError.self) { try await queue.complete(second) }
    }

    @Test func `on what is not in the outbox are done`() async throws {
        let queue = try await QueueFixture()
        let gone = try await queue.add("gone")
        try await queue.complete(gone)
        let next = try await queue.add("next", after: [gone, UUID()])
        let started = try await queue.start()
        #expect(started == [next])
    }

    @Test(arguments: [1, 2, 3, 20])
    func `in a circle refuse the whole commit, with its documents`(_ count: Int) async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let before = try await queue.add("before")
        let ids = (0..<count).map { _ in UUID() }
        let thrown = try await code {
            try await queue.database.write { transaction in
                try transaction.save(Document(id: "fig"))
                let queue = try outbox.with(transaction)
                try queue.add(Errand())
                for (index, id) in ids.enumerated() {
                    try queue.add(
                        Errand(), id: id, dependencies: [ids[(index + 1) % count], before])
                }
            }
        }
        #expect(thrown == .dependencyCycle)
        let document = try await queue.database.fetchDocument("fig")
        #expect(document == nil)
        let (stored, rowCount) = (try queue.ids(), try queue.rowCount())
        #expect(stored == [before])
        // The operation, its identifier, its place in a list.
        #expect(rowCount == 3)
    }

    @Test func `changed into a circle refuse the commit too`() async throws {
        let queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        let outbox = queue.outbox
        let first = try await queue.add("first")
        let second = try await queue.add("second", after: [first])
        let third = try await queue.add("third", after: [second])
        let thrown = [
            try await code {
                try await outbox.write { try $0.modify(first) { $0.dependencies = [third] } }
            },
            try await code {
                try await outbox.write { try $0.modify(first) { $0.dependencies = [first] } }
            },
            try await code {
                // By way of an operation that is new.
                try await outbox.write { queue in
                    let id = try queue.add(Errand(), dependencies: [third])
                    try queue.modify(first) { $0.dependencies = [id] }
                }
            },
        ]
        #expect(thrown == [.dependencyCycle, .dependencyCycle, .dependencyCycle])
        let started = try await queue.start()
        #expect(started == [first])
    }

    @Test func `of an older operation on a newer one can be turned, but not doubled`() async throws
    {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let (older, newer) = (UUID(), UUID())
        try await outbox.write { queue in
            try queue.add(Errand(), id: older, dependencies: [newer])
            try queue.add(Errand(), id: newer)
        }
        let thrown = try await code {
            try await outbox.write { try $0.modify(newer) { $0.dependencies = [older] } }
        }
        #expect(thrown == .dependencyCycle)
        try await outbox.write { queue in
            try queue.modify(newer) { $0.dependencies = [older] }
            try queue.modify(older) { $0.dependencies = [] }
        }
        let started = try await queue.start()
        #expect(started == [older])
    }

    @Test func `on another pipeline are refused`() async throws {
        let queue = try await QueueFixture([idle(), idle("photos")])
        let outbox = queue.outbox
        let photo = try await queue.add("photo", in: "photos")
        let thrown = try await code { _ = try await queue.add("post", after: [photo]) }
        #expect(thrown == .dependencyAcrossPipelines)
        let inOne = try await code {
            try await outbox.write { queue in
                let id = try queue.add(Errand(), pipeline: "photos")
                try queue.add(Errand(), dependencies: [id])
            }
        }
        #expect(inOne == .dependencyAcrossPipelines)
        let ids = try queue.ids()
        #expect(ids == [photo])
    }

    @Test func `on a later graph are refused where graphs are strict, and hold where they are not`()
        async throws
    {
        for algorithm in PipelineAlgorithm.allCases {
            let queue = try await QueueFixture([idle(algorithm: algorithm)])
            let outbox = queue.outbox
            let first = try await queue.add("first")
            let second = try await queue.add("second")
            let thrown = try await code {
                try await outbox.write { try $0.modify(first) { $0.dependencies = [second] } }
            }
            #expect(thrown == (algorithm == .commitGraph ? .dependencyOnLaterGraph : nil))
            let started = try await queue.start()
            #expect(started == (algorithm == .commitGraph ? [first] : [second]))
        }
    }

    @Test func `of an old flat graph hold on later ones only if no strict one is between`()
        async throws
    {
        var queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        let flat = try await queue.add("flat")
        queue = try await queue.reopened([idle()])
        try await queue.add("strict")
        queue = try await queue.reopened([idle(algorithm: .flatGraph)])
        let late = try await queue.add("late")
        let later = try await queue.add("later")
        let outbox = queue.outbox
        // The strict one waits for the flat one before it, which would wait for the late one.
        let thrown = try await code {
            try await outbox.write { try $0.modify(flat) { $0.dependencies = [late] } }
        }
        #expect(thrown == .dependencyOnLaterGraph)
        try await outbox.write { try $0.modify(late) { $0.dependencies = [later] } }
        let started = try await queue.start()
        #expect(started == [flat, later])
    }

    @Test func `that let a moved strict graph wait for itself are refused`() async throws {
        let flatOnly = [idle(algorithm: .flatGraph)]
        var queue = try await QueueFixture(flatOnly + [idle("second")])
        let first = try await queue.add("first")
        let strict = try await queue.add("strict", in: "second")
        let last = try await queue.add("last")
        try await queue.outbox.write { try $0.modify(first) { $0.dependencies = [last] } }
        queue = try await queue.reopened(flatOnly)
        // The strict one waits for the first now, and that for the last.
        let outbox = queue.outbox
        let thrown = [
            try await code {
                try await outbox.write { try $0.modify(last) { $0.dependencies = [strict] } }
            },
            try await code {
                try await outbox.write { queue in
                    let between = try queue.insert(
                        Errand(), intoGraphOf: last, dependencies: [strict])
                    try queue.modify(last) { $0.dependencies = [between] }
                }
            },
        ]
        #expect(thrown == [.dependencyCycle, .dependencyCycle])
        // It may be waited for where it waits for nothing that does.
        let beside = try await queue.add("beside")
        try await queue.outbox.write { try $0.modify(beside) { $0.dependencies = [strict] } }
        for id in [last, first, strict, beside] {
            let started = try await queue.start()
            #expect(started == [id])
            try await queue.complete(id)
        }
    }

    @Test func `that are done stay done when others get their identifiers`() async throws {
        let queue = try await QueueFixture()
        let first = try await queue.add("first")
        let waiting = try await queue.add("waiting", after: [first])
        try await queue.complete(first)
        try await queue.add("again", first)
        // A change of something else does not look for it again.
        try await queue.outbox.write { queue in
            try queue.hold(waiting, until: .distantFuture, context: "a")
            try queue.releaseHolds(waiting)
            try queue.modify(waiting) { $0.priority = 5 }
        }
        let started = try await queue.start()
        #expect(started == [waiting])
    }

    @Test func `are found by way of others, as far as they are in the outbox`() async throws {
        let queue = try await QueueFixture([idle(algorithm: .flatGraph)])
        let one = try await queue.add("one")
        let two = try await queue.add("two", after: [one])
        let three = try await queue.add("three", after: [two, UUID()])
        let four = try await queue.add("four", after: [three, one])
        try await queue.add("beside", after: [one])
        let found = try queue.outbox.read { snapshot in
            [
                try snapshot.recursiveDependencies(of: one),
                try snapshot.recursiveDependencies(of: four),
            ]
        }
        #expect(found == [[], [one, two, three]])
        let thrown = try await code {
            _ = try queue.outbox.read { try $0.recursiveDependencies(of: UUID()) }
        }
        #expect(thrown == .operationNotFound)
        try await queue.complete(one)
        let left = try queue.outbox.read { try $0.recursiveDependencies(of: four) }
        #expect(left == [two, three])
    }

    @Test func `that are taken away let an operation start`() async throws {
        let queue = try await QueueFixture()
        let ids = try await queue.outbox.write { queue in
            let first = try queue.add(Errand())
            return [first, try queue.add(Errand(), dependencies: [first])]
        }
        try await queue.outbox.write { try $0.modify(ids[1]) { $0.dependencies = [] } }
        let started = try await queue.start()
        #expect(started == ids)
    }
}
