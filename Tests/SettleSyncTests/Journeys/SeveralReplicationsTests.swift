import Foundation
import Settle
import SettlePrimitives
import Synchronization
import Testing
import TestSupport

@testable import SettleSync

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Several replications` {
    /// Waits for a cycle of a replication that began after this was called.
    private func cycle(
        of replication: Replication, after act: () async throws -> Void = {}
    ) async throws {
        let events = replication.events
        try await act()
        for await event in events {
            if case .completed = event { return }
        }
    }

    @Test func `run beside each other, with remotes of their own`() async throws {
        let device = try await Device()
        let (left, right) = (ModelServer(), ModelServer())
        var there = ModelBackend(server: right)
        there.identifier = "right"
        let first = try await device.database.addReplication(
            with: try device.configuration(isRepeating: true),
            using: ModelBackend(server: left))
        let second = try await device.database.addReplication(
            with: try device.configuration(isRepeating: true), using: there)
        #expect(Set(device.database.replications.map(\.remote)) == ["model", "right"])
        try await device.put("a", ["n": 1])
        // The seed's own slot is free beside them.
        let summary = try await device.replicate(ModelBackend(server: left))
        #expect(summary.conflicts == 0)
        await first.stop()
        await second.stop()
        #expect(device.database.replications.isEmpty)
        try await device.replicate(there)
        #expect(left.contents == ["a": ["n": 1]])
        #expect(right.contents == ["a": ["n": 1]])
        #expect(left.complaints.isEmpty)
    }

    @Test func `of one remote send nothing twice`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<200 { try await device.put("d\(index)", ["n": .integer(Int64(index))]) }
        var replications: [Replication] = []
        for channel in ["x", "y", "z"] {
            replications.append(
                try await device.database.addReplication(
                    with: try device.configuration { $0.limitToChannels = [channel] },
                    using: ModelBackend(server: server)))
        }
        var pushed = 0
        for replication in replications {
            let summary = try await replication.summary()
            pushed += summary.pushed
            #expect(summary.conflicts == 0)
        }
        #expect(pushed == 200)
        #expect(server.state.withLock { $0.executedCount } == 200)
        #expect(server.contents.count == 200)
        #expect(device.database.replications.isEmpty)
    }

    @Test func `change their channels while they run`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for channel in ["x", "y", "z"] { server.put(channel, ["channels": [.string(channel)]]) }
        let clock = ManualClock()
        let replication = try await device.database.addReplication(
            with: try device.configuration(isRepeating: true) {
                $0.limitToChannels = ["x"]
                $0.clock = clock
            }, using: ModelBackend(server: server))
        func count() throws -> Int { try device.database.totalDocumentCount }
        try await cycle(of: replication) { replication.wake() }
        #expect(try count() == 1)
        try await cycle(of: replication) { replication.addChannel("y") }
        #expect(try count() == 2)
        #expect(replication.limitToChannels == ["x", "y"])
        #expect(replication.details.limitToChannels == ["x", "y"])
        #expect(replication.removeChannel("x"))
        #expect(!replication.removeChannel("y"))
        #expect(replication.limitToChannels == ["y"])
        try await cycle(of: replication) { replication.removeAllChannels() }
        #expect(try count() == 3)
        await replication.stop()
        #expect(server.complaints.isEmpty)
    }

    @Test func `try again at once after a failure when the app says so`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("x", [:])
        let clock = ManualClock()
        let isAway = Atomic(true)
        var backend = ModelBackend(server: server)
        backend.fault = { isAway.load(ordering: .relaxed) ? .requestLost : .none }
        let replication = try await device.database.addReplication(
            with: try device.configuration(isRepeating: true) { $0.clock = clock }, using: backend)
        for act in [{ replication.wake() }, { replication.addChannel("y") }]
            as [@Sendable () -> Void]
        {
            let events = replication.events
            await clock.sleepers(reach: 1)
            act()
            for await event in events {
                if case .failed = event { break }
            }
        }
        await clock.sleepers(reach: 1)
        // What is changed here does not hurry a remote that is away.
        try await device.put("a", [:])
        #expect(server.contents["a"] == nil)
        isAway.store(false, ordering: .relaxed)
        try await cycle(of: replication) { replication.wake() }
        #expect(server.contents["a"] != nil)
        #expect(clock.now.offset == .zero)
        // The poll wait is not ended by what ended the wait for that try.
        let pullCount = server.state.withLock { $0.pullCount }
        await clock.sleepers(reach: 1)
        await replication.stop()
        #expect(server.state.withLock { $0.pullCount } == pullCount)
    }

    @Test func `wait before each of their tries when they have so many`() async throws {
        let device = try await Device()
        let clock = ManualClock()
        let tries = Atomic(0)
        var backend = ModelBackend(server: ModelServer())
        backend.fault = {
            tries.add(1, ordering: .relaxed)
            return .requestLost
        }
        let replication = try await device.database.addReplication(
            with: try device.configuration {
                $0.clock = clock
                $0.retryLimit = 3
            }, using: backend)
        await clock.sleepers(reach: 1)
        for channel in ["x", "y", "z"] {
            replication.addChannel(channel)
            replication.wake()
        }
        #expect(clock.sleeperCount == 1)
        #expect(tries.load(ordering: .relaxed) == 1)
        await replication.stop()
    }

    @Test func `begin a pull anew when the channels change in the middle of it`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<20 {
            server.put("d\(index)", ["channels": [index < 10 ? "x" : "y"]])
        }
        let chosen = Lock<Replication?>(nil)
        let requests = Atomic(0)
        let isReady = Gate()
        var backend = ModelBackend(server: server)
        backend.fault = {
            await isReady.wait()
            if requests.add(1, ordering: .relaxed).newValue == 3 {
                chosen.withLock { $0 }?.limitToChannels = ["y"]
            }
            return .none
        }
        let replication = try await device.database.addReplication(
            with: try device.configuration {
                $0.limitToChannels = ["x"]
                $0.pageSize = 2
            }, using: backend)
        chosen.withLock { $0 = replication }
        isReady.open()
        try await replication.summary()
        chosen.withLock { $0 = nil }
        let ids = try device.database.changeBatch(since: 0).changes.map(\.documentId)
        #expect(Set(ids).isSuperset(of: (10..<20).map { "d\($0)" }))
        #expect(ids.count < 20)
    }

    @Test func `have event streams of their own, which end with them`() async throws {
        let device = try await Device()
        let server = ModelServer()
        let isReady = Gate()
        var backend = ModelBackend(server: server)
        backend.fault = {
            await isReady.wait()
            return .none
        }
        let replication = try await device.database.addReplication(
            with: try device.configuration(), using: backend)
        let events = replication.events
        isReady.open()
        var completedCount = 0
        for await event in events {
            if case .completed = event { completedCount += 1 }
        }
        #expect(completedCount == 1)
        for await _ in replication.events { Issue.record("It has ended.") }
    }

    @Test func `purge under way makes a pull begin at the beginning`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<10 { server.put("d\(index)", [:]) }
        let requests = Atomic(0)
        var backend = ModelBackend(server: server)
        backend.fault = {
            if requests.add(1, ordering: .relaxed).newValue == 4 {
                _ = try? await device.database.purgeReplicatedDocuments(of: "model")
            }
            return .none
        }
        try await device.replicate(backend) { $0.pageSize = 2 }
        #expect(try device.database.totalDocumentCount == 10)
    }
}

/// Lets tasks wait until it is opened.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func wait() async {
        for await _ in stream {}
    }

    func open() {
        continuation.finish()
    }
}
