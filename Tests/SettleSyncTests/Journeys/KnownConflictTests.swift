import Settle
import SettlePrimitives
import Synchronization
import TestSupport
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
        #expect(try await again.replicate(server, .localWins).conflictsResolved == 1)
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

    /// A device and a server that have both changed three documents, and a back-end whose answers
    /// leave out what the items had before, and look-ups show.
    private func conflictingInParts() async throws -> (Device, ModelServer, ModelBackend) {
        let (device, server) = (try await Device(), ModelServer())
        for id in ["a", "b", "c"] { try await device.put(id, ["n": 1, "x": 1]) }
        try await device.replicate(server)
        for id in ["a", "b", "c"] {
            try await device.put(id, ["n": 2, "x": 1])
            server.put(id, ["n": 3, "x": 1, "y": 1])
        }
        var backend = ModelBackend(server: server)
        backend.batchMax = 64
        backend.answered = { item in
            var item = item
            item.members = item.members.filter { $0.key == "n" }
            return item
        }
        return (device, server, backend)
    }

    /// Takes from the server what is not `n`, and writes down what it was shown.
    private func merging(_ shown: Collected<String>) -> ConflictHandler {
        ConflictHandler { conflict in
            shown.add(conflict.documentId)
            #expect(conflict.server?.json == ["n": 3, "x": 1, "y": 1])
            guard var merged = conflict.server else { return .leave }
            merged["n"] = conflict.local?["n"]
            return .use(merged)
        }
    }

    @Test(arguments: [1, 64])
    func `that cannot be looked up is not shown, nor is one behind it, but sent again`(
        batchMax: Int
    ) async throws {
        var (device, server, backend) = try await conflictingInParts()
        let shown = Collected<String>()
        backend.batchMax = batchMax
        let before = server.state.withLock { $0.lookUpCount }
        let failures = Script<ReplicationError?>(
            [ReplicationError(.busy, "Later.", retryAfter: .seconds(7), statusCode: 429)],
            then: nil)
        backend.lookUpFailure = { _ in failures.next() }
        await #expect {
            try await device.replicate(backend) {
                $0.concurrentRequestsMax = 1
                $0.conflictHandler = merging(shown)
            }
        } throws: {
            let error = $0 as? ReplicationError
            return error?.code == .busy && error?.retryAfter == .seconds(7)
        }
        #expect(shown.all.isEmpty)
        #expect(server.state.withLock { $0.lookUpCount } == before, "None after the first.")
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try device.database.pendingOperations().count == 3)
        let sent = server.state.withLock { $0.sentCounts }
        let summary = try await device.replicate(backend) { $0.conflictHandler = merging(shown) }
        #expect(shown.all.sorted() == ["a", "b", "c"])
        #expect(summary.conflictsResolved == 3)
        #expect(server.state.withLock { $0.sentCounts.count } > sent.count)
        for id in ["a", "b", "c"] {
            #expect(server.contents[id] == ["n": 2, "x": 1, "y": 1])
            #expect(try await device.members(id) == ["n": 2, "x": 1, "y": 1])
        }
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test(arguments: [1, 64])
    func `on whose look-up the server fails does not hold the others`(
        batchMax: Int
    ) async throws {
        var (device, server, backend) = try await conflictingInParts()
        let shown = Collected<String>()
        backend.batchMax = batchMax
        backend.lookUpFailure = { id in
            id == "b"
                ? ReplicationError(.serverFailed, "Something broke.", statusCode: 500) : nil
        }
        await #expect {
            try await device.replicate(backend) { $0.conflictHandler = merging(shown) }
        } throws: {
            ($0 as? ReplicationError)?.code == .serverFailed
        }
        #expect(shown.all.sorted() == ["a", "c"])
        #expect(server.contents["a"] == ["n": 2, "x": 1, "y": 1])
        #expect(server.contents["b"] == ["n": 3, "x": 1, "y": 1])
        #expect(server.contents["c"] == ["n": 2, "x": 1, "y": 1])
        #expect(try device.database.pendingOperations().map(\.documentId) == ["b"])
        backend.lookUpFailure = { _ in nil }
        try await device.replicate(backend) { $0.conflictHandler = merging(shown) }
        #expect(server.contents["b"] == ["n": 2, "x": 1, "y": 1])
        #expect(try device.database.pendingOperations().isEmpty)
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
