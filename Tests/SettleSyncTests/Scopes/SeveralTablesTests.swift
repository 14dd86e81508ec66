import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Several tables in one call` {
    @Test func `each have a result, and one that fails does not end the others`() async throws {
        var two = try await TwoTables()
        two.notes.server.put("n", [:])
        two.todos.fault = { .requestLost }
        try await two.put("t", ["type": "todo"])
        let results = try await two.replicate()
        #expect(results.map(\.remote) == ["todos", "notes"])
        #expect(results[0].error?.code == .unreachable)
        #expect(try results[1].summary().pulled == 1)
        #expect(throws: ReplicationError.self) { try results[0].summary() }
    }

    @Test func `have all ended when the call was cancelled and returns`() async throws {
        var two = try await TwoTables()
        let (arrivals, arrive) = AsyncStream<Void>.makeStream()
        let over = Collected<Bool>()
        two.notes.fault = {
            arrive.yield()
            // Busy for a while after the call was cancelled.
            while !Task.isCancelled { await Task.yield() }
            for _ in 0..<1_000 { await Task.yield() }
            over.add(true)
            return .none
        }
        let targets = try two.targets()
        let call = Task { [two] in try await two.database.replicate(with: targets) }
        for await _ in arrivals { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(!over.all.isEmpty)
    }

    @Test func `are refused when two have one type, or are the same`() async throws {
        let two = try await TwoTables()
        let configuration = try two.device.configuration { $0.scope = .documents(ofType: "todo") }
        for second in [two.todos, two.notes] {
            await #expect {
                try await two.database.replicate(with: [
                    ReplicationTarget(configuration, using: two.todos),
                    ReplicationTarget(configuration, using: second),
                ])
            } throws: {
                ($0 as? ReplicationError)?.code == .misconfigured
            }
        }
        #expect(try two.database.replicationScope(of: "todos") == nil)
    }

    @Test func `go on until one call stops them all, and report each by itself`() async throws {
        let two = try await TwoTables()
        let reports = two.database.replicationReports
        let targets = try two.targets { $0.isRepeating = true }
        let replications = try await two.database.startReplication(with: targets)
        #expect(replications.map(\.remote) == ["todos", "notes"])
        try await two.put("n", ["type": "note"])
        try await two.put("t", ["type": "todo"])
        var pushed: [String: Int] = [:]
        for await report in reports {
            guard case .completed(let summary) = report.event else { continue }
            pushed[report.remote ?? "", default: 0] += summary.pushed
            if pushed["todos"] == 1, pushed["notes"] == 1 { break }
        }
        #expect(pushed == ["todos": 1, "notes": 1])
        await two.database.stopReplication()
        for replication in replications {
            await #expect(throws: CancellationError.self) { try await replication.summary() }
        }
        #expect(two.database.replicationDetails == nil)
    }

    @Test func `are replaced together by the next start`() async throws {
        let two = try await TwoTables()
        let targets = try two.targets { $0.isRepeating = true }
        let replications = try await two.database.startReplication(with: targets)
        try await two.replicate("todo")
        for replication in replications {
            await #expect(throws: CancellationError.self) { try await replication.summary() }
        }
    }

    @Test func `end without waiting when they cannot start, and say so of each`() async throws {
        let two = try await TwoTables()
        let reports = two.database.replicationReports
        let configuration = try two.device.configuration()
        func start() {
            two.database.startReplication(with: [
                ReplicationTarget(configuration, using: two.todos),
                ReplicationTarget(configuration, using: two.todos),
            ])
        }
        start()
        var count = 0
        for await report in reports {
            guard case .failed(let error) = report.event else { continue }
            #expect(error.code == .misconfigured)
            count += 1
            if count == 2 { break }
        }
    }
}

/// The operations of all tables, in the order in which they reached their servers.
private final class Arrivals: Sendable {
    let all = Lock<[String]>([])

    func record(_ operation: RemoteOperation) -> String? {
        all.withLock { $0.append(operation.id) }
        return nil
    }

    var ids: [String] { all.withLock { $0 } }
}

@Suite(.serialized) struct `The order of commits across tables` {
    private func tables() async throws -> (TwoTables, Arrivals) {
        var two = try await TwoTables()
        let arrivals = Arrivals()
        two.todos.rejection = { arrivals.record($0) }
        two.notes.rejection = { arrivals.record($0) }
        return (two, arrivals)
    }

    @Test func `is kept when asked`() async throws {
        let (two, arrivals) = try await tables()
        var expected: [String] = []
        for (index, type) in ["note", "todo", "todo", "note", "todo", "note", "note"].enumerated() {
            expected.append("d\(index)")
            try await two.put("d\(index)", ["type": .string(type)])
        }
        let results = try await two.replicate(inOrder: true) { $0.concurrentRequestsMax = 1 }
        #expect(try results.map { try $0.summary().pushed } == [3, 4])
        #expect(arrivals.ids == expected)
    }

    @Test func `is kept by those that go on`() async throws {
        let (two, arrivals) = try await tables()
        let targets = try two.targets {
            $0.isRepeating = true
            $0.concurrentRequestsMax = 1
        }
        let events = two.database.replicationReports
        try await two.database.startReplication(with: targets, keepingCommitOrder: true)
        var expected: [String] = []
        for index in 0..<12 {
            expected.append("d\(index)")
            try await two.put("d\(index)", ["type": index % 3 == 0 ? "note" : "todo"])
        }
        var pushed = 0
        for await report in events {
            guard case .completed(let summary) = report.event else { continue }
            pushed += summary.pushed
            if pushed == 12 { break }
        }
        await two.database.stopReplication()
        #expect(arrivals.ids == expected)
    }

    @Test func `holds up what comes after a failure that passes`() async throws {
        var (two, arrivals) = try await tables()
        try await two.put("n", ["type": "note"])
        try await two.put("t", ["type": "todo"])
        two.notes.fault = { .requestLost }
        let results = try await two.replicate(inOrder: true)
        #expect(results[0].error?.code == .heldBack)
        #expect(results[1].error?.code == .unreachable)
        #expect(arrivals.ids.isEmpty)
        #expect(try two.pending("todos") == ["insert t"])
        two.notes.fault = { .none }
        try await two.replicate(inOrder: true)
        #expect(arrivals.ids == ["n", "t"])
    }

    @Test func `holds up nothing for what is refused`() async throws {
        var (two, arrivals) = try await tables()
        try await two.put("n", ["type": "note"])
        try await two.put("t", ["type": "todo"])
        two.notes.rejection = { _ in "No." }
        let results = try await two.replicate(inOrder: true)
        #expect(try results[0].summary().pushed == 1)
        #expect(try results[1].summary().rejected == 1)
        #expect(arrivals.ids == ["t"])
    }

    @Test func `holds up nothing for a conflict that is left`() async throws {
        let (two, arrivals) = try await tables()
        two.notes.server.put("n", ["text": "theirs"])
        try await two.put("n", ["type": "note", "text": "ours"])
        try await two.put("t", ["type": "todo"])
        let results = try await two.replicate(inOrder: true)
        #expect(try results[0].summary().pushed == 1)
        #expect(try results[1].summary().conflicts == 1)
        #expect(arrivals.ids == ["n", "t"])
    }

    @Test func `comes to an end when both tables fail on something in between`() async throws {
        var (two, arrivals) = try await tables()
        for index in 0..<6 {
            try await two.put("d\(index)", ["type": index % 2 == 0 ? "note" : "todo"])
        }
        let notesFaults = Script<ModelBackend.Fault>([.serverFailed, .none, .none], then: .none)
        let todosFaults = Script<ModelBackend.Fault>(
            [.none, .serverFailed, .none], then: .none)
        two.notes.fault = { notesFaults.next() }
        two.todos.fault = { todosFaults.next() }
        for _ in 0..<4 { try await two.replicate(inOrder: true) { $0.concurrentRequestsMax = 1 } }
        #expect(try two.database.pendingOperations().isEmpty)
        #expect(arrivals.ids == (0..<6).map { "d\($0)" })
    }

    @Test func `does not wait for a table that only pulls`() async throws {
        let (two, arrivals) = try await tables()
        try await two.put("n", ["type": "note"])
        try await two.put("t", ["type": "todo"])
        var targets = try two.targets()
        targets[1].configuration.isBidirectional = false
        let results = try await two.database.replicate(with: targets, keepingCommitOrder: true)
        #expect(try results[0].summary().pushed == 1)
        #expect(arrivals.ids == ["t"])
    }
}
