import Foundation
import Logging
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Replication configuration` {
    @Test(arguments: [false, true])
    func `tells the back-end whether only what changed is to be sent`(
        sendsOnlyChanges: Bool
    ) async throws {
        let device = try await Device()
        let seen = Collected<RemoteOperation>()
        var backend = ModelBackend(server: ModelServer())
        backend.rejection = { operation in
            seen.add(operation)
            return nil
        }
        try await device.put("a", ["n": 1, "text": "x"])
        try await device.replicate(backend) { $0.sendsOnlyChanges = sendsOnlyChanges }
        try await device.put("a", ["n": 2, "text": "x"])
        try await device.replicate(backend) { $0.sendsOnlyChanges = sendsOnlyChanges }
        // An insert has nothing that it could leave out.
        #expect(seen.all.map(\.kind) == [.insert, .update])
        #expect(seen.all.map(\.sendsOnlyChanges) == [false, sendsOnlyChanges])
        #expect(seen.all.last?.changedNames == ["n"])
        #expect(seen.all.last?.members == ["n": 2, "text": "x"])
    }

    @Test(arguments: [0, -1, .min])
    func `has no page of no items and no push without a request`(value: Int) async throws {
        let device = try await Device()
        let server = ModelServer()
        let backend = ModelBackend(server: server)
        func expectRefusal(
            of name: String, _ change: (inout ReplicationConfiguration) -> Void
        ) async {
            do {
                try await device.replicate(backend, change)
                Issue.record("'\(name)' was \(value).")
            } catch let error as ReplicationError {
                #expect(error.code == .misconfigured)
                #expect(error.message.contains("'\(name)' is \(value); it has to be 1 or more"))
            } catch {
                Issue.record(error)
            }
        }
        await expectRefusal(of: "pageSize") { $0.pageSize = value }
        await expectRefusal(of: "concurrentRequestsMax") { $0.concurrentRequestsMax = value }
        #expect(server.state.withLock { $0.pullCount } == 0)
        try await device.replicate(backend) { $0.pageSize = 1 }
        #expect(server.state.withLock { $0.pullCount } == 1)
    }

    /// Writes down what is logged.
    private struct Notebook: LogHandler {
        let lines: Collected<String>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            lines.add("\(event.level) \(all["remote"] ?? "") \(all["code"] ?? "")")
        }
    }

    @Test func `logs where its configuration says, and not where the database's others do`()
        async throws
    {
        let device = try await Device()
        let (own, shared) = (Collected<String>(), Collected<String>())
        device.database.replicationLogger = Logger(label: "shared") { _ in
            Notebook(lines: shared)
        }
        var backend = ModelBackend(server: ModelServer())
        backend.fault = { .requestLost }
        await #expect(throws: ReplicationError.self) {
            try await device.replicate(backend) {
                $0.logger = Logger(label: "own") { _ in Notebook(lines: own) }
            }
        }
        #expect(own.all == ["error model unreachable"])
        #expect(shared.all.isEmpty)
        await #expect(throws: ReplicationError.self) { try await device.replicate(backend) }
        #expect(shared.all == ["error model unreachable"])
    }
}
