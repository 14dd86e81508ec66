import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleOutbox

/// What meets what: closing, suspending, other participants, delegates that do not listen.
@Suite(.serialized) struct `The life of an outbox` {
    private let fixture: PipelineFixture
    private var bench: OutboxBench { fixture.bench }
    private var hand: Hand { fixture.bench.hand }
    private var clock: ManualClock { fixture.time.clock }

    init() async throws { fixture = try await PipelineFixture() }

    @Test func `does not look again and again for a hold that ends while it is suspended`()
        async throws
    {
        let outbox = try await bench.open()
        outbox.suspend()
        let date = fixture.time.now.addingTimeInterval(30)
        let id = try await outbox.write { queue in
            let id = try queue.add(Step(title: "a"))
            try queue.hold(id, until: date, context: "quota")
            return id
        }
        // The look for commits of others, and the timer of the hold.
        await clock.sleepers(reach: 2)
        clock.advance(by: .seconds(31))
        // Two more commits that are looked at, and no timer for what has come.
        for title in ["b", "c"] { try await outbox.write { try $0.add(Step(title: title)) } }
        while clock.sleeperCount != 1 { await Task.yield() }
        #expect(hand.started.isEmpty)
        outbox.resume()
        await hand.wait(forStarts: 1)
        #expect(hand.started.first?.id == id)
        await fixture.end(outbox)
    }

    @Test func `stores what a write adds that is under way while it is closed`() async throws {
        let outbox = try await bench.open(operations: [Step.self])
        let (added, isAdded) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let database = bench.database
        async let writing: Void = database.write { transaction in
            try transaction.save(["id": "a"])
            try transaction.outbox.add(Step(title: "a"))
            isAdded.yield()
            gate.wait()
        }
        for await _ in added { break }
        await outbox.close()
        gate.signal()
        try await writing
        let stored = try database.read { try OutboxSnapshot(in: $0).operations() }
        #expect(stored.count == 1)
        #expect(try database.totalDocumentCount == 1)
        await database.close()
    }

    /// Adds an operation for every document that changes.
    private final class Sender: CommitParticipant {
        func willCommit(_ changes: [DocumentChange], in transaction: Transaction) throws {
            for change in changes {
                try transaction.outbox.add(
                    Step(title: change.documentId), about: [change.documentId])
            }
        }
    }

    @Test(arguments: [true, false])
    func `stores what another participant adds, whichever came first`(isFirst: Bool) async throws {
        let sender = Sender()
        if isFirst { bench.database.addParticipant(sender) }
        let outbox = try await bench.open()
        if !isFirst { bench.database.addParticipant(sender) }
        try await bench.database.save(["id": "a"])
        await hand.wait(forStarts: 1)
        #expect(try hand.titles() == ["a"])
        bench.database.removeParticipant(sender)
        await fixture.end(outbox)
    }

    @Test
    func `never calls a delegate twice at a time for one operation, and waits for it at the end`()
        async throws
    {
        let running = Mutex((now: 0, most: 0))
        let starts = Mutex(0)
        let (turns, turn) = AsyncStream<Void>.makeStream()
        let stubborn = PipelineConfiguration { _ in
            running.withLock { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
            starts.withLock { $0 += 1 }
            turn.yield()
            // Deaf to being cancelled.
            for _ in 0..<200 { await Task.yield() }
            running.withLock { $0.now -= 1 }
            return .leftActive
        }
        let outbox = try await bench.database.openOutbox(
            OutboxConfiguration(operations: [Step.self], pipelines: [stubborn]))
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        var iterator = turns.makeAsyncIterator()
        for _ in 0..<5 {
            _ = await iterator.next()
            try await outbox.write { try $0.giveBack(id) }
        }
        await outbox.close()
        #expect(running.withLock { $0.now } == 0)
        #expect(running.withLock { $0.most } == 1)
        await bench.database.close()
    }

    @Test func `can be closed by a delegate`() async throws {
        let database = bench.database
        let (closed, isClosed) = AsyncStream<Void>.makeStream()
        let outbox = try await database.openOutbox(
            OutboxConfiguration(
                operations: [Step.self],
                pipelines: [
                    PipelineConfiguration { _ in
                        await database.outbox?.close()
                        isClosed.yield()
                        return .completed
                    }
                ]))
        try await outbox.write { try $0.add(Step(title: "log out")) }
        for await _ in closed { break }
        #expect(database.outbox == nil)
        await database.close()
    }

    @Test(arguments: [Outbox.defaultPipeline, "other"])
    func `can be closed by several delegates at a time`(pipeline: String) async throws {
        let opened = Mutex<Outbox?>(nil)
        let enteredCount = Mutex(0)
        let (closed, isClosed) = AsyncStream<Void>.makeStream()
        let logOut: @Sendable (QueuedOperation) async throws -> OperationOutcome = { _ in
            enteredCount.withLock { $0 += 1 }
            while enteredCount.withLock({ $0 }) < 2 { await Task.yield() }
            await opened.withLock { $0 }?.close()
            isClosed.yield()
            return .completed
        }
        let outbox = try await bench.open([
            PipelineConfiguration(start: logOut), PipelineConfiguration("other", start: logOut),
        ])
        opened.withLock { $0 = outbox }
        try await outbox.write { queue in
            try queue.add(Step(title: "a"))
            try queue.add(Step(title: "b"), pipeline: pipeline)
        }
        while enteredCount.withLock({ $0 }) < 2 { await Task.yield() }
        await outbox.close()
        #expect(bench.database.outbox == nil)
        var calls = closed.makeAsyncIterator()
        for _ in 1...2 { _ = await calls.next() }
        await bench.database.close()
    }

    @Test func `does not begin when it is closed while it opens`() async throws {
        let database = bench.database
        let (held, isHeld) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        async let writing: Void = database.write { _ in
            isHeld.yield()
            gate.wait()
        }
        for await _ in held { break }
        let opening = Task { [bench] in try await bench.open() }
        while database.outbox == nil { await Task.yield() }
        await database.outbox?.close()
        gate.signal()
        try await writing
        let error = await #expect(throws: OutboxError.self) { try await opening.value }
        #expect(error?.code == .closed)
        // It is not in the way of the next.
        let outbox = try await bench.open()
        try await outbox.write { try $0.add(Step(title: "a")) }
        await hand.wait(forStarts: 1)
        await fixture.end(outbox)
    }

    @Test func `tells when a pipeline can start nothing`() async throws {
        let outbox = try await bench.open()
        outbox.suspend()
        var failures = outbox.pipelineFailures.makeAsyncIterator()
        let id = try await outbox.write { try $0.add(Step(title: "a")) }
        try await bench.database.write { transaction in
            let table = try OutboxTable(writingIn: transaction)
            let key = try #require(try table.key(of: id))
            try table.set([9], for: OutboxRowKey.operation(key))
        }
        outbox.resume()
        let failure = try #require(await failures.next())
        #expect(failure.pipeline == Outbox.defaultPipeline)
        #expect((failure.error as? DatabaseError)?.code == .corrupted)
        #expect(failure.retryDate > fixture.time.now)
        await fixture.end(outbox)
    }

    @Test func `is not suspended by an operation that somebody has skipped`() async throws {
        let outbox = try await bench.open([bench.pipeline(limit: 1)])
        let (turns, turn) = AsyncStream<Void>.makeStream()
        let deaf = PipelineConfiguration { operation in
            if try operation.operation(as: Step.self)?.title == "next" {
                turn.yield()
                return .completed
            }
            try await bench.database.write { try $0.outbox.skip(operation.id) }
            return .suspendPipeline()
        }
        await outbox.close()
        let second = try await bench.database.openOutbox(
            OutboxConfiguration(operations: [Step.self], pipelines: [deaf]))
        try await second.write { queue in
            try queue.add(Step(title: "skipped"))
            try queue.add(Step(title: "next"))
        }
        for await _ in turns { break }
        while second.pipeline()?.suspendCount != 0 { await Task.yield() }
        await fixture.end(second)
    }

    @Test(arguments: [true, false])
    func `ends when the database is closed`(isRunning: Bool) async throws {
        let outbox = try await bench.database.openOutbox(
            OutboxConfiguration(
                operations: [Step.self], pipelines: [bench.pipeline()], isRunning: isRunning))
        var changes = outbox.queueChanges.makeAsyncIterator()
        await bench.database.close()
        let change = await changes.next()
        #expect(change == nil)
        #expect(bench.database.outbox == nil)
    }
}
