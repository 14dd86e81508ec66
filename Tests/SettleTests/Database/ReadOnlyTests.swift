import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A database opened for reading only` {
    private let byKind = Database.Index.keyPaths(name: "kinds", version: "1", keys: [["kind"]])

    private func open(_ folder: URL, isReadOnly: Bool) async throws -> Database? {
        try await Database.open(
            with: Database.OpenDatabaseConfiguration(
                name: "test", fileLocation: folder, indexes: [byKind], isReadOnly: isReadOnly),
            create: !isReadOnly)
    }

    @Test func `reads, checks, and copies, and refuses to write`() async throws {
        let scratch = try ScratchDirectory("reading")
        #expect(try await open(scratch.url, isReadOnly: true) == nil)
        let writing = try #require(try await open(scratch.url, isReadOnly: false))
        try await writing.add(["id": "b", "kind": "y"])
        _ = try await writing.runQuery(on: "kinds", with: QueryByKeyRange())
        await writing.close()

        let database = try #require(try await open(scratch.url, isReadOnly: true))
        #expect(try await database.fetchDocument("b")?.string("kind") == "y")
        #expect(try await database.runQuery(on: "kinds", with: QueryByKeyRange()).count == 1)
        #expect(try await database.check() == [])
        for write: @Sendable () async throws -> Void in [
            { _ = try await database.save(["id": "c"]) },
            { _ = try await database.delete(documentWithId: "b") },
            { _ = try await database.compact() },
        ] {
            let error = await #expect(throws: DatabaseError.self) { try await write() }
            #expect(error?.code == .readOnly)
        }
        let backup = try await database.backup(to: scratch.url, name: "copy")
        await database.close()
        let copy = try #require(try await Database.open(with: backup))
        #expect(try copy.totalDocumentCount == 1)
        await copy.close()
    }
}
