import Foundation
import Settle
import Testing

@testable import SettleSync

@Suite(.serialized) struct `The scope of a replication` {
    @Test func `sends each table its own documents, without the type`() async throws {
        let two = try await TwoTables()
        try await two.put("t", ["type": "todo", "text": "milk"])
        try await two.put("n", ["type": "note", "text": "poem"])
        try await two.put("draft", ["text": "neither"])
        let results = try await two.replicate()
        #expect(results.map(\.remote) == ["todos", "notes"])
        #expect(try results.map { try $0.summary().pushed } == [1, 1])
        #expect(two.todos.server.contents == ["t": ["text": "milk"]])
        #expect(two.notes.server.contents == ["n": ["text": "poem"]])
        #expect(try two.database.pendingOperations().isEmpty)
    }

    @Test func `gives pulled rows the type, and sends nothing back for it`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("t", ["text": "milk"])
        two.todos.server.put("u", ["text": "eggs", "type": .null])
        two.notes.server.put("n", ["text": "poem", "type": "note"])
        try await two.replicate()
        #expect(try await two.device.members("t") == ["type": "todo", "text": "milk"])
        #expect(try await two.device.members("u") == ["type": "todo", "text": "eggs"])
        #expect(try await two.device.members("n") == ["type": "note", "text": "poem"])
        #expect(try two.database.pendingOperations().isEmpty)
        let results = try await two.replicate()
        #expect(try results.map { try $0.summary().pushed } == [0, 0])
        #expect(try results.map { try $0.summary().pulled } == [0, 0])
        #expect(two.todos.server.complaints + two.notes.server.complaints == [])

        // Saved as it is, it is still equal to its row.
        let document = try #require(try await two.database.fetchDocument("t"))
        try await two.database.save(document)
        #expect(try await two.replicate("todo").pushed == 0)

        try await two.put("t", ["type": "todo", "text": "oat milk"])
        try await two.put("n", ["type": "note", "text": "sonnet"])
        try await two.replicate()
        #expect(two.todos.server.contents["t"] == ["text": "oat milk"])
        #expect(two.notes.server.contents["n"] == ["text": "sonnet", "type": "note"])
    }

    @Test func `sends the type where that is asked for`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("old", ["text": "milk"])
        try await two.put("new", ["type": "todo", "text": "eggs"])
        let scope = ReplicationScope.documents(ofType: "todo", sendingType: true)
        for pushed in [1, 0] {
            let summary = try await two.device.replicate(two.todos) { $0.scope = scope }
            #expect(summary.pushed == pushed)
        }
        #expect(two.todos.server.contents["new"] == ["type": "todo", "text": "eggs"])
        #expect(two.todos.server.contents["old"] == ["text": "milk"])
        try await two.put("old", ["type": "todo", "text": "oat milk"])
        try await two.device.replicate(two.todos) { $0.scope = scope }
        #expect(two.todos.server.contents["old"] == ["type": "todo", "text": "oat milk"])
    }

    @Test func `takes another member for the type of a table that has one of its own`() async throws
    {
        let two = try await TwoTables()
        two.todos.server.put("t", ["type": "urgent"])
        let scope = ReplicationScope.documents(ofType: "todo", member: "kind")
        try await two.device.replicate(two.todos) { $0.scope = scope }
        #expect(try await two.device.members("t") == ["type": "urgent", "kind": "todo"])
        try await two.put("t", ["type": "late", "kind": "todo"])
        try await two.device.replicate(two.todos) { $0.scope = scope }
        #expect(two.todos.server.contents["t"] == ["type": "late"])
    }

    @Test func `leaves rows of another type where they are`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("t", ["type": "urgent", "text": "milk"])
        let summary = try await two.replicate("todo")
        #expect(summary.pulled == 0)
        #expect(summary.skipped == 1)
        #expect(try await two.device.members("t") == nil)
        #expect(try two.database.setAsideItems(with: "todos").map(\.member) == ["type"])
        two.todos.server.put("t", ["type": "todo", "text": "milk"])
        #expect(try await two.replicate("todo").pulled == 1)
        #expect(try two.database.setAsideItems().isEmpty)
        // It leaves the scope there: its document goes, nothing is said.
        two.todos.server.put("t", ["type": "urgent", "text": "milk"])
        #expect(try await two.replicate("todo").pulled == 1)
        #expect(try await two.device.members("t") == nil)
        #expect(two.todos.server.contents["t"] == ["type": "urgent", "text": "milk"])
        #expect(try two.database.pendingOperations().isEmpty)
    }

    @Test func `may be a filter over members and identifiers`() async throws {
        let two = try await TwoTables()
        try await two.put("todo:1", ["text": "milk"])
        try await two.put("note:1", ["text": "poem"])
        two.todos.server.put("todo:2", ["text": "eggs"])
        two.todos.server.put("other", ["text": "?"])
        let scope = ReplicationScope.documents(
            matching: ["_id": ["$gte": "todo:", "$lt": "todo;"]])
        let summary = try await two.device.replicate(two.todos) { $0.scope = scope }
        #expect(summary.pushed == 1)
        #expect(summary.pulled == 1)
        #expect(summary.skipped == 1)
        #expect(Set(two.todos.server.contents.keys) == ["todo:1", "todo:2", "other"])
        #expect(try two.database.pendingOperations().isEmpty)
    }

    @Test func `keeps pulled rows of one table from the other`() async throws {
        let two = try await TwoTables()
        for index in 0..<20 {
            two.todos.server.put("t\(index)", ["n": .integer(Int64(index))])
            two.notes.server.put("n\(index)", ["n": .integer(Int64(index))])
        }
        try await two.settle()
        #expect(two.todos.server.contents.count == 20)
        #expect(two.notes.server.contents.count == 20)
        #expect(try two.database.totalDocumentCount == 40)
    }

    @Test func `is known after the database was opened again, to whatever runs`() async throws {
        var two = try await TwoTables()
        try await two.replicate()
        two = try await two.reopened()
        try await two.put("n", ["type": "note"])
        try await two.put("t", ["type": "todo"])
        // Nothing replicates, and nothing has since the database was opened.
        for (remote, id) in [("todos", "t"), ("notes", "n")] {
            await #expect {
                try await two.database.purgeReplicatedDocuments(of: remote)
            } throws: {
                let error = $0 as? ReplicationError
                return error?.code == .pendingOperations && error?.documentId == id
            }
            #expect(try two.pending(remote) == ["insert \(id)"])
        }
    }

    @Test func `counts only its own documents as pending`() async throws {
        let two = try await TwoTables()
        try await two.replicate()
        try await two.put("t", ["type": "todo"])
        try await two.put("n", ["type": "note"])
        try await two.put("draft", [:])
        #expect(try two.pending("todos") == ["insert t"])
        #expect(try two.pending("notes") == ["insert n"])
        let events = two.database.replicationEvents
        try await two.replicate("todo")
        var totals: Set<Int> = []
        for await event in events {
            if case .sending(_, let total) = event { totals.insert(total) }
            if case .completed = event { break }
        }
        #expect(totals == [1])
    }

    @Test func `is what was said last, and tells when it cannot be used`() async throws {
        let two = try await TwoTables()
        #expect(try two.database.replicationScope(of: "todos") == nil)
        try await two.replicate("todo")
        #expect(try two.database.replicationScope(of: "todos") == .documents(ofType: "todo"))
        for scope: ReplicationScope in [
            .documents(ofType: ""), .documents(ofType: "todo", member: "id"),
        ] {
            await #expect {
                try await two.device.replicate(two.todos) { $0.scope = scope }
            } throws: {
                ($0 as? ReplicationError)?.code == .misconfigured
            }
        }
    }

    @Test func `comes back from its row as it was written`() throws {
        let scopes: [ReplicationScope] = [
            .all, .documents(ofType: "todo"), .documents(ofType: "\u{FC}", member: "k"),
            .documents(ofType: "a", sendingType: true), .documents(matching: ["n": ["$gt": 5]]),
        ]
        for scope in scopes {
            var row = RowWriter()
            scope.write(to: &row)
            var reader = RowReader(row.bytes, place: "a scope")
            #expect(try ReplicationScope(from: &reader) == scope)
            for count in 0..<row.bytes.count {
                var cut = RowReader(Array(row.bytes.prefix(count)), place: "a scope")
                #expect(throws: DatabaseError.self) { try ReplicationScope(from: &cut) }
            }
        }
        #expect(ReplicationScope.documents(ofType: "u\u{308}") != .documents(ofType: "\u{FC}"))
    }
}
