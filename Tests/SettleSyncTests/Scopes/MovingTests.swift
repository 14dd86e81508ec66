import Foundation
import Settle
import SettlePrimitives
import Synchronization
import Testing

@testable import SettleSync

@Suite(.serialized) struct `A document that changes its table` {
    @Test func `is deleted in the one and inserted into the other`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate()
        try await two.put("x", ["type": "note", "text": "a poem on milk"])
        try await two.settle()
        #expect(two.todos.server.contents.isEmpty)
        #expect(two.notes.server.contents == ["x": ["text": "a poem on milk"]])
        #expect(try await two.device.members("x")?["type"] == "note")
        #expect(try two.database.pendingOperations().isEmpty)

        // And back, which undeletes the row.
        try await two.put("x", ["type": "todo", "text": "milk again"])
        try await two.settle()
        #expect(two.todos.server.contents == ["x": ["text": "milk again"]])
        #expect(two.notes.server.contents.isEmpty)
        #expect(try await two.device.members("x") == ["type": "todo", "text": "milk again"])
        #expect(two.todos.server.complaints + two.notes.server.complaints == [])
    }

    @Test(arguments: [["todo", "note"], ["note", "todo"]])
    func `is moved on other devices, whichever table they hear first`(
        order: [String]
    ) async throws {
        let two = try await TwoTables()
        let other = try await two.another()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate()
        try await other.replicate()
        try await two.put("x", ["type": "note", "text": "poem"])
        try await two.settle()
        for type in order { try await other.replicate(type) }
        #expect(try await other.device.members("x") == ["type": "note", "text": "poem"])
        #expect(try other.database.pendingOperations().isEmpty)
        try await other.settle()
        #expect(two.todos.server.contents.isEmpty)
        #expect(two.notes.server.contents == ["x": ["text": "poem"]])
    }

    @Test func `that no table takes stays here and is deleted there`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate()
        try await two.put("x", ["text": "milk"])
        #expect(try two.pending("todos") == ["delete x"])
        try await two.settle()
        #expect(two.todos.server.contents.isEmpty)
        #expect(try await two.device.members("x") == ["text": "milk"])
    }

    @Test func `before it was ever sent goes to the second table alone`() async throws {
        let two = try await TwoTables()
        try await two.replicate()
        try await two.put("x", ["type": "todo"])
        try await two.put("x", ["type": "note"])
        #expect(try two.pending("todos").isEmpty)
        #expect(try two.pending("notes") == ["insert x"])
        try await two.settle()
        #expect(two.todos.server.state.withLock { $0.rows.isEmpty })
    }

    @Test func `is deleted in the table that has its row`() async throws {
        let two = try await TwoTables()
        two.notes.server.put("x", ["text": "poem"])
        try await two.replicate()
        try await two.database.delete(documentWithId: "x")
        #expect(try two.pending("todos").isEmpty)
        #expect(try two.pending("notes") == ["delete x"])
        try await two.settle()
        #expect(two.notes.server.contents.isEmpty)
    }

    @Test func `while its row is edited is a conflict, and both stay`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate()
        try await two.put("x", ["type": "note", "text": "poem"])
        two.todos.server.put("x", ["text": "oat milk"])
        try await two.replicate()
        let conflict = try #require(
            try two.database.replicationConflicts(with: "todos").first)
        #expect(conflict.local == nil)
        #expect(conflict.server?.json == ["type": "todo", "text": "oat milk"])
        #expect(two.notes.server.contents == ["x": ["text": "poem"]])

        // The row stays; its identifier is taken, so it waits.
        try await two.database.resolve(conflict, with: .useServer)
        try await two.settle()
        #expect(try await two.device.members("x") == ["type": "note", "text": "poem"])
        #expect(try two.database.setAsideItems().map(\.remote) == ["todos"])
        #expect(two.todos.server.contents == ["x": ["text": "oat milk"]])
        #expect(two.notes.server.contents == ["x": ["text": "poem"]])
        #expect(try two.database.pendingOperations().isEmpty)

        // When the note goes, the todo item comes.
        try await two.database.delete(documentWithId: "x")
        try await two.settle()
        #expect(try await two.device.members("x") == ["type": "todo", "text": "oat milk"])
        #expect(two.notes.server.contents.isEmpty)
        #expect(two.todos.server.contents == ["x": ["text": "oat milk"]])
    }

    @Test func `takes the content of its attachments along before its row goes`() async throws {
        var two = try await TwoTables()
        (two.todos.carriesAttachments, two.notes.carriesAttachments) = (true, true)
        let other = try await two.another()
        var photo = Document(id: "x")
        photo["type"] = "todo"
        photo.attachments = [
            DocumentAttachment(
                name: "photo.jpg", contentType: "image/jpeg", data: Data("photo".utf8))
        ]
        try await other.database.save(photo)
        try await other.replicate()
        try await two.replicate { $0.downloadsAttachments = false }
        var here = try #require(try await two.database.fetchDocument("x"))
        #expect(try here.attachments.first?.isContentAvailable == false)
        here["type"] = "note"
        try await two.database.save(here)
        try await two.replicate("todo") { $0.downloadsAttachments = false }
        #expect(two.todos.server.contents.isEmpty)
        let moved = try #require(try await two.database.fetchDocument("x"))
        #expect(try moved.attachments.first?.data() == Data("photo".utf8))
        try await two.settle()
        #expect(two.notes.server.contents["x"] != nil)
        #expect(two.notes.server.state.withLock { $0.contents.count } == 1)
    }

    @Test func `by a conflict handler goes to the other table`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate()
        try await two.put("x", ["type": "todo", "text": "oat milk"])
        two.todos.server.put("x", ["text": "soy milk"])
        let handler = ConflictHandler { conflict in
            guard var document = conflict.local else { return .leave }
            document["type"] = "note"
            return .use(document)
        }
        try await two.replicate { $0.conflictHandler = handler }
        try await two.settle()
        #expect(two.todos.server.contents.isEmpty)
        #expect(two.notes.server.contents == ["x": ["text": "oat milk"]])
    }
}

@Suite(.serialized) struct `An identifier that two tables have` {
    @Test func `is not written over, and its row waits for it`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate("todo")
        two.notes.server.put("x", ["text": "poem"])
        two.notes.server.put("y", ["text": "novel"])
        let summary = try await two.replicate("note")
        #expect(summary.pulled == 1, "the other row comes")
        #expect(summary.skipped == 1)
        let waiting = try two.database.setAsideItems(with: "notes")
        #expect(waiting.map(\.id) == ["x"] && waiting.map(\.member) == ["id"])
        #expect(try await two.replicate("note").skipped == 0, "nothing new")
        #expect(try await two.device.members("x") == ["type": "todo", "text": "milk"])
        #expect(try two.database.pendingOperations().isEmpty)
        // It is changed there meanwhile, and the device is opened again.
        two.notes.server.put("x", ["text": "sonnet"])
        try await two.replicate("note")
        let again = try await two.reopened()
        #expect(try await again.device.members("x") == ["type": "todo", "text": "milk"])
        try await again.database.delete(documentWithId: "x")
        try await again.settle()
        #expect(try await again.device.members("x") == ["type": "note", "text": "sonnet"])
        #expect(try again.database.setAsideItems().isEmpty)
        #expect(two.todos.server.contents.isEmpty)
        #expect(two.notes.server.contents["x"] == ["text": "sonnet"])
    }

    @Test func `is free again when the one document is purged`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate("todo")
        two.notes.server.put("x", ["text": "poem"])
        try await two.replicate("note")
        #expect(try await two.database.purgeReplicatedDocuments(of: "todos") == 1)
        try await two.replicate("note")
        #expect(try await two.device.members("x") == ["type": "note", "text": "poem"])
    }

    @Test func `is forgotten when the row goes before it is free`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate("todo")
        two.notes.server.put("x", ["text": "poem"])
        two.notes.server.put("z", ["text": "ode"])
        try await two.replicate("note")
        two.notes.server.put("x", nil)
        try await two.replicate("note")
        try await two.database.delete(documentWithId: "x")
        try await two.settle()
        #expect(try await two.device.members("x") == nil)
    }

    @Test func `and that is gone for good is forgotten by reconciling`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate("todo")
        two.notes.server.put("x", ["text": "poem"])
        try await two.replicate("note")
        two.notes.server.erase("x")
        try await two.replicate("note") { $0.reconciling = .atStart }
        #expect(try await two.device.members("x") == ["type": "todo", "text": "milk"])
        try await two.database.delete(documentWithId: "x")
        try await two.settle()
        #expect(try await two.device.members("x") == nil)
    }

    @Test func `by inserts of both is no conflict`() async throws {
        let two = try await TwoTables()
        let other = try await two.another()
        try await two.put("x", ["type": "todo", "text": "milk"])
        try await other.put("x", ["type": "note", "text": "poem"])
        try await two.settle()
        try await other.settle()
        try await two.settle()
        #expect(try await two.device.members("x") == ["type": "todo", "text": "milk"])
        #expect(try await other.device.members("x") == ["type": "note", "text": "poem"])
        #expect(two.todos.server.contents == ["x": ["text": "milk"]])
        #expect(two.notes.server.contents == ["x": ["text": "poem"]])
    }
}
