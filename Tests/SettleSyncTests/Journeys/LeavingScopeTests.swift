import Foundation
import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

@Suite(.serialized) struct `What leaves the scope` {
    /// A server that says of rows that leave a query that they do.
    private func reportingServer() -> ModelServer {
        let server = ModelServer()
        server.state.withLock { $0.reportsLeaving = true }
        return server
    }

    @Test func `is purged here and not deleted there`() async throws {
        let device = try await Device()
        let server = reportingServer()
        let backend = ModelBackend(server: server)
        server.put("a", ["channels": ["x"], "n": 1])
        server.put("b", ["channels": ["x"], "n": 1])
        try await device.replicate(backend) { $0.limitToChannels = ["x"] }
        server.put("a", ["channels": ["y"], "n": 2])
        let summary = try await device.replicate(backend) { $0.limitToChannels = ["x"] }
        #expect(summary.pulled == 1)
        #expect(try await device.members("a") == nil)
        let trace = try device.database.read { snapshot in
            try snapshot.document("a", includingDeleted: true)
        }
        #expect(trace == nil)
        #expect(try device.database.pendingOperations().isEmpty)
        #expect(server.contents["a"]?["n"] == 2)

        // Back in the channel, it comes back.
        server.put("a", ["channels": ["x", "y"], "n": 3])
        try await device.replicate(backend) { $0.limitToChannels = ["x"] }
        #expect(try await device.members("a")?["n"] == 3)
    }

    @Test func `was never here, and leaves no trace`() async throws {
        let device = try await Device()
        let server = reportingServer()
        server.put("a", ["channels": ["y"]])
        let backend = ModelBackend(server: server)
        let summary = try await device.replicate(backend) { $0.limitToChannels = ["x"] }
        #expect(summary.pulled == 0)
        #expect(try device.database.lastSequence == 0)
    }

    @Test func `stays until what it has to tell is told`() async throws {
        let device = try await Device()
        let server = reportingServer()
        let backend = ModelBackend(server: server)
        server.put("a", ["channels": ["x"], "n": 1])
        try await device.replicate(backend) { $0.limitToChannels = ["x"] }
        server.put("a", ["channels": ["y"], "n": 2])
        try await device.put("a", ["channels": ["x"], "n": 10])
        let oneWay = try await device.replicate(backend) {
            $0.limitToChannels = ["x"]
            $0.isBidirectional = false
        }
        #expect(oneWay.pulled == 0)
        #expect(try await device.members("a")?["n"] == 10)

        // The push meets the row as a conflict; with the server's side taken, nothing keeps it.
        let summary = try await device.replicate(backend) {
            $0.limitToChannels = ["x"]
            $0.conflictHandler = .serverWins
        }
        #expect(summary.conflictsResolved == 1)
        #expect(try await device.members("a") == nil)
        #expect(server.contents["a"]?["n"] == 2)
    }

    @Test func `was sent out of sight from here, and goes with the next pull`() async throws {
        let device = try await Device()
        let server = reportingServer()
        let backend = ModelBackend(server: server)
        try await device.put("a", ["channels": ["x"]])
        try await device.replicate(backend) { $0.limitToChannels = ["x"] }
        try await device.put("a", ["channels": ["y"]])
        try await device.replicate(backend) { $0.limitToChannels = ["x"] }
        #expect(try await device.members("a") == nil)
        #expect(server.contents["a"] == ["channels": ["y"]])
    }

    @Test func `stays while it has something to tell another remote`() async throws {
        let device = try await Device()
        let server = reportingServer()
        let backend = ModelBackend(server: server)
        var other = ModelBackend(server: ModelServer())
        other.identifier = "other"
        server.put("a", ["channels": ["x"]])
        try await device.replicate(backend) { $0.limitToChannels = ["x"] }
        other.fault = { .requestLost }
        _ = try? await device.replicate(other)
        server.put("a", ["channels": ["y"]])
        try await device.replicate(backend) { $0.limitToChannels = ["x"] }
        #expect(try await device.members("a") != nil)
        #expect(try device.database.pendingOperations(with: "other").count == 1)
    }

    /// Two replications of one table, each with a channel; a document goes from one to the other.
    @Test(arguments: [["x", "y"], ["y", "x"]])
    func `stays when it came into the sight of another replication`(order: [String]) async throws {
        let device = try await Device()
        let server = reportingServer()
        let backend = ModelBackend(server: server)
        server.put("a", ["channels": ["x"], "n": 1])
        for channel in ["x", "y"] {
            try await device.replicate(backend) { $0.limitToChannels = [channel] }
        }
        server.put("a", ["channels": ["y"], "n": 2])
        for _ in 0..<2 {
            for channel in order {
                try await device.replicate(backend) { $0.limitToChannels = [channel] }
            }
        }
        #expect(try await device.members("a")?["n"] == 2)
    }

    @Test func `has a filter of the back-end's own as well, with tokens apart`() async throws {
        let device = try await Device()
        let server = reportingServer()
        var backend = ModelBackend(server: server)
        server.put("a", [:])
        #expect(try await device.replicate(backend).received == 1)
        #expect(try await device.replicate(backend).received == 0)
        backend.filter = "n gt 1"
        #expect(try await device.replicate(backend).received == 1)
    }
}
