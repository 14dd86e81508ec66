import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

@Suite(.serialized) struct `An outbox that is opened again` {
    private struct Letter: OutboxOperation {
        static let operationName = "letter"
        var text: String
    }

    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory("outbox")
    }

    @Test func `has everything that was not done, in order, also what was active`() async throws {
        let bench = try await OutboxBench(in: directory)
        var outbox = try await bench.open([bench.pipeline(limit: 2)])
        for title in ["a", "b", "c"] {
            try await outbox.write { queue in
                try queue.add(Step(title: title))
                try queue.add(Step(title: title + "2"))
            }
        }
        await bench.hand.wait(forStarts: 2)
        await outbox.close()
        let stored = try bench.database.read { try OutboxSnapshot(in: $0).operations() }
        #expect(stored.count == 6)
        #expect(stored.allSatisfy { $0.status == .pending || $0.status == .active })
        outbox = try await bench.open([bench.pipeline(limit: 2)])
        await bench.hand.wait(forStarts: 4)
        let titles = try bench.hand.titles()
        #expect(Set(titles.prefix(2)) == ["a", "a2"])
        #expect(Set(titles.suffix(2)) == ["a", "a2"])
        #expect(bench.hand.started.map(\.startCount) == [1, 1, 2, 2])
        await outbox.close()
        await bench.database.close()
    }

    @Test func `keeps operations of unknown types, and starts them when they are known`()
        async throws
    {
        let bench = try await OutboxBench(in: directory)
        var outbox = try await bench.open(operations: [Step.self, Letter.self])
        outbox.suspend()
        let id = try await outbox.write { try $0.add(Letter(text: "hello")) }
        await outbox.close()
        outbox = try await bench.open()
        let other = try await outbox.write { try $0.add(Step(title: "a")) }
        #expect(try outbox.read { try $0.status(of: id) } == .unknown)
        // In a strict pipeline, what comes later waits.
        try await outbox.write { try $0.add(Step(title: "b"), dependencies: [other]) }
        #expect(bench.hand.started.isEmpty)
        await outbox.close()
        outbox = try await bench.open(operations: [Step.self, Letter.self])
        await bench.hand.wait(forStarts: 1)
        let letter = try bench.hand.started[0].operation(as: Letter.self)
        #expect(letter?.text == "hello")
        bench.hand.end(id)
        await bench.hand.wait(forStarts: 2)
        await outbox.close()
        await bench.database.close()
    }

    @Test func `moves the operations of renamed and removed pipelines`() async throws {
        let bench = try await OutboxBench(in: directory)
        var outbox = try await bench.open([
            bench.pipeline(), bench.pipeline("photos"), bench.pipeline("films"),
        ])
        outbox.suspend()
        for (title, pipeline) in [("1", "films"), ("2", "photos"), ("3", "default")] {
            try await outbox.write { try $0.add(Step(title: title), pipeline: pipeline) }
        }
        await outbox.close()
        outbox = try await bench.open([
            bench.pipeline(limit: 1), bench.pipeline("pictures", previousNames: ["photos"]),
        ])
        await bench.hand.wait(forStarts: 2)
        #expect(Set(try bench.hand.titles()) == ["1", "2"])
        let one = try #require(bench.hand.started.first { $0.pipeline == "default" })
        #expect(try one.operation(as: Step.self)?.title == "1")
        bench.hand.end(one.id)
        await bench.hand.wait(forStarts: 3)
        #expect(try bench.hand.titles().last == "3")
        #expect(try outbox.read { $0.pipelineNames } == ["default", "pictures"])
        await outbox.close()
        await bench.database.close()
    }

    @Test func `is refused while another one is open, and works when that is closed`() async throws
    {
        let bench = try await OutboxBench(in: directory)
        let outbox = try await bench.open()
        #expect(bench.database.outbox === outbox)
        await #expect(throws: OutboxError.self) { try await bench.open() }
        await outbox.close()
        await outbox.close()
        #expect(bench.database.outbox == nil)
        await #expect(throws: OutboxError.self) {
            try await outbox.write { try $0.add(Step(title: "late")) }
        }
        let second = try await bench.open()
        await second.close()
        await bench.database.close()
    }

    @Test
    func
        `is refused without a default pipeline among several, and with names that are taken or bad`()
        async throws
    {
        let bench = try await OutboxBench(in: directory)
        let faults: [([PipelineConfiguration], [any OutboxOperation.Type])] = [
            ([bench.pipeline("other"), bench.pipeline("third")], [Step.self]),
            ([], [Step.self]),
            ([bench.pipeline(), bench.pipeline()], [Step.self]),
            ([bench.pipeline(), bench.pipeline("x", previousNames: ["default"])], [Step.self]),
            ([bench.pipeline(), bench.pipeline("")], [Step.self]),
            ([bench.pipeline()], [Step.self, Step.self]),
        ]
        for (pipelines, operations) in faults {
            await #expect(throws: OutboxError.self) {
                try await bench.open(pipelines, operations: operations)
            }
        }
        await bench.database.close()
    }
}
