import Foundation
import Settle
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Purging one table of several` {
    @Test(arguments: [false, true])
    func `removes its documents and no others, forced or not`(isForced: Bool) async throws {
        let two = try await TwoTables()
        two.todos.server.put("t", ["text": "milk"])
        two.notes.server.put("n", ["text": "poem"])
        try await two.replicate()
        try await two.put("noteDraft", ["type": "note"])
        try await two.put("n", ["type": "note", "text": "sonnet"])
        try await two.put("neither", ["text": "?"])
        let count = try await two.database.purgeReplicatedDocuments(
            of: "todos", discardingPendingOperations: isForced)
        #expect(count == 1)
        #expect(try await two.device.members("t") == nil)
        #expect(try await two.device.members("n")?["text"] == "sonnet")
        #expect(try await two.device.members("noteDraft") != nil)
        #expect(try await two.device.members("neither") != nil)
        #expect(try two.pending("notes") == ["insert noteDraft", "update n"])
        #expect(try await two.replicate("todo").pulled == 1)
    }

    @Test func `is refused only for what is pending of this table`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("t", [:])
        try await two.replicate()
        try await two.put("n", ["type": "note"])
        #expect(try await two.database.purgeReplicatedDocuments(of: "todos") == 1)
        try await two.put("t2", ["type": "todo"])
        await #expect {
            try await two.database.purgeReplicatedDocuments(of: "todos")
        } throws: {
            ($0 as? ReplicationError)?.documentId == "t2"
        }
        #expect(
            try await two.database.purgeReplicatedDocuments(
                of: "todos", discardingPendingOperations: true) == 1)
        #expect(try two.pending("notes") == ["insert n"])
    }

    @Test func `that a document was moved out of leaves it alone`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("x", ["text": "milk"])
        try await two.replicate()
        try await two.put("x", ["type": "note", "text": "milk"])
        #expect(try two.pending("todos") == ["delete x"])
        #expect(try two.pending("notes") == ["insert x"])
        #expect(
            try await two.database.purgeReplicatedDocuments(
                of: "todos", discardingPendingOperations: true) == 0)
        #expect(try await two.device.members("x") == ["type": "note", "text": "milk"])
        #expect(try two.pending("notes") == ["insert x"])
    }

    /// Its row in the first table will be deleted, and there is none in the second yet.
    @Test(arguments: [false, true])
    func `keeps a document that is on its way from the other`(isForced: Bool) async throws {
        let two = try await TwoTables()
        two.notes.server.put("x", ["text": "poem"])
        try await two.replicate()
        try await two.put("x", ["type": "todo", "text": "poem"])
        _ = try? await two.database.purgeReplicatedDocuments(
            of: "todos", discardingPendingOperations: isForced)
        #expect(try await two.device.members("x") == ["type": "todo", "text": "poem"])
        try await two.settle()
        #expect(two.notes.server.contents.isEmpty)
        #expect(two.todos.server.contents == ["x": ["text": "poem"]])
    }

    /// The delegate is a filter inside the scope; what it holds back is in nobody's way, and not lost.
    @Test(arguments: [false, true])
    func `leaves what the delegate holds back and never left the device`(
        isForced: Bool
    ) async throws {
        let two = try await TwoTables()
        two.todos.server.put("t", [:])
        let filter = PrivateDocuments()
        two.database.replicationFilterDelegate = filter
        try await two.put("secret", ["type": "todo", "private": true])
        let summary = try await two.replicate("todo")
        #expect(summary.withheld == 1)
        #expect(try two.database.pendingOperations(with: "todos").map(\.state) == [.withheld])
        let count = try await two.database.purgeReplicatedDocuments(
            of: "todos", discardingPendingOperations: isForced)
        #expect(count == 1)
        #expect(try await two.device.members("secret") != nil)
        #expect(two.todos.server.contents["secret"] == nil)
        try await two.put("secret", ["type": "todo", "private": false])
        try await two.replicate("todo")
        #expect(two.todos.server.contents["secret"] != nil)
    }

    @Test func `removes a held back edit only when it is forced to`() async throws {
        let two = try await TwoTables()
        two.todos.server.put("t", [:])
        let filter = PrivateDocuments()
        two.database.replicationFilterDelegate = filter
        try await two.replicate("todo")
        try await two.put("t", ["type": "todo", "private": true])
        #expect(try await two.replicate("todo").withheld == 1)
        #expect(try await two.database.purgeReplicatedDocuments(of: "todos") == 0)
        #expect(try await two.device.members("t")?["private"] == true)
        #expect(
            try await two.database.purgeReplicatedDocuments(
                of: "todos", discardingPendingOperations: true) == 1)
        #expect(try await two.device.members("t") == nil)
    }
}

/// Holds back what is private.
final class PrivateDocuments: ReplicationFilterDelegate {
    func database(
        _ database: Database, shouldSendDocument document: Document,
        filterParameters: [String: Any]?
    ) -> Bool {
        document["private"] as? Bool != true
    }
}
