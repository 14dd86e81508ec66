import Foundation
import Settle
import SettleOutbox
import Synchronization
import TestSupport
import Testing

/// The call of an operation may go on when that has ended, and its identifier has been given to the next.
@Suite(.serialized) struct `An identifier that is used again` {
    private let fixture: PipelineFixture
    private let log = Collected<String>()
    private var bench: OutboxBench { fixture.bench }
    private var hand: Hand { fixture.bench.hand }

    init() async throws { fixture = try await PipelineFixture() }

    /// Has the old operation's call go on until the new one is started in the database, and answer then.
    private func succeed(
        _ id: UUID, by new: @escaping @Sendable () async -> Void
    ) async throws -> (Outbox, AsyncStream<String>.Iterator) {
        let isReleased = Mutex(false)
        let (starts, start) = AsyncStream<String>.makeStream()
        let pipeline = PipelineConfiguration { operation in
            let title = try operation.operation(as: Step.self)?.title ?? ""
            start.yield(title)
            if title == "old" {
                // Deaf to being cancelled.
                while !isReleased.withLock({ $0 }) { await Task.yield() }
                let isKept = try await bench.database.outbox?.pipeline()?
                    .setNotes(["at": 1], of: operation)
                log.add("notes \(isKept == true)")
            } else {
                await new()
            }
            let isCancelled = Task.isCancelled
            log.add("\(title) cancelled: \(isCancelled)")
            return .completed { _ in log.add("\(title) completed") }
        }
        let outbox = try await bench.open([pipeline])
        try await outbox.write { _ = try $0.add(Step(title: "old"), id: id) }
        var iterator = starts.makeAsyncIterator()
        #expect(await iterator.next() == "old")
        try await outbox.write { queue in
            try queue.skip(id)
            try queue.add(Step(title: "new"), id: id)
        }
        while try outbox.read({ try $0.status(of: id) }) != .active { await Task.yield() }
        isReleased.withLock { $0 = true }
        #expect(await iterator.next() == "new")
        return (outbox, iterator)
    }

    @Test func `is not completed, and given no notes, by the call of the one before`() async throws
    {
        let id = UUID()
        let (outbox, _) = try await succeed(id) {}
        while try outbox.read({ try $0.status(of: id) }) != nil { await Task.yield() }
        await fixture.end(outbox)
        #expect(
            log.all == [
                "notes false", "old cancelled: true", "new cancelled: false", "new completed",
            ])
    }

    @Test func `is active, and cancelled when the new operation is skipped`() async throws {
        let id = UUID()
        let (outbox, _) = try await succeed(id) {
            while !Task.isCancelled { await Task.yield() }
        }
        #expect(outbox.pipeline()?.activeOperations == [id])
        try await outbox.write { _ = try $0.skip(id) }
        while log.all.last != "new cancelled: true" { await Task.yield() }
        await fixture.end(outbox)
        #expect(!log.all.contains("new completed"))
    }

    @Test func `may be given to the next by what is written for the outcome`() async throws {
        let outbox = try await bench.open()
        var changes = outbox.queueChanges.makeAsyncIterator()
        let id = try await outbox.write { try $0.add(Step(title: "first")) }
        #expect(await changes.next()?.added == [id])
        for (title, next) in [("first", "second"), ("second", "third")] {
            await hand.wait(forStarts: title == "first" ? 1 : 2)
            let write: @Sendable (Transaction) throws -> Void = { transaction in
                let queue = try transaction.outbox
                if title == "first" { try queue.complete(id) } else { try queue.skip(id) }
                try queue.add(Step(title: next), id: id)
            }
            hand.end(id, title == "first" ? .completed(write) : .skipped(write))
            let change = try #require(await changes.next())
            try #require(change.added == [id])
        }
        await hand.wait(forStarts: 3)
        #expect(try hand.titles() == ["first", "second", "third"])
        await fixture.end(outbox)
    }
}
