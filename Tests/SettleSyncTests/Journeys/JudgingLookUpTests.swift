import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

/// Operations of which only a look-up tells whether they met somebody else's work.
@Suite(.serialized) struct `An item that decides about a conflict` {
    private static let members: [String: JSONValue] = ["text": "one", "n": 1, "channels": ["x"]]

    private static let stripped: @Sendable (RemoteItem) -> RemoteItem = { item in
        var item = item
        item.members = item.members.filter { $0.key == "text" }
        return item
    }

    private static let shouting = ConflictHandler(mayStop: false) { conflict in
        Issue.record("\(conflict.documentId) is no conflict.")
        return .leave
    }

    /// A device whose document was deleted on a server that did not tell the version of the deletion,
    /// and was saved again since.
    private func bringingBack(_ backend: ModelBackend) async throws -> Device {
        let device = try await Device()
        try await device.put("a", Self.members)
        try await device.replicate(backend)
        try await device.database.delete(documentWithId: "a")
        // A pull would tell the version.
        try await device.replicate(backend) { $0.direction = .clientToServer }
        try await device.put("a", ["text": "two"])
        return device
    }

    @Test func `is looked up until it is whole when it was brought back`() async throws {
        let server = ModelServer()
        var backend = ModelBackend(server: server)
        backend.hidesDeletedItems = true
        let device = try await bringingBack(backend)
        backend.answered = Self.stripped
        let script = Script<Bool>([false, true], then: true)
        backend.lookedUp = { script.next() ? $0 : Self.stripped($0) }
        try await device.replicate(backend) { $0.conflictHandler = Self.shouting }
        #expect(server.contents["a"] == ["text": "two"])
        #expect(try await device.members("a") == ["text": "two"])
        #expect(server.state.withLock { $0.lookUpCount } == 2)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `is brought back once more when it could not be looked up`() async throws {
        let server = ModelServer()
        var backend = ModelBackend(server: server)
        backend.hidesDeletedItems = true
        let device = try await bringingBack(backend)
        var broken = backend
        broken.answered = Self.stripped
        // The undeletion goes through, and the look-up does not.
        let script = Script<ModelBackend.Fault>([.none, .serverFailed], then: .none)
        broken.fault = { script.next() }
        _ = try? await device.replicate(broken) { $0.conflictHandler = Self.shouting }
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try await device.members("a") == ["text": "two"])
        try await device.replicate(backend) { $0.conflictHandler = Self.shouting }
        #expect(server.contents["a"] == ["text": "two"])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `may show when it is brought back what no answer showed before`() async throws {
        let server = ModelServer()
        var backend = ModelBackend(server: server)
        backend.hidesDeletedItems = true
        backend.answered = Self.stripped
        backend.listed = Self.stripped
        backend.lookedUp = nil
        let device = try await bringingBack(backend)
        (backend.answered, backend.listed) = ({ $0 }, { $0 })
        try await device.replicate(backend) { $0.conflictHandler = Self.shouting }
        #expect(server.contents["a"] == ["text": "two"])
        #expect(try await device.members("a") == ["text": "two"])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `may show when it is brought back what the answer to its deletion left out`()
        async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        try await device.put("a", Self.members)
        try await device.replicate(backend)
        try await device.database.delete(documentWithId: "a")
        var stripping = backend
        stripping.deleted = { item in
            var item = Self.stripped(item)
            item.nullMayMeanAbsent = true
            return item
        }
        try await device.replicate(stripping) { $0.direction = .clientToServer }
        try await device.put("a", ["text": "two"])
        let script = Script<ModelBackend.Fault>([.answerLost], then: .none)
        backend.fault = { script.next() }
        await #expect(throws: ReplicationError.self) {
            try await device.replicate(backend) { $0.direction = .clientToServer }
        }
        try await device.replicate(backend) { $0.conflictHandler = Self.shouting }
        #expect(server.contents["a"] == ["text": "two"])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `shows in a later state, too, what the server stored`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.answered = Self.stripped
        // Deleted between the answer and the look-up, and brought back by others without a member.
        backend.lookedUp = { item in
            var item = item
            (item.isDeleted, item.version) = (true, "later")
            return item
        }
        try await device.put("a", Self.members)
        try await device.replicate(backend) { $0.direction = .clientToServer }
        server.put("a", ["text": "one", "channels": ["x"]])
        try await device.replicate(ModelBackend(server: server))
        #expect(try await device.members("a") == ["text": "one", "channels": ["x"]])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `that others edited meanwhile is a conflict, though answers leave members out`()
        async throws
    {
        let server = ModelServer()
        var backend = ModelBackend(server: server)
        backend.hidesDeletedItems = true
        let device = try await bringingBack(backend)
        server.put("a", Self.members.merging(["theirs": true]) { $1 })
        backend.answered = Self.stripped
        try await device.replicate(backend) { $0.conflictHandler = .leave }
        let conflict = try #require(try device.database.replicationConflicts().first)
        #expect(conflict.server?.json["theirs"] == true)
        #expect(try await device.members("a") == ["text": "two"])
    }

    @Test func `is not looked up while the server asks for a pause`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = ModelBackend(server: server)
        backend.batchMax = 10
        for id in ["a", "b"] { try await device.put(id, Self.members) }
        try await device.replicate(backend)
        for id in ["a", "b"] {
            try await device.put(id, Self.members.merging(["n": 2]) { $1 })
            server.put(id, Self.members.merging(["text": "theirs"]) { $1 })
        }
        var busy = backend
        busy.answered = Self.stripped
        busy.failure = { operation in
            guard operation.id == "b" else { return nil }
            return ReplicationError(.busy, "Later.", retryAfter: .seconds(1))
        }
        await #expect {
            try await device.replicate(busy) {
                $0.retryLimit = 0
                $0.conflictHandler = Self.shouting
            }
        } throws: { ($0 as? ReplicationError)?.code == .busy }
        #expect(server.state.withLock { $0.lookUpCount } == 0)
        backend.answered = Self.stripped
        try await device.replicate(backend) { $0.conflictHandler = .merge }
        let merged = Self.members.merging(["n": 2, "text": "theirs"]) { $1 }
        #expect(server.contents == ["a": merged, "b": merged])
        #expect(server.state.withLock { $0.lookUpCount } >= 2)
    }
}
