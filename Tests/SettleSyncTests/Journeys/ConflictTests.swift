import Settle
import TestSupport
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Conflict` {
    /// Both sides had n = 1; since then each has changed it, or deleted it with nil.
    private func conflicting(
        _ local: [String: JSONValue]?, _ remote: [String: JSONValue]?
    ) async throws -> (Device, ModelServer) {
        let device = try await Device()
        let server = ModelServer()
        try await device.put("a", ["n": 1, "kept": true])
        try await device.replicate(server)
        if let local {
            try await device.put("a", local)
        } else {
            try await device.database.delete(documentWithId: "a")
        }
        server.put("a", remote)
        return (device, server)
    }

    /// An update arrives and its answer is lost; then somebody else changes another member, and the
    /// document is edited here again.
    @Test(arguments: [true, false])
    func `does not take our own lost update for somebody else's change`(isInsert: Bool) async throws
    {
        let device = try await Device()
        let server = ModelServer()
        if !isInsert {
            try await device.put("a", ["mine": 1, "theirs": 1])
            try await device.replicate(server)
        }
        try await device.put("a", ["mine": 2, "theirs": 1])
        let script = Script<ModelBackend.Fault>([.answerLost], then: .requestLost)
        var backend = ModelBackend(server: server)
        backend.fault = { script.next() }
        _ = try? await device.replicate(backend)
        #expect(server.contents["a"]?["mine"] == 2)
        try await device.put("a", ["mine": 3, "theirs": 1])
        server.put("a", ["mine": 2, "theirs": 2])
        // The server's change counts as later, so that only the base can tell whose `mine` is newer.
        let summary = try await device.replicate(
            server,
            ConflictHandler { conflict in
                let merged = ThreeWayMerge.members(
                    base: conflict.base?.json ?? [:], local: conflict.local?.json ?? [:],
                    server: conflict.server?.json ?? [:], preferring: .server)
                return .use(Document(id: "a", members: merged))
            })
        #expect(summary.conflictsResolved == 1)
        #expect(try await device.members("a") == ["mine": 3, "theirs": 2])
        #expect(server.contents["a"] == ["mine": 3, "theirs": 2])
    }

    @Test func `is left and told of when the handler throws, and asked about again`() async throws {
        struct Broken: Error, Equatable {}
        let (device, server) = try await conflicting(["n": 2], ["n": 3])
        try await device.put("b", [:])
        let events = device.database.replicationEvents
        let summary = try await device.replicate(server, ConflictHandler { _ in throw Broken() })
        #expect(summary.conflicts == 1 && summary.pushed == 1)
        #expect(server.contents["b"] != nil)
        var failures: [String] = []
        for await event in events {
            if case .conflictHandlerFailed(let id, let error) = event, error is Broken {
                failures.append(id)
            }
            if case .completed = event { break }
        }
        #expect(failures == ["a"])
        #expect(try device.database.replicationConflicts().map(\.documentId) == ["a"])
        let handler = ConflictHandler { _ in throw Broken() }
        let conflict = try #require(try device.database.replicationConflicts().first)
        guard case .leave = await handler(conflict) else {
            Issue.record("A handler that throws decides something.")
            return
        }
        #expect(try await device.replicate(server, .localWins).conflictsResolved == 1)
        #expect(server.contents["a"]?["n"] == 2)
    }

    @Test func `stays listed with all three versions unless somebody decides`() async throws {
        let (device, server) = try await conflicting(["n": 2], ["n": 3])
        try await device.put("b", [:])
        let summary = try await device.replicate(server)
        #expect(summary.conflicts == 1)
        #expect(summary.pushed == 1, "The rest goes on.")
        #expect(try await device.members("a") == ["n": 2])
        #expect(server.contents["a"] == ["n": 3])

        let again = try await Device(reopening: device)
        let conflict = try #require(try again.database.replicationConflicts().first)
        #expect(conflict.documentId == "a")
        #expect(conflict.remote == "model")
        #expect(conflict.base?.json == ["n": 1, "kept": true])
        #expect(conflict.local?.json == ["n": 2])
        #expect(conflict.server?.json == ["n": 3])
        #expect(try again.database.pendingOperations().map(\.state) == [.conflict])

        // Later edits on both sides are still the same conflict, with the new versions.
        try await again.put("a", ["n": 4])
        server.put("a", ["n": 5])
        try await again.replicate(server)
        let newer = try #require(try again.database.replicationConflicts().first)
        #expect(newer.local?.json == ["n": 4])
        #expect(newer.server?.json == ["n": 5])
        #expect(try await again.database.resolve(conflict, with: .useServer) == false)
        #expect(try await again.database.resolve(newer, with: .use(["n": 6])))
        #expect(try again.database.replicationConflicts().isEmpty)
        try await again.replicate(server)
        #expect(server.contents["a"] == ["n": 6])
    }

    @Test(arguments: ["edit", "delete"], ["edit", "delete"])
    func `is settled as the ready-made handlers say`(here: String, there: String) async throws {
        let local: [String: JSONValue]? = here == "edit" ? ["n": 2, "kept": true] : nil
        let remote: [String: JSONValue]? =
            there == "edit" ? ["n": 1, "kept": true, "new": 3] : nil
        let merged: [String: JSONValue]? =
            switch (local, remote) {
            case (.some, .some): ["n": 2, "kept": true, "new": 3]
            case (.some, nil): local
            case (nil, _): remote
            }
        let handlers: [(ConflictHandler, [String: JSONValue]?)] = [
            (.serverWins, remote), (.localWins, local), (.merge, merged),
        ]
        for (handler, expected) in handlers {
            let (device, server) = try await conflicting(local, remote)
            let summary = try await device.replicate(server, handler)
            // Both deleted it: that is agreement.
            #expect(summary.conflictsResolved == (local == nil && remote == nil ? 0 : 1))
            #expect(try await device.members("a") == expected)
            #expect(server.contents["a"] == expected)
            #expect(try device.database.pendingOperations().isEmpty)
        }
    }

    @Test func `arises when both sides insert one identifier`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.put("a", ["mine": 1])
        server.put("a", ["theirs": 2])
        let summary = try await device.replicate(server, .merge)
        #expect(summary.conflictsResolved == 1)
        #expect(server.contents["a"] == ["mine": 1, "theirs": 2])
        #expect(try await device.members("a") == ["mine": 1, "theirs": 2])
    }

    @Test func `is none when both sides did the same`() async throws {
        let (device, server) = try await conflicting(["n": 2], ["n": 2])
        let summary = try await device.replicate(
            server,
            ConflictHandler { _ in
                Issue.record("Equal edits are no conflict.")
                return .leave
            })
        #expect(summary.conflicts == 0)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `is shown again when the document changes while the handler thinks`() async throws {
        let (device, server) = try await conflicting(["n": 2], ["n": 3])
        let script = Script([true], then: false)
        let seen = Collected<[String: JSONValue]>()
        try await device.replicate(
            server,
            ConflictHandler { conflict in
                seen.add(conflict.local?.json ?? [:])
                if script.next() {
                    do {
                        try await device.put("a", ["n": 4])
                    } catch {
                        Issue.record("\(error)")
                    }
                }
                return .useServer
            })
        #expect(seen.all == [["n": 2], ["n": 4]])
        #expect(try await device.members("a") == ["n": 3])
    }

    @Test func `ends the replication when the handler says stop, and stays`() async throws {
        let (device, server) = try await conflicting(["n": 2], ["n": 3])
        await #expect {
            try await device.replicate(server, ConflictHandler { _ in .stop })
        } throws: {
            let error = $0 as? ReplicationError
            return error?.code == .stoppedByConflictHandler && error?.documentId == "a"
        }
        #expect(try device.database.replicationConflicts().count == 1)
        try await device.replicate(server, .localWins)
        #expect(server.contents["a"] == ["n": 2])
    }

    @Test func `is not forgotten when the document that hides it goes away`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.replicate(server)
        try await device.put("a", ["mine": 1])
        server.put("a", ["theirs": 2])
        // One way: the item is passed by, because the document waits to be sent.
        try await device.replicate(ModelBackend(server: server)) { $0.isBidirectional = false }
        try await device.database.delete(documentWithId: "a")
        try await device.replicate(server, .merge)
        #expect(try await device.members("a") == ["theirs": 2])
    }
}
