import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

/// Items that the server has and does not show us: another user's.
@Suite(.serialized) struct `Hidden items` {
    private func refusals(_ server: ModelServer) -> Int {
        server.state.withLock { $0.refusedIds.count }
    }

    @Test(arguments: ["leave", "localWins", "merge"])
    func `are inserted a few times, set aside with the reason, and hold up nobody`(
        _ name: String
    ) async throws {
        let handlers: [String: ConflictHandler] = [
            "leave": .leave, "localWins": .localWins, "merge": .merge,
        ]
        let (device, server) = (try await Device(), ModelServer())
        server.put("a", ["theirs": true])
        var backend = ModelBackend(server: server)
        backend.hides = { $0 == "a" }
        try await device.put("a", ["mine": true])
        for index in 0..<3 { try await device.put("d\(index)", [:]) }
        let handler = try #require(handlers[name])
        let summary = try await device.replicate(backend) { $0.conflictHandler = handler }
        #expect(summary.pushed == 3)
        #expect(summary.rejected == 1)
        #expect(refusals(server) == 3)
        let rejected = try device.database.rejectedOperations()
        #expect(rejected.map(\.documentId) == ["a"])
        guard case .rejected(let reason)? = rejected.first?.state else {
            Issue.record("\(rejected)")
            return
        }
        #expect(reason.contains("'a'") && reason.contains("does not show"))
        #expect(try device.database.replicationConflicts().isEmpty)
        #expect(try await device.members("a") == ["mine": true])
    }

    @Test func `are not asked for again by the cycles of one replication`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        server.put("a", ["theirs": true])
        var hiding = ModelBackend(server: server)
        hiding.hides = { $0 == "a" }
        let backend = hiding
        try await device.put("a", ["mine": true])
        var events = device.database.replicationEvents.makeAsyncIterator()
        try await device.database.startReplication(
            with: try device.configuration(isRepeating: true), using: backend)
        for count in 0..<4 {
            if count > 0 { try await device.put("d\(count)", [:]) }
            var isCompleted = false
            while !isCompleted, let event = await events.next() {
                switch event {
                case .completed: isCompleted = server.contents.count == count + 1
                case .failed(let error): Issue.record("\(error)")
                default: break
                }
            }
        }
        #expect(refusals(server) == 3)
        // An edit is another reason to try.
        try await device.put("a", ["mine": 2])
        while refusals(server) < 6, await events.next() != nil {}
        await device.database.stopReplication()
        #expect(refusals(server) == 6)
    }

    @Test func `are a conflict as soon as they are shown`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        server.put("a", ["theirs": true])
        var backend = ModelBackend(server: server)
        backend.hides = { $0 == "a" }
        try await device.put("a", ["mine": true])
        try await device.replicate(backend)
        #expect(try device.database.rejectedOperations().count == 1)
        server.put("a", ["theirs": 2])
        try await device.replicate(ModelBackend(server: server)) { $0.isBidirectional = false }
        #expect(try device.database.rejectedOperations().isEmpty)
        #expect(try device.database.replicationConflicts().count == 1)
        try await device.replicate(server, .merge)
        #expect(server.contents["a"] == ["mine": true, "theirs": 2])
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `that are removed just then are no reason to set anything aside`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        server.put("a", ["theirs": true])
        var backend = ModelBackend(server: server)
        backend.hides = { id in
            // Not shown once, and gone from then on.
            let isFirst = server.state.withLock { $0.refusedIds.isEmpty }
            if !isFirst, server.contents[id]?["theirs"] != nil { server.erase(id) }
            return isFirst
        }
        try await device.put("a", ["mine": true])
        let summary = try await device.replicate(backend)
        #expect(summary.pushed == 1 && summary.rejected == 0)
        #expect(server.contents["a"] == ["mine": true])
    }

    @Test func `count on when the process ends in between`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        server.put("a", ["theirs": true])
        var backend = ModelBackend(server: server)
        let script = Script<ModelBackend.Fault>([.none, .none, .requestLost], then: .none)
        backend.fault = { script.next() }
        backend.hides = { $0 == "a" }
        try await device.put("a", ["mine": true])
        await #expect(throws: ReplicationError.self) { try await device.replicate(backend) }
        #expect(refusals(server) == 2)
        let again = try await Device(reopening: device)
        backend.fault = { .none }
        try await again.replicate(backend)
        #expect(refusals(server) == 3)
        #expect(try again.database.rejectedOperations().count == 1)
    }
}
