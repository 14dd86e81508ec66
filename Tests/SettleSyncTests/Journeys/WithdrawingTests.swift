import Foundation
import Settle
import Testing

@testable import SettleSync

/// Operations that a server refuses for good had no way out but an edit.
@Suite(.serialized) struct `A withdrawn operation` {
    /// Refuses everything with a status and a body.
    private func refusing(_ server: ModelServer) -> ModelBackend {
        var backend = ModelBackend(server: server)
        backend.rejectionOfAll = RemoteRejection(
            reason: "No.", statusCode: 422, body: Data(#"{"field":"n"}"#.utf8))
        return backend
    }

    /// A document that both sides have with n = 1, and whose edit to n = 2 is refused.
    private func refused() async throws -> (Device, ModelServer, PendingOperation) {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["n": 1])
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        #expect(try await device.replicate(refusing(server)).rejected == 1)
        let operation = try #require(try device.database.rejectedOperations().first)
        return (device, server, operation)
    }

    @Test func `has the status and the body of the refusal, also after a restart`() async throws {
        let (device, _, operation) = try await refused()
        let again = try await Device(reopening: device)
        let found = try #require(try again.database.rejectedOperations().first)
        #expect(found == operation)
        #expect(found.statusCode == 422)
        #expect(found.responseBody == Data(#"{"field":"n"}"#.utf8))
        #expect(!String(describing: RemoteOutcome.rejected(reason: "x")).contains("field"))
        // An edit may make it right: nothing is refused any more.
        try await again.put("a", ["n": 3])
        #expect(try await again.database.withdraw(found, .dropBoth) == false)
        let edited = try #require(try again.database.pendingOperations().first)
        #expect(edited.state == .waiting && edited.statusCode == nil && edited.responseBody == nil)
        #expect(try await again.members("a") == ["n": 3])
    }

    @Test func `keeps no more of a body than it may`() {
        let long = RemoteRejection(
            reason: "", statusCode: 400, body: Data(repeating: 7, count: 100_000))
        #expect(long.body?.count == RemoteRejection.bodySizeMax)
        #expect(RemoteRejection(reason: "", body: Data()).body == nil)
    }

    @Test func `leaves our document as it is, until it is edited`() async throws {
        let (device, server, operation) = try await refused()
        #expect(try await device.database.withdraw(operation, .keepOurs))
        #expect(try device.database.pendingOperations().isEmpty)
        for _ in 0..<2 {
            let summary = try await device.replicate(server)
            #expect(summary.pushed == 0)
        }
        #expect(try await device.members("a") == ["n": 2])
        #expect(server.contents["a"] == ["n": 1])
        try await device.put("a", ["n": 3])
        try await device.replicate(server)
        #expect(server.contents["a"] == ["n": 3])
        #expect(try await device.members("a") == ["n": 3])
    }

    @Test func `gives the document the state of the server`() async throws {
        let (device, server, operation) = try await refused()
        #expect(try await device.database.withdraw(operation, .takeTheirs))
        #expect(try await device.members("a") == ["n": 1])
        #expect(try device.database.pendingOperations().isEmpty)
        #expect(try await device.replicate(server).pushed == 0)
        #expect(server.contents["a"] == ["n": 1])
        #expect(server.complaints.isEmpty)
    }

    @Test(arguments: [true, false])
    func `looks the state of the server up where it is not known`(isThere: Bool) async throws {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["n": 2])
        try await device.replicate(refusing(server))
        let operation = try #require(try device.database.rejectedOperations().first)
        if isThere { server.put("a", ["theirs": true]) }
        await #expect {
            try await device.database.withdraw(operation, .takeTheirs)
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
        #expect(try await device.members("a") == ["n": 2])
        let backend = ModelBackend(server: server)
        #expect(try await device.database.withdraw(operation, .takeTheirs, using: backend))
        #expect(try await device.members("a") == (isThere ? ["theirs": true] : nil))
        #expect(try await device.replicate(server).pushed == 0)
        #expect(server.contents["a"] == (isThere ? ["theirs": true] : nil))
    }

    @Test func `drops the document here, and not there`() async throws {
        let (device, server, operation) = try await refused()
        #expect(try await device.database.withdraw(operation, .dropBoth))
        #expect(try await device.members("a") == nil)
        #expect(try device.database.pendingOperations().isEmpty)
        #expect(try await device.replicate(server).pushed == 0)
        #expect(server.contents["a"] == ["n": 1])
        #expect(try await device.members("a") == nil)
        server.put("a", ["n": 5])
        try await device.replicate(server)
        #expect(try await device.members("a") == ["n": 5])
    }

    @Test func `stays when another remote is still to be told of the document`() async throws {
        let (device, _, operation) = try await refused()
        var other = ModelBackend(server: ModelServer())
        other.identifier = "other"
        other.fault = { .requestLost }
        _ = try? await device.replicate(other)
        await #expect {
            try await device.database.withdraw(operation, .dropBoth)
        } throws: {
            ($0 as? ReplicationError)?.code == .pendingOperations
        }
        #expect(try await device.members("a") == ["n": 2])
        #expect(try device.database.rejectedOperations(with: "model").count == 1)
    }

    @Test(arguments: OperationWithdrawal.allCases)
    func `may be one that waits, a deletion, or a conflict`(
        withdrawal: OperationWithdrawal
    ) async throws {
        let (device, server) = (try await Device(), ModelServer())
        for id in ["waiting", "deleted", "conflict"] { try await device.put(id, ["n": 1]) }
        try await device.replicate(server)
        try await device.put("conflict", ["n": 2])
        server.put("conflict", ["n": 3])
        try await device.replicate(server)
        try await device.put("waiting", ["n": 2])
        try await device.database.delete(documentWithId: "deleted")
        let operations = try device.database.pendingOperations()
        #expect(operations.count == 3)
        for operation in operations {
            #expect(try await device.database.withdraw(operation, withdrawal))
        }
        #expect(try device.database.pendingOperations().isEmpty)
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try await device.replicate(server).pushed == 0)
        let waiting = try await device.members("waiting")
        let deleted = try await device.members("deleted")
        let conflict = try await device.members("conflict")
        switch withdrawal {
        case .keepOurs:
            #expect(waiting == ["n": 2] && deleted == nil && conflict == ["n": 2])
        case .takeTheirs:
            #expect(waiting == ["n": 1] && deleted == ["n": 1] && conflict == ["n": 3])
        case .dropBoth:
            #expect(waiting == nil && deleted == nil && conflict == nil)
        }
        #expect(server.contents["waiting"] == ["n": 1])
        #expect(server.contents["deleted"] == ["n": 1])
        #expect(server.contents["conflict"] == ["n": 3])
    }

    @Test func `is left alone when its document was edited since it was listed`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["n": 1])
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        let operation = try #require(try device.database.pendingOperations().first)
        // The same operation, of a document that is another.
        try await device.put("a", ["n": 3])
        for withdrawal in OperationWithdrawal.allCases {
            #expect(try await device.database.withdraw(operation, withdrawal) == false)
        }
        #expect(try await device.members("a") == ["n": 3])
        await #expect(throws: ReplicationError.self) {
            var other = ModelBackend(server: server)
            other.identifier = "other"
            try await device.database.withdraw(operation, .takeTheirs, using: other)
        }
    }
}
