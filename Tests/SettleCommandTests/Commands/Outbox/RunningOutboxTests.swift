import Foundation
import Settle
import SettleOutbox
import Synchronization
import TestSupport
import Testing

@testable import SettleCommand

/// Carries operations out when a test says so, and tells what happens to them.
private final class Worker: Sendable {
    enum Event: Hashable {
        case started(UUID, Int)
        case cancelled(UUID)
    }

    struct Failure: Error {}

    private let events: AsyncStream<Event>.Continuation
    private let gates = Mutex<[UUID: AsyncStream<OperationOutcome?>.Continuation]>([:])
    let stream: AsyncStream<Event>

    init() {
        (stream, events) = AsyncStream<Event>.makeStream()
    }

    func carryOut(_ operation: QueuedOperation) async throws -> OperationOutcome {
        let (gate, continuation) = AsyncStream<OperationOutcome?>.makeStream()
        gates.withLock { $0[operation.id] = continuation }
        events.yield(.started(operation.id, operation.startCount))
        for await outcome in gate {
            guard let outcome else { throw Failure() }
            return outcome
        }
        events.yield(.cancelled(operation.id))
        throw CancellationError()
    }

    /// Ends the work at an operation; nil is a failure.
    func end(_ id: UUID, _ outcome: OperationOutcome? = .completed) {
        gates.withLock { $0[id] }?.yield(outcome)
    }
}

@Suite(.serialized, .timeLimit(.minutes(60)))
struct `The outbox of an application that runs, with the tool` {
    private let tool: BuiltTool

    init() throws {
        tool = try BuiltTool()
    }

    private func run(_ arguments: String...) async throws -> BuiltTool.Outcome {
        let outcome = try await tool.run(["outbox"] + arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome)")
        return outcome
    }

    /// Where the operations stand, by the beginnings of their identifiers.
    private func standings(_ path: String) async throws -> [String: JSONValue] {
        let lines = try await run(path, "--json").lines
        var standings: [String: JSONValue] = [:]
        for line in lines {
            let value = try JSONValue(jsonText: line)
            let id = try #require(value["id"]?.stringValue)
            standings[String(id.prefix(8))] = value["status"]
        }
        return standings
    }

    /// A database whose pipeline starts one operation at a time.
    private func withRunning(
        retries: RetryPolicy = RetryPolicy(),
        _ body: (String, Outbox, Worker) async throws -> Void
    ) async throws {
        try await withScratchDirectory("outbox") { scratch in
            let path = scratch.file("shop").path
            let worker = Worker()
            try await DatabasePath(parsing: path).withDatabase(create: true) { database in
                let outbox = try await database.openOutbox(
                    OutboxConfiguration(
                        operations: [PutContact.self],
                        pipelines: [
                            PipelineConfiguration(
                                algorithm: .flatGraph, maxConcurrentOperationCount: 1,
                                retries: retries
                            ) { try await worker.carryOut($0) }
                        ]))
                try await body(path, outbox, worker)
                await outbox.close()
            }
        }
    }

    private func add(_ ids: [UUID], to outbox: Outbox) async throws {
        try await outbox.write { queue in
            for id in ids { try queue.add(PutContact(secret: "x"), id: id) }
        }
    }

    @Test func `skipping ends the work at an operation, and the next one starts`() async throws {
        try await withRunning { path, outbox, worker in
            var events = worker.stream.makeAsyncIterator()
            try await add([StoredID.first, StoredID.later], to: outbox)
            #expect(await events.next() == .started(StoredID.first, 1))
            #expect(try await standings(path) == ["AAAA0000": "active", "BBBB0000": "pending"])
            _ = try await run("skip", path, "AAAA0000")
            // The end of the one and the start of the other are not in order.
            let both = [await events.next(), await events.next()]
            #expect(both.contains(.cancelled(StoredID.first)), "\(both)")
            #expect(both.contains(.started(StoredID.later, 1)), "\(both)")
            #expect(try await standings(path) == ["BBBB0000": "active"])
        }
    }

    @Test func `a held operation is passed over until it is retried`() async throws {
        try await withRunning { path, outbox, worker in
            var events = worker.stream.makeAsyncIterator()
            try await add([StoredID.first, StoredID.second, StoredID.later], to: outbox)
            #expect(await events.next() == .started(StoredID.first, 1))
            _ = try await run("hold", path, "AAAA1111", "--until", "2099-01-01")
            worker.end(StoredID.first)
            #expect(await events.next() == .started(StoredID.later, 1))
            #expect(try await standings(path) == ["AAAA1111": "held", "BBBB0000": "active"])
            worker.end(StoredID.later)
            // Nothing else may start: only what the tool does can be what comes next.
            _ = try await run("retry", path, "AAAA1111")
            #expect(await events.next() == .started(StoredID.second, 1))
        }
    }

    @Test func `an operation that waits after a failure starts at once when it is retried`()
        async throws
    {
        let never = RetryPolicy(first: 1_000_000, longest: 1_000_000)
        try await withRunning(retries: never) { path, outbox, worker in
            var events = worker.stream.makeAsyncIterator()
            var failures = outbox.failures.makeAsyncIterator()
            try await add([StoredID.first], to: outbox)
            #expect(await events.next() == .started(StoredID.first, 1))
            worker.end(StoredID.first, nil)
            #expect(await failures.next()?.operationId == StoredID.first)
            let lines = try await run("show", path, "AAAA").lines
            #expect(lines.contains("status     held"), "\(lines)")
            #expect(lines.contains { $0.hasPrefix("hold       retry, until ") }, "\(lines)")
            _ = try await run("retry", path, "--all")
            #expect(await events.next() == .started(StoredID.first, 2))
        }
    }

    @Test func `an active operation that is given back is begun anew`() async throws {
        try await withRunning { path, outbox, worker in
            var events = worker.stream.makeAsyncIterator()
            var changes = outbox.queueChanges.makeAsyncIterator()
            try await add([StoredID.first], to: outbox)
            #expect(await events.next() == .started(StoredID.first, 1))
            #expect(try await run("retry", path, "AAAA").lines == ["1 operation given back."])
            let both = [await events.next(), await events.next()]
            #expect(both.contains(.cancelled(StoredID.first)), "\(both)")
            #expect(both.contains(.started(StoredID.first, 2)), "\(both)")
            worker.end(StoredID.first)
            while let change = await changes.next(), change.completed.isEmpty {}
            #expect(try await standings(path) == [:])
        }
    }

    @Test func `operations of types that the application does not know are unknown`() async throws {
        try await StoredOutbox.with { stored in
            try await stored.use { _, outbox in
                try await outbox.write {
                    try $0.add(SendPhoto(file: "x"), id: StoredID.photo, pipeline: "photos")
                    // Later in line, so the other was looked at when this one starts.
                    try $0.add(
                        PutContact(secret: "x"), id: StoredID.first, pipeline: "photos")
                }
            }
            let worker = Worker()
            try await DatabasePath(parsing: stored.path).withDatabase { database in
                let outbox = try await database.openOutbox(
                    OutboxConfiguration(
                        operations: [PutContact.self],
                        pipelines: [
                            PipelineConfiguration(),
                            PipelineConfiguration("photos", algorithm: .flatGraph) {
                                try await worker.carryOut($0)
                            },
                        ]))
                var events = worker.stream.makeAsyncIterator()
                #expect(await events.next() == .started(StoredID.first, 1))
                let standings = try await standings(stored.path)
                #expect(standings == ["CCCC0000": "unknown", "AAAA0000": "active"])
                let lines = try await run(stored.path, "--pipeline", "photos").lines
                #expect(lines[0] == "Pipeline 'photos': 2 operations, 1 active, 1 unknown.")
                await outbox.close()
            }
        }
    }
}
