import Foundation
import Settle
import Testing

@testable import SettleSync

@Suite(.serialized) struct `What a database tells of its remotes` {
    @Test func `names each with its checkpoints and scope`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        #expect(try device.database.replicationRemotes().isEmpty)
        server.put("a", ["n": 1])
        var backend = ModelBackend(server: server)
        _ = try await device.replicate(backend) { $0.queryId = "mine" }
        backend.identifier = "other"
        _ = try await device.replicate(backend) { $0.scope = .documents(matching: ["n": 1]) }
        let remotes = try device.database.replicationRemotes()
        #expect(remotes.map(\.identifier) == ["model", "other"])
        #expect(remotes[0].scope == .all && remotes[1].scope == .documents(matching: ["n": 1]))
        #expect(remotes.allSatisfy { $0.checkpoints.count == 1 && !$0.carriesAttachments })
        #expect(remotes[0].checkpoints[0].query.hasPrefix("id 4:mine "))
        #expect(remotes[0].checkpoints[0].token != nil)
        #expect(remotes[0].sequence > 0)
    }

    @Test(arguments: [1, 2, 7, 100]) func `pages of what waits are all that waits, each once`(
        limit: Int
    ) async throws {
        let (device, server) = (try await Device(), ModelServer())
        let backend = ModelBackend(server: server)
        _ = try await device.replicate(backend)
        for id in ["b", "a", "ab", "a\u{1}", "é", "z", "c"] { try await device.put(id, ["n": 1]) }
        var found: [PendingOperation] = []
        var next: String?
        repeat {
            let page = try device.database.pendingOperations(
                with: "model", after: next, limit: limit)
            #expect(page.operations.count <= limit)
            found += page.operations
            next = page.next
        } while next != nil
        let all = try device.database.pendingOperations(with: "model")
        #expect(found.count == all.count && Set(found) == Set(all))
        let ids = found.map(\.documentId)
        #expect(ids == ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        let none = try device.database.pendingOperations(with: "none", after: nil, limit: 1)
        #expect(none.operations.isEmpty && none.next == nil)
    }

    @Test func `one conflict is that of the list`() async throws {
        let (device, server) = (try await Device(), ModelServer())
        server.put("a", ["n": 1])
        let backend = ModelBackend(server: server)
        _ = try await device.replicate(backend)
        #expect(try device.database.replicationConflict(of: "a", with: "model") == nil)
        try await device.put("a", ["n": 2])
        server.put("a", ["n": 3])
        _ = try await device.replicate(backend)
        let listed = try device.database.replicationConflicts()
        let one = try #require(
            try device.database.replicationConflict(of: "a", with: "model"))
        #expect(listed.count == 1)
        #expect(listed.first?.local == one.local && listed.first?.server == one.server)
        #expect(listed.first?.base == one.base)
        #expect(try device.database.replicationConflict(of: "b", with: "model") == nil)
        #expect(try device.database.replicationConflict(of: "a", with: "none") == nil)
        #expect(try await device.database.resolve(one, with: .useServer))
        #expect(try device.database.replicationConflict(of: "a", with: "model") == nil)
    }
}
