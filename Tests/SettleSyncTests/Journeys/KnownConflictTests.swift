import Settle
import Synchronization
import Testing

@testable import SettleSync

/// Conflicts that no handler was asked about, and conflicts that are none any more.
@Suite(.serialized) struct `A known conflict` {
    private func states(_ device: Device) throws -> [String: PendingOperation.State] {
        try device.database.pendingOperations().reduce(into: [:]) { $0[$1.documentId] = $1.state }
    }

    /// A device and a server that have both changed a document.
    private func conflicting() async throws -> (Device, ModelServer) {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["n": 1])
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        server.put("a", ["n": 3])
        return (device, server)
    }

    // 412 with the item, then 200s, then a time-out.
    @Test func `is listed although the push is broken off afterwards`() async throws {
        let (device, server) = try await conflicting()
        for index in 0..<3 { try await device.put("d\(index)", [:]) }
        var backend = ModelBackend(server: server)
        let script = Script<ModelBackend.Fault>([.none, .none, .none], then: .requestLost)
        backend.fault = { script.next() }
        await #expect(throws: ReplicationError.self) {
            try await device.replicate(backend) { $0.concurrentRequestsMax = 1 }
        }
        let conflicts = try device.database.replicationConflicts()
        #expect(conflicts.map(\.documentId) == ["a"])
        #expect(conflicts.first?.server?.json == ["n": 3])
        #expect(try states(device)["a"] == .conflict)
        // It can be resolved, and a handler is still asked when nobody did.
        let again = try await Device(reopening: device)
        #expect(try again.database.replicationConflicts().count == 1)
        #expect(try await again.replicate(server, .localWins).conflictsSettled == 1)
        #expect(server.contents["a"] == ["n": 2])
        #expect(try again.database.replicationConflicts().isEmpty)
    }

    @Test func `can be resolved before a handler was asked`() async throws {
        let (device, server) = try await conflicting()
        try await device.put("b", [:])
        var backend = ModelBackend(server: server)
        let script = Script<ModelBackend.Fault>([.none], then: .requestLost)
        backend.fault = { script.next() }
        _ = try? await device.replicate(backend) { $0.concurrentRequestsMax = 1 }
        let conflict = try #require(try device.database.replicationConflicts().first)
        #expect(try await device.database.resolve(conflict, with: .useServer))
        #expect(try await device.members("a") == ["n": 3])
        #expect(try states(device)["a"] == nil)
    }

    @Test func `is listed as soon as a pull shows it`() async throws {
        let (device, server) = try await conflicting()
        try await device.replicate(ModelBackend(server: server)) { $0.isBidirectional = false }
        #expect(try device.database.replicationConflicts().count == 1)
    }

    @Test func `is none when it may be our own work`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        let script = Script<ModelBackend.Fault>([.answerLost], then: .none)
        backend.fault = { script.next() }
        try await device.put("a", ["n": 1])
        _ = try? await device.replicate(backend)
        try await device.put("a", ["n": 2])
        try await device.replicate(backend) { $0.isBidirectional = false }
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try states(device)["a"] == .sent)
    }

    @Test(arguments: [true, false])
    func `is gone when a pull shows what the document is`(isDeleted: Bool) async throws {
        let (device, server) = try await conflicting()
        if isDeleted { try await device.database.delete(documentWithId: "a") }
        try await device.replicate(server)
        #expect(try device.database.replicationConflicts().count == 1)
        server.put("a", isDeleted ? nil : ["n": 2])
        let before = try await device.database.fetchDocument("a")?.metaData.revision
        try await device.replicate(ModelBackend(server: server)) { $0.isBidirectional = false }
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try device.database.pendingOperations().isEmpty)
        #expect(try await device.database.fetchDocument("a")?.metaData.revision == before)
        let executed = server.state.withLock { $0.executedCount }
        try await device.replicate(server)
        #expect(server.state.withLock { $0.executedCount } == executed)
    }

    @Test(arguments: [true, false])
    func `is gone when the document is edited to what was seen`(isDeleted: Bool) async throws {
        let (device, server) = try await conflicting()
        if isDeleted { server.put("a", nil) }
        try await device.replicate(server)
        #expect(try device.database.replicationConflicts().count == 1)
        if isDeleted {
            try await device.database.delete(documentWithId: "a")
        } else {
            try await device.put("a", ["n": 3])
        }
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try device.database.pendingOperations().isEmpty)
        let executed = server.state.withLock { $0.executedCount }
        try await device.replicate(server)
        #expect(server.state.withLock { $0.executedCount } == executed)
        // Later edits build on what was seen.
        try await device.put("a", ["n": 4])
        #expect(try await device.replicate(server).conflicts == 0)
        #expect(server.contents["a"] == ["n": 4])
    }

    @Test func `makes a refused operation wait no longer when a pull shows another state`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["n": 1])
        try await device.replicate(server)
        try await device.put("a", ["n": 2])
        var backend = ModelBackend(server: server)
        backend.rejection = { _ in "No." }
        try await device.replicate(backend)
        #expect(try states(device)["a"] == .rejected(reason: "No."))
        server.put("a", ["n": 2])
        try await device.replicate(ModelBackend(server: server)) { $0.isBidirectional = false }
        #expect(try device.database.pendingOperations().isEmpty)
    }
}
