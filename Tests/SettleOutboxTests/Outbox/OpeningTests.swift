import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Opening with other pipelines` {
    /// Starts and completes one operation after the other, until nothing starts any more.
    private func drain(
        _ queue: QueueFixture, _ pipeline: String = Outbox.defaultPipeline
    ) async throws -> [UUID] {
        var ended: [UUID] = []
        while let id = try await queue.start(1, in: pipeline).first {
            ended.append(id)
            try await queue.complete(id)
        }
        return ended
    }

    @Test func `puts back what was started, in order`() async throws {
        var queue = try await QueueFixture()
        let ids = try await queue.outbox.write { queue in
            try (0..<4).map { try queue.add(Errand(text: "\($0)"), priority: $0 == 2 ? 1 : 0) }
        }
        let later = try await queue.add("later")
        try await queue.start(3)
        queue = try await queue.reopened()
        let lists = try queue.lists()
        #expect(lists == QueueLists(ready: [ids[2], ids[0], ids[1], ids[3]]))
        let counts = try ids.map { try queue.operation($0)?.startCount }
        #expect(counts == [1, 1, 1, 0])
        let ended = try await drain(queue)
        #expect(ended == [ids[2], ids[0], ids[1], ids[3], later])
    }

    @Test func `leaves what was started to the process that runs, when it does not`() async throws {
        let queue = try await QueueFixture()
        let id = try await queue.add("one")
        try await queue.start()
        await queue.outbox.close()
        let outbox = try await queue.database.openOutbox(
            OutboxConfiguration(
                operations: QueueFixture.types, pipelines: [idle("other")], isRunning: false))
        let status = try outbox.read { try $0.status(of: id) }
        #expect(status == .active)
        await outbox.close()
    }

    @Test func `takes what is for no pipeline into the only one, whatever its name`() async throws {
        var queue = try await QueueFixture()
        let old = try await queue.add("old")
        queue = try await queue.reopened([idle("uploads")])
        await queue.outbox.close()
        let outbox = try await queue.database.openOutbox(
            OutboxConfiguration(operations: QueueFixture.types, pipelines: [idle("uploads")]))
        let new = try await outbox.write { try $0.add(Errand(text: "new")) }
        #expect(outbox.pipeline()?.name == "uploads")
        let (ids, graphs, inserted) = try await outbox.write { queue in
            let numbers = try queue.stored().graphNumbers()
            let inserted = try queue.insert(
                Errand(text: "inserted"), intoGraph: try #require(numbers.last))
            return (
                try queue.stored().operations(in: "uploads").map(\.id),
                try queue.stored().graphs().count, inserted
            )
        }
        #expect(ids == [old, new] && graphs == 2)
        #expect(try outbox.read { try $0.operation(inserted)?.pipeline } == "uploads")
        await outbox.close()
        // A process that runs nothing goes by what the other one stored.
        let idleOutbox = try await queue.database.openOutbox(
            OutboxConfiguration(operations: QueueFixture.types, pipelines: [], isRunning: false))
        let third = try await idleOutbox.write { try $0.add(Errand()) }
        #expect(try idleOutbox.read { try $0.operation(third)?.pipeline } == "uploads")
        await idleOutbox.close()
        let error = await #expect(throws: OutboxError.self) {
            try await queue.database.openOutbox(
                OutboxConfiguration(
                    operations: QueueFixture.types, pipelines: [idle("a"), idle("b")]))
        }
        #expect(error?.code == .unknownPipeline)
        await queue.close()
    }

    @Test func `moves the operations of a pipeline with its new name`() async throws {
        var queue = try await QueueFixture([idle(), idle("photos")])
        let first = try await queue.add("first", in: "photos", about: ["fig"])
        let second = try await queue.add("second", in: "photos", after: [first])
        let other = try await queue.add("other")
        queue = try await queue.reopened([
            idle(), idle("pictures", previousNames: ["photos", "x"]),
        ])
        let ids = try [
            queue.ids(in: "pictures"), queue.ids(in: "photos"), queue.ids(in: "default"),
        ]
        #expect(ids == [[first, second], [], [other]])
        let names = try queue.outbox.read { $0.pipelineNames }
        #expect(names == ["default", "pictures"])
        let about = try queue.outbox.read { try $0.operations(about: "fig").first?.pipeline }
        #expect(about == "pictures")
        let ended = try await drain(queue, "pictures")
        #expect(ended == [first, second])
    }

    @Test func `merges pipelines in the order of the commits`() async throws {
        var queue = try await QueueFixture([idle(), idle("a"), idle("b"), idle("c")])
        var ids: [UUID] = []
        for (number, name) in ["b", "c", "a", "b", "default", "c", "a"].enumerated() {
            ids.append(try await queue.add("\(number)", in: name, about: ["fig"]))
        }
        let held = ids[3]
        try await queue.outbox.write { try $0.hold(held, until: .distantFuture, context: "x") }
        queue = try await queue.reopened([idle(), idle("c", previousNames: ["a", "b"])])
        let merged = try queue.ids(in: "c")
        #expect(merged == [0, 1, 2, 3, 5, 6].map { ids[$0] })
        var ended = try await drain(queue, "c")
        #expect(ended == Array(ids[..<3]))
        let lists = try queue.lists(in: "c")
        #expect(lists == QueueLists(held: [held]))
        try await queue.outbox.write { try $0.releaseHolds(held) }
        ended = try await drain(queue, "c")
        #expect(ended == [ids[3], ids[5], ids[6]])
        let about = try queue.outbox.read { try $0.operations(about: "fig").map(\.id) }
        #expect(about == [ids[4]])
    }

    @Test func `moves those of a removed pipeline to the default one`() async throws {
        var queue = try await QueueFixture([idle(), idle("photos")])
        let photo = try await queue.add("photo", in: "photos")
        let here = try await queue.add("here")
        let later = try await queue.add("later", in: "photos", after: [photo])
        try await queue.start(in: "photos")
        queue = try await queue.reopened()
        let ended = try await drain(queue)
        #expect(ended == [photo, here, later])
        // A pipeline of that name that comes again is a new one.
        queue = try await queue.reopened([idle(), idle("photos")])
        let again = try await queue.add("again", in: "photos")
        let next = try await drain(queue, "photos")
        #expect(next == [again])
    }

    @Test(arguments: PipelineAlgorithm.allCases)
    func `keeps the old order when the algorithm changes`(_ old: PipelineAlgorithm) async throws {
        let new: PipelineAlgorithm = old == .flatGraph ? .commitGraph : .flatGraph
        var queue = try await QueueFixture([idle(algorithm: old)])
        let before = [try await queue.add("0"), try await queue.add("1")]
        queue = try await queue.reopened([idle(algorithm: new)])
        let after = [try await queue.add("2"), try await queue.add("3")]
        let inserted = try await queue.outbox.write {
            try $0.insert(Errand(), intoGraphOf: before[1])
        }
        var starts: [[UUID]] = []
        while true {
            let started = try await queue.start()
            if started.isEmpty { break }
            starts.append(started)
            for id in started { try await queue.complete(id) }
        }
        #expect(
            starts
                == (old == .commitGraph
                    ? [[before[0]] + after, [before[1], inserted]]
                    : [before + [inserted], [after[0]], [after[1]]]))
    }

    @Test func `by a process that only queues uses the algorithm it names for a new pipeline`()
        async throws
    {
        let queue = try await QueueFixture([idle()])
        await queue.outbox.close()
        let outbox = try await queue.database.openOutbox(
            OutboxConfiguration(
                operations: QueueFixture.types,
                pipelines: [idle("feed", algorithm: .flatGraph), idle(algorithm: .flatGraph)],
                isRunning: false))
        let (flat, strict) = try await outbox.write { queue in
            (try queue.add(Errand(), pipeline: "feed"), try queue.add(Errand()))
        }
        let again = try await outbox.write { queue in
            (try queue.add(Errand(), pipeline: "feed"), try queue.add(Errand()))
        }
        let lists = try [queue.lists(in: "feed").ready, queue.lists().ready]
        // The default pipeline was run before, as a strict one.
        #expect(lists == [[flat, again.0], [strict]])
        await outbox.close()
    }

    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    /// The names of the stored pipelines, by their bytes.
    private func names(_ queue: QueueFixture) throws -> Set<[UInt8]> {
        try queue.outbox.read { Set($0.pipelineNames.map { Array($0.utf8) }) }
    }

    @Test func `takes a name that is equal by other bytes for the name of the same pipeline`()
        async throws
    {
        var queue = try await QueueFixture([idle(Self.composed)])
        let ids = [
            try await queue.add("a", in: Self.decomposed), try await queue.add("b"),
        ]
        #expect(try names(queue) == [Array(Self.composed.utf8)])
        queue = try await queue.reopened([idle(Self.decomposed)])
        #expect(try names(queue) == [Array(Self.decomposed.utf8)])
        #expect(try queue.ids(in: Self.composed) == ids)
        let ended = try await drain(queue, Self.decomposed)
        #expect(ended == ids)
    }

    @Test func `unites what was stored by two names that are equal`() async throws {
        var queue = try await QueueFixture([idle(), idle(Self.composed)])
        var ids: [UUID] = []
        for text in ["a", "b"] {
            ids.append(try await queue.add(text, in: Self.composed))
            // A second pipeline, as it was made for the other bytes, with all that is there now.
            if text == "b" { continue }
            try await queue.database.write { transaction in
                let table = try OutboxTable(writingIn: transaction)
                var counters = try table.counters()
                counters.pipeline += 1
                try table.set(counters)
                var second = PipelineRecord(name: Self.decomposed, number: counters.pipeline)
                let first = try #require(try table.pipeline(named: Self.composed))
                second.strictGraphLast = first.strictGraphLast
                try table.set(second)
                try OperationSchedule(table: table, now: Date())
                    .moveAll(from: first.number, to: second.number)
            }
        }
        #expect(try names(queue).count == 3)
        queue = try await queue.reopened([idle(), idle(Self.composed)])
        #expect(try names(queue) == [Array("default".utf8), Array(Self.composed.utf8)])
        let ended = try await drain(queue, Self.composed)
        #expect(ended == ids)
        let findings = try await queue.database.check()
        #expect(findings.isEmpty)
    }

    @Test func `by a process that only queues takes what is for no pipeline into the one it names`()
        async throws
    {
        let queue = try await QueueFixture()
        await queue.outbox.close()
        try await queue.database.write { transaction in
            let table = try OutboxTable(writingIn: transaction)
            for record in try table.pipelines() { try table.remove(record) }
        }
        func add(_ pipeline: PipelineConfiguration, isRunning: Bool) async throws -> UUID {
            let outbox = try await queue.database.openOutbox(
                OutboxConfiguration(
                    operations: QueueFixture.types, pipelines: [pipeline], isRunning: isRunning))
            let id = try await outbox.write { try $0.add(Errand()) }
            #expect(try outbox.read { try $0.operation(id)?.pipeline } == pipeline.name)
            await outbox.close()
            return id
        }
        // Before the app ever ran, after it did, and before a release that has another name for it.
        let renamed = idle("work", previousNames: ["sync"])
        var ids = [try await add(idle("sync"), isRunning: false)]
        ids.append(try await add(idle("sync"), isRunning: true))
        ids.append(try await add(renamed, isRunning: false))
        ids.append(try await add(renamed, isRunning: true))
        let stored = try queue.database.read { try OutboxSnapshot(in: $0).operations(in: "work") }
        #expect(stored.map(\.id) == ids)
        let thrown = try await code {
            _ = try await queue.database.openOutbox(
                OutboxConfiguration(
                    operations: [], pipelines: [idle("a"), idle("b")], isRunning: false))
        }
        #expect(thrown == .unknownPipeline)
        await queue.database.close()
    }

    @Test func `is done by an outbox that runs, before anything is started`() async throws {
        let queue = try await QueueFixture([idle(), idle("photos")])
        let photo = try await queue.add("photo", in: "photos")
        try await queue.start(in: "photos")
        await queue.outbox.close()
        let outbox = try await queue.database.openOutbox(
            OutboxConfiguration(
                operations: QueueFixture.types,
                pipelines: [idle(), idle("pictures", previousNames: ["photos"])]))
        let found = try outbox.read { try $0.operation(photo) }
        #expect(found?.pipeline == "pictures" && found?.status == .pending)
        await outbox.close()
    }
}
