import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Conflicts of documents` {
    private func give(
        _ revisions: [String], _ document: Document, isDeleted: Bool = false,
        to database: Database
    ) async throws {
        try await database.write { transaction in
            _ = try transaction.store(
                document, revisions: revisions, isDeleted: isDeleted, from: "there")
        }
    }

    /// A document `d` with the leaves `2-b`, which wins, `2-a`, and the deletion `3-c`.
    private func makeConflict(in database: Database) async throws {
        try await give(["2-b", "1-x"], ["id": "d", "n": 1], to: database)
        try await give(["2-a", "1-x"], ["id": "d", "n": 2], to: database)
        try await give(["3-c", "2-c", "1-x"], ["id": "d"], isDeleted: true, to: database)
    }

    @Test func `are the leaves that lost and are no deletions`() async throws {
        try await withDatabase { database async throws in
            try await makeConflict(in: database)
            let document = try #require(try await database.fetchDocument("d"))
            #expect(document["n", as: Int.self] == 1)
            let conflicts = try await database.conflicts(of: "d")
            #expect(conflicts.map { $0["n", as: Int.self] } == [2])
            #expect(try database.conflictedDocuments().map(\.id) == ["d"])
            try database.read { snapshot in
                let leaves = try snapshot.leaves(of: "d")
                #expect(leaves.map(\.revision) == ["2-b", "2-a", "3-c"])
                #expect(leaves.map(\.isDeleted) == [false, false, true])
                #expect(leaves[2].ancestors == ["2-c", "1-x"])
                #expect(try snapshot.document("d", atRevision: "2-a")?["n", as: Int.self] == 2)
                #expect(try snapshot.document("d", atRevision: "3-c")?.metaData.isDeleted == true)
                #expect(try snapshot.document("d", atRevision: "1-x") == nil)
                #expect(try snapshot.document("d", atRevision: "no revision") == nil)
                // What stands for a text that is no 32 digits names the leaf as well.
                let standIn = try #require(document.metaData.revision)
                #expect(try snapshot.document("d", atRevision: standIn) == document)
                #expect(try snapshot.conflictedDocumentCount == 1)
                #expect(try snapshot.leaves(of: "e") == [] && snapshot.conflicts(of: "e") == [])
            }
            let statistics = try database.statistics()
            #expect(statistics.conflictedDocumentCount == 1 && statistics.lostLeafCount == 2)
            #expect(try await database.check() == [])
        }
    }

    @Test func `end in one commit, with deletions of those that lost`() async throws {
        try await withDatabase { database async throws in
            try await makeConflict(in: database)
            let other = try #require(try await database.conflicts(of: "d").first)
            let before = try database.lastSequence
            let resolved = try #require(try await database.resolveConflicts(of: "d", with: other))
            #expect(resolved["n", as: Int.self] == 2)
            #expect(try await database.fetchDocument("d") == resolved)
            #expect(try await database.conflicts(of: "d") == [])
            let leaves = try database.read { try $0.leaves(of: "d") }
            #expect(leaves.map(\.isDeleted) == [false, true, true])
            #expect(leaves[0].revision == resolved.metaData.revision)
            #expect(leaves[0].ancestors == ["2-b", "1-x"])
            #expect(Set(leaves.dropFirst().map(\.ancestors)) == [["2-a", "1-x"], ["2-c", "1-x"]])
            #expect(try database.conflictedDocuments() == [])
            #expect(try database.changeBatch(since: before).changes.map(\.documentId) == ["d"])
            #expect(try await database.check() == [])
        }
    }

    @Test func `end with nothing left when the document is deleted with all of them`() async throws
    {
        try await withDatabase { database async throws in
            try await makeConflict(in: database)
            #expect(try await database.resolveConflicts(of: "d", with: nil) == nil)
            #expect(try await database.fetchDocument("d") == nil)
            #expect(try database.read { try $0.leaves(of: "d").allSatisfy(\.isDeleted) })
            await #expect(throws: DatabaseError.self) {
                try await database.resolveConflicts(of: "d", with: nil)
            }
            #expect(try await database.check() == [])
        }
    }

    @Test func `are not resolved by a version that is none of them any more`() async throws {
        try await withDatabase { database async throws in
            try await makeConflict(in: database)
            let old = try #require(try await database.conflicts(of: "d").first)
            try await give(["3-z", "2-a", "1-x"], ["id": "d", "n": 3], to: database)
            do {
                try await database.resolveConflicts(of: "d", with: old)
                Issue.record("A version that was replaced was accepted.")
            } catch let error as DatabaseError {
                #expect(error.code == .conflict)
            }
        }
    }

    @Test func `are changed branch by branch, and come up when the document is deleted`()
        async throws
    {
        try await withDatabase { database async throws in
            try await makeConflict(in: database)
            let longer = try await database.write { transaction in
                try transaction.save(["id": "d", "n": 5], afterLeaf: "2-a")
            }
            // It has the higher generation now.
            #expect(try await database.fetchDocument("d") == longer)
            #expect(try await database.conflicts(of: "d").map { $0["n", as: Int.self] } == [1])
            #expect(try await database.delete(documentWithId: "d"))
            #expect(try await database.fetchDocument("d")?["n", as: Int.self] == 1)
            #expect(try await database.delete(documentWithId: "d"))
            #expect(try await database.fetchDocument("d") == nil)
            #expect(try await !database.delete(documentWithId: "d"))
            await #expect(throws: DatabaseError.self) {
                try await database.write {
                    _ = try $0.save(["id": "d"], afterLeaf: "2-a")
                }
            }
        }
    }

    @Test(arguments: [
        [], ["x"], ["1-a", "1-b"], ["2-a", "3-b"], ["1-a", "0-b"], ["3-a", "1-b"], ["1-"],
    ])
    func `are not made of what is no list of revisions`(revisions: [String]) async throws {
        try await withDatabase { database async throws in
            do {
                try await give(revisions, ["id": "d"], to: database)
                Issue.record("It was accepted.")
            } catch let error as DatabaseError {
                #expect(error.code == .invalidDocument)
            }
            #expect(try database.lastSequence == 0)
        }
    }

    @Test func `are listed again whenever others are`() async throws {
        try await withDatabase { database async throws in
            var states = database.conflictStates.makeAsyncIterator()
            #expect(try await states.next() == [])
            try await makeConflict(in: database)
            #expect(try await states.next()?.map(\.id) == ["d"])
            try await database.save(["id": "other"])
            try await give(["1-z"], ["id": "other", "n": 1], to: database)
            #expect(try await states.next()?.map(\.id) == ["d", "other"])
            try await database.resolveConflicts(of: "d", with: ["id": "d"])
            let last = try await states.next()
            #expect(last?.map(\.id) == ["other"] && last?.first?.conflictCount == 1)
            await database.close()
            #expect(try await states.next() == nil)
        }
    }

    @Test func `keep their attachments, each as long as a leaf has it`() async throws {
        try await withDatabase { database async throws in
            var (first, second): (Document, Document) = (["id": "d", "n": 1], ["id": "d", "n": 2])
            first.attachments = [
                DocumentAttachment(name: "a", contentType: "text/plain", data: Data("one".utf8))
            ]
            second.attachments = [
                DocumentAttachment(name: "a", contentType: "text/plain", data: Data("two".utf8))
            ]
            try await give(["1-b"], first, to: database)
            try await give(["1-a"], second, to: database)
            #expect(try database.statistics().attachmentContentCount == 2)
            let other = try #require(try await database.conflicts(of: "d").first)
            #expect(try other.attachments.first?.data() == Data("two".utf8))
            let resolved = try await database.resolveConflicts(of: "d", with: other)
            #expect(try resolved?.attachments.first?.data() == Data("two".utf8))
            #expect(try database.statistics().attachmentContentCount == 1)
            #expect(try await database.check() == [])
            try await database.purge(documentsWithIds: ["d"])
            #expect(try database.statistics().attachmentContentCount == 0)
        }
    }

    @Test func `are mapped by indexes only once they win`() async throws {
        try await withDatabase { database async throws in
            let index = Database.Index(
                name: "n", version: "1",
                map: { document, addIndexRow in addIndexRow(document["n"], nil) })
            try await database.addIndex(index)
            try await makeConflict(in: database)
            #expect(try await database.runQuery(on: "n").map { $0.key as? Int } == [1])
            try await database.delete(documentWithId: "d")
            #expect(try await database.runQuery(on: "n").map { $0.key as? Int } == [2])
        }
    }
}
