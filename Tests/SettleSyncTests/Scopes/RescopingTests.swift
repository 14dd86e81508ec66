import Foundation
import Settle
import Testing

@testable import SettleSync

@Suite(.serialized) struct `A changed scope` {
    private func replicate(_ two: TwoTables, _ scope: ReplicationScope) async throws
        -> ReplicationSummary
    {
        try await two.device.replicate(two.todos) { $0.scope = scope }
    }

    @Test func `queues what is new in it, and what is out of it is not pending`() async throws {
        let two = try await TwoTables()
        try await two.put("a", ["type": "a"])
        try await two.put("b", ["type": "b"])
        _ = try await replicate(two, .documents(ofType: "a"))
        #expect(Set(two.todos.server.contents.keys) == ["a"])
        try await two.put("a", ["type": "a", "n": 2])
        try await two.put("a2", ["type": "a"])
        #expect(try two.pending("todos") == ["insert a2", "update a"])
        var offline = two.todos
        offline.fault = { .requestLost }
        await #expect(throws: ReplicationError.self) {
            try await two.device.replicate(offline) { $0.scope = .documents(ofType: "b") }
        }
        #expect(try two.pending("todos") == ["insert b"])
        #expect(two.todos.server.contents["a"] == [:], "nothing is deleted there")

        // Back again, with what was edited meanwhile.
        try await two.put("a", ["type": "a", "n": 3])
        let summary = try await replicate(two, .documents(ofType: "a"))
        #expect(summary.pushed == 2)
        #expect(summary.conflicts == 0)
        #expect(two.todos.server.contents == ["a": ["n": 3], "a2": [:]])
        #expect(try two.database.pendingOperations().isEmpty)
    }

    @Test func `deletes nothing there, and is told of deletions only in the scope`() async throws {
        let two = try await TwoTables()
        try await two.put("a", ["type": "a"])
        _ = try await replicate(two, .documents(ofType: "a"))
        _ = try await replicate(two, .documents(ofType: "b"))
        try await two.database.delete(documentWithId: "a")
        #expect(try two.database.pendingOperations().isEmpty)
        _ = try await replicate(two, .documents(ofType: "b"))
        #expect(two.todos.server.contents["a"] == [:])
        _ = try await replicate(two, .documents(ofType: "a"))
        #expect(two.todos.server.contents.isEmpty)
    }

    @Test func `is judged again when it goes back to all documents`() async throws {
        let two = try await TwoTables()
        try await two.put("a", ["type": "a"])
        try await two.put("b", ["type": "b"])
        _ = try await replicate(two, .documents(ofType: "a"))
        #expect(try await replicate(two, .all).pushed == 1)
        #expect(Set(two.todos.server.contents.keys) == ["a", "b"])
    }

    /// An app that had one table, and gets a second.
    @Test func `gives what came without a scope the type, and sends nothing for it`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("t", ["text": "milk"])
        _ = try await replicate(two, .all)
        #expect(try await two.device.members("t") == ["text": "milk"])
        try await two.put("n", ["type": "note"])
        let summary = try await replicate(two, .documents(ofType: "todo"))
        #expect(summary.pushed == 0)
        #expect(try await two.device.members("t") == ["type": "todo", "text": "milk"])
        #expect(two.todos.server.contents == ["t": ["text": "milk"]])
        #expect(try two.database.pendingOperations().isEmpty)
    }

    @Test func `brings the rows that were not in the one before`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["type": "b"])
        #expect(try await replicate(two, .documents(ofType: "a")).skipped == 1)
        #expect(try await replicate(two, .documents(ofType: "b")).pulled == 1)
        #expect(try await two.device.members("x") == ["type": "b"])
    }

    @Test func `leaves a deletion that is not sent in the queue`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", [:])
        _ = try await replicate(two, .documents(ofType: "a"))
        try await two.database.delete(documentWithId: "x")
        #expect(try await replicate(two, .documents(ofType: "b")).pushed == 1)
        #expect(two.todos.server.contents.isEmpty)
    }

    @Test func `is refused while another replication of the table goes on`() async throws {
        let two = try await TwoTables()
        let configuration = try two.device.configuration(isRepeating: true) {
            $0.scope = .documents(ofType: "a")
        }
        let running = try await two.database.addReplication(with: configuration, using: two.todos)
        await #expect {
            try await replicate(two, .documents(ofType: "b"))
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
        await running.stop()
        #expect(try two.database.replicationScope(of: "todos") == .documents(ofType: "a"))
    }
}
