import Foundation
import Settle
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Purging what is replicated` {
    @Test func `removes it here, keeps it there, and lets it come again`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<2_500 { server.put("d\(index)", ["n": .integer(Int64(index))]) }
        try await device.put("local", ["n": 1])
        try await device.replicate(server)
        let count = try await device.database.purgeReplicatedDocuments(of: "model")
        #expect(count == 2_501)
        #expect(try device.database.totalDocumentCount == 0)
        #expect(try device.database.pendingOperations().isEmpty)
        #expect(server.contents.count == 2_501)
        #expect(try await device.replicate(server).pulled == 2_501)
        #expect(server.complaints.isEmpty)
    }

    @Test func `is refused while anything is pending, and changes nothing then`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", ["n": 1])
        server.put("b", ["n": 1])
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        await #expect {
            try await device.database.purgeReplicatedDocuments(of: "model")
        } throws: { error in
            let error = error as? ReplicationError
            return error?.code == .pendingOperations && error?.documentId == "a"
        }
        #expect(try device.database.totalDocumentCount == 2)
        #expect(try await device.replicate(server).received == 1)
    }

    @Test func `gives up what is pending when it is forced to, conflicts included`() async throws {
        let device = try await Device()
        let server = ModelServer()
        server.put("a", ["n": 1])
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        server.put("a", ["n": 3])
        try await device.replicate(server)
        #expect(try device.database.replicationConflicts().count == 1)
        try await device.put("mine", [:])
        let count = try await device.database.purgeReplicatedDocuments(
            of: "model", discardingPendingOperations: true)
        #expect(count == 2)
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try device.database.pendingOperations().isEmpty)
        try await device.replicate(server)
        #expect(try await device.members("a") == ["n": 3])
        #expect(try await device.members("mine") == nil)
        #expect(server.contents["mine"] == nil)
    }

    @Test func `takes only the documents that are chosen`() async throws {
        let device = try await Device()
        let server = ModelServer()
        for index in 0..<10 { server.put("d\(index)", ["n": .integer(Int64(index))]) }
        try await device.replicate(server)
        let count = try await device.database.purgeReplicatedDocuments(of: "model") {
            ($0.integer("n") ?? 0) < 4
        }
        #expect(count == 4)
        #expect(try device.database.totalDocumentCount == 6)
    }

    @Test func `leaves what another remote is still to be told of`() async throws {
        let device = try await Device()
        let server = ModelServer()
        var other = ModelBackend(server: ModelServer())
        other.identifier = "other"
        other.fault = { .requestLost }
        server.put("a", ["n": 1])
        try await device.replicate(server)
        _ = try? await device.replicate(other)
        #expect(try await device.database.purgeReplicatedDocuments(of: "model") == 0)
        #expect(try await device.members("a") == ["n": 1])
    }

    @Test func `does nothing for a remote that was never met`() async throws {
        let device = try await Device()
        try await device.put("a", [:])
        #expect(try await device.database.purgeReplicatedDocuments(of: "nobody") == 0)
        #expect(try device.database.totalDocumentCount == 1)
    }
}
