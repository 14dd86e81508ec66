import Foundation
import Settle
import SettlePrimitives
import Synchronization
import Testing
import TestSupport

@testable import SettleSync

@Suite(.serialized) struct `Session` {
    /// Writes down what it is told.
    private final class Notes: ReplicationStatusDelegate {
        let lines = Collected<String>()

        func database(
            _ database: Database, replicationDidComplete details: any ReplicationDetails
        ) {
            lines.add("complete")
        }

        func database(
            _ database: Database, replicationIsSending details: any ReplicationDetails, sent: Int,
            totalToSend: Int
        ) {
            lines.add("sent \(sent)/\(totalToSend)")
        }

        func database(
            _ database: Database, replicationIsReceiving details: any ReplicationDetails,
            received: Int, totalToReceive: Int
        ) {
            lines.add("received \(received)/\(totalToReceive)")
        }

        func database(
            _ database: Database, replicationFailed details: any ReplicationDetails,
            error: any Error
        ) {
            lines.add("failed \((error as? ReplicationError)?.code.description ?? "?")")
        }
    }

    /// Waits until what was handed to the completion queue has been done.
    private func drain(_ database: Database) async {
        await withCheckedContinuation { continuation in
            database.completionQueue.async { continuation.resume() }
        }
    }

    @Test func `tells its delegate exact counts, and once that it is done`() async throws {
        let device = try await Device()
        let server = ModelServer()
        let notes = Notes()
        device.database.replicationStatusDelegate = notes
        for id in ["a", "b"] { try await device.put(id, [:]) }
        for id in ["x", "y", "z"] { server.put(id, [:]) }
        try await device.replicate(ModelBackend(server: server)) {
            $0.concurrentRequestsMax = 1
            $0.pageSize = 3
        }
        await drain(device.database)
        let lines = notes.lines.all
        #expect(lines.first == "sent 0/2")
        #expect(lines.contains("sent 2/2"))
        #expect(lines.suffix(3) == ["received 3/5", "received 5/5", "complete"])
        #expect(device.database.replicationDetails == nil)
    }

    @Test func `reports a failure once, and no completion`() async throws {
        let device = try await Device()
        let notes = Notes()
        device.database.replicationStatusDelegate = notes
        var backend = ModelBackend(server: ModelServer())
        backend.fault = { .requestLost }
        await #expect(throws: ReplicationError.self) {
            try await device.replicate(backend) {
                $0.retryLimit = 3
                $0.clock = ImmediateClock()
            }
        }
        await drain(device.database)
        #expect(notes.lines.all == ["failed unreachable"])
    }

    @Test func `gets over failures that pass`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<9 { try await device.put("d\(index)", [:]) }
        let script = Script<ModelBackend.Fault>(
            [.requestLost, .busy, .none, .answerLost, .serverFailed, .none, .requestLost],
            then: .none)
        var backend = ModelBackend(server: server)
        backend.fault = { script.next() }
        let summary = try await device.replicate(backend) {
            $0.retryLimit = 3
            $0.clock = ImmediateClock()
            $0.concurrentRequestsMax = 2
        }
        #expect(server.contents.count == 9)
        #expect(summary.rejected == 0)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `repeats, rests on its clock, and wakes up for a change made here`() async throws {
        let device = try await Device()
        let server = ModelServer()
        let clock = ManualClock()
        var events = device.database.replicationEvents.makeAsyncIterator()
        try await device.database.startReplication(
            with: try device.configuration(isRepeating: true) {
                $0.clock = clock
                $0.pollInterval = .seconds(60)
            }, using: ModelBackend(server: server))
        #expect(device.database.replicationDetails?.isRepeating == true)
        func completed() async throws -> ReplicationSummary {
            while let event = await events.next() {
                if case .completed(let summary) = event { return summary }
            }
            throw CancellationError()
        }
        #expect(try await completed().pushed == 0)

        try await device.put("a", ["n": 1])
        while server.contents["a"] == nil { _ = try await completed() }

        server.put("b", [:])
        while try await device.members("b") == nil {
            await clock.sleepers(reach: 1)
            clock.advance(by: .seconds(60))
            _ = try await completed()
        }
        await device.database.stopReplication()
        #expect(device.database.replicationDetails == nil)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `goes on trying when it repeats, after longer and longer waits`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", [:])
        let clock = ManualClock()
        let script = Script<ModelBackend.Fault>(
            [.requestLost, .requestLost, .requestLost], then: .none)
        var backend = ModelBackend(server: server)
        backend.fault = { script.next() }
        let notes = Notes()
        device.database.replicationStatusDelegate = notes
        var events = device.database.replicationEvents.makeAsyncIterator()
        try await device.database.startReplication(
            with: try device.configuration(isRepeating: true) {
                $0.clock = clock
                $0.random = { 1 }
            }, using: backend)
        for milliseconds in [500, 1_000, 2_000] {
            await clock.sleepers(reach: 1)
            clock.advance(by: .milliseconds(milliseconds - 1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .milliseconds(1))
        }
        loop: while let event = await events.next() {
            if case .completed(let summary) = event {
                #expect(summary.pulled == 1)
                break loop
            }
        }
        await device.database.stopReplication()
        await drain(device.database)
        let told = notes.lines.all
        #expect(told.filter { $0 == "failed unreachable" }.count == 3)
        #expect(told.last == "complete")
    }

    @Test func `ends cleanly and says so once when it is stopped during a request`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<5 { try await device.put("d\(index)", [:]) }
        let hanging = Lock(false)
        var backend = ModelBackend(server: server)
        backend.fault = {
            hanging.withLock { $0 = true }
            // Like a request that gets no answer: it ends when it is given up.
            while !Task.isCancelled { await Task.yield() }
            return .requestLost
        }
        let events = device.database.replicationEvents
        try await device.database.startReplication(
            with: try device.configuration(isRepeating: true), using: backend)
        while !hanging.withLock({ $0 }) { await Task.yield() }
        await device.database.stopReplication()
        await device.database.stopReplication()
        var ends: [String] = []
        for await event in events {
            switch event {
            case .stopped: ends.append("stopped")
            case .failed, .completed: ends.append("\(event)")
            default: continue
            }
            break
        }
        #expect(ends == ["stopped"])
        #expect(try await device.replicate(server).pushed == 5)
    }

    @Test func `is replaced by another, and a one-shot one that is cancelled throws`() async throws
    {
        let device = try await Device()
        let server = ModelServer()
        var hanging = ModelBackend(server: server)
        hanging.fault = {
            while !Task.isCancelled { await Task.yield() }
            return .requestLost
        }
        let configuration = try device.configuration()
        let first = Task { [hanging] in
            try await device.database.replicate(with: configuration, using: hanging)
        }
        while device.database.replicationDetails == nil { await Task.yield() }
        server.put("a", [:])
        #expect(try await device.replicate(server).pulled == 1)
        await #expect(throws: CancellationError.self) { try await first.value }

        let second = Task { [hanging] in
            try await device.database.replicate(with: configuration, using: hanging)
        }
        while device.database.replicationDetails == nil { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(device.database.replicationDetails == nil)
    }

    @Test func `can be started and stopped without waiting, in order`() async throws {
        let device = try await Device()
        let server = ModelServer()
        let configuration = try device.configuration(isRepeating: true)
        let events = device.database.replicationEvents
        func callTheOldWay() {
            device.database.startReplication(
                with: configuration, using: ModelBackend(server: server))
            device.database.stopReplication()
        }
        callTheOldWay()
        var count = 0
        for await event in events {
            if case .started = event { count += 1 }
            if case .stopped = event { break }
        }
        #expect(count <= 1)
        #expect(device.database.replicationDetails == nil)
    }

    @Test func `needs a remote with a name that can be kept`() async throws {
        let device = try await Device()
        for name in ["", String(repeating: "x", count: 256)] {
            var backend = ModelBackend(server: ModelServer())
            backend.identifier = name
            await #expect {
                try await device.replicate(backend)
            } throws: {
                ($0 as? ReplicationError)?.code == .misconfigured
            }
        }
    }

    @Test func `has the defaults of its reference`() throws {
        let url = try #require(URL(string: "http://h/tables/t"))
        let plain = ReplicationConfiguration(url: url)
        #expect(plain.isRepeating && plain.isBidirectional && plain.downloadsAttachments)
        #expect(plain.options.isEmpty && plain.limitToChannels.isEmpty)
        #expect(plain.filterParameters == nil)
        let once = Database.ReplicationConfiguration.oneTimeServerToClientReplication(with: url)
        #expect(!once.isRepeating && !once.isBidirectional)
        let both = ReplicationConfiguration.oneTimeBidirectionalReplication(with: url)
        #expect(!both.isRepeating && both.isBidirectional)
        let always = ReplicationConfiguration.repeatingBidirectionalReplication(with: url)
        #expect(always.isRepeating && always.isBidirectional)
    }
}
