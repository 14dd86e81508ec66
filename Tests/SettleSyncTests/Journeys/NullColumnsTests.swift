import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

/// Tables that show every column they have, with null where a row has nothing.
@Suite(.serialized) struct `Null columns` {
    /// An item with two dozen columns more than it has members.
    private static let filled: @Sendable (RemoteItem) -> RemoteItem = { item in
        var item = item
        item.nullMayMeanAbsent = true
        for index in 0..<24 where item.members["c\(index)"] == nil {
            item.members["c\(index)"] = .null
        }
        return item
    }

    private func backend(_ server: ModelServer) -> ModelBackend {
        var backend = ModelBackend(server: server)
        (backend.answered, backend.listed) = (Self.filled, Self.filled)
        backend.lookedUp = Self.filled
        return backend
    }

    @Test func `are no members, and leave the revision of a document that was sent`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var document = Document(id: "a")
        document[json: "n"] = 1
        document = try await device.database.save(document)
        try await device.replicate(backend(server))
        #expect(try await device.members("a") == ["n": 1])
        // The app's own copy can still be updated.
        document[json: "n"] = 2
        document = try await device.database.update(document)
        try await device.replicate(backend(server))
        document[json: "n"] = 3
        document = try await device.database.update(document)
        #expect(server.state.withLock { $0.lookUpCount } == 0)

        let other = try await Device()
        try await other.replicate(backend(server))
        #expect(try await other.members("a") == ["n": 2])
        #expect(try await other.replicate(backend(server)).pulled == 0)
    }

    @Test func `become null where a member had a value, and stay what they are here`() async throws
    {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["n": 1, "c3": 3, "c4": .null])
        try await device.replicate(backend(server))
        #expect(try await device.members("a") == ["n": 1, "c3": 3, "c4": .null])
        server.put("a", ["n": 2, "c3": .null])
        try await device.replicate(backend(server))
        #expect(try await device.members("a") == ["n": 2, "c3": .null, "c4": .null])
        #expect(try await device.replicate(backend(server)).pulled == 0)
    }

    @Test func `are none of the server's changes in a conflict`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["n": 1])
        try await device.replicate(backend(server))
        try await device.put("a", ["n": 1, "c5": 5])
        server.put("a", ["n": 2])
        try await device.replicate(backend(server))
        let conflict = try #require(try device.database.replicationConflicts().first)
        #expect(conflict.server?.json == ["n": 2])
        #expect(conflict.base?.json == ["n": 1])
        try await device.replicate(backend(server)) { $0.conflictHandler = .merge }
        #expect(server.contents["a"] == ["n": 2, "c5": 5])
        #expect(try await device.members("a") == ["n": 2, "c5": 5])
    }

    @Test func `are not sent for a null that is put where nothing was`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        try await device.put("a", ["n": 1])
        try await device.replicate(backend(server))
        try await device.put("a", ["n": 1, "c1": .null])
        #expect(try await device.replicate(backend(server)).pushed == 0)
        #expect(try device.database.pendingOperations().isEmpty)
        #expect(try await device.members("a") == ["n": 1, "c1": .null])
    }

    @Test func `hide no members that an answer leaves out`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        var backend = backend(server)
        backend.answered = { item in
            var item = item
            item.members["c1"] = nil
            return Self.filled(item)
        }
        try await device.put("a", ["n": 1, "c1": 1])
        try await device.replicate(backend)
        #expect(try await device.members("a") == ["n": 1, "c1": 1])
        #expect(server.state.withLock { $0.lookUpCount } == 1)
        // Where every answer to a write has null, the pull tells that it is meant.
        backend.lookedUp = backend.answered
        try await device.put("b", ["n": 1, "c1": 1])
        try await device.replicate(backend)
        #expect(try await device.members("b") == ["n": 1, "c1": 1])
        server.put("b", ["n": 1, "c1": .null])
        try await device.replicate(backend)
        #expect(try await device.members("b") == ["n": 1, "c1": .null])
    }

    @Test func `are members on a server that stores JSON as it is`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        server.put("a", ["n": 1, "none": .null])
        try await device.replicate(server)
        #expect(try await device.members("a") == ["n": 1, "none": .null])
    }
}
