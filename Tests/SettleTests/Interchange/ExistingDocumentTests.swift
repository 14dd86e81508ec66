import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Importing into a database with documents` {
    /// An export of the documents a, b, c; the last a tombstone.
    private func text(_ exports: Exports) async throws -> String {
        try await withDatabase { database async throws in
            for id in ["a", "b", "c"] { try await database.save(["id": id, "from": "there"]) }
            try await database.delete(documentWithId: "c")
            return try await exports.text(of: database)
        }
    }

    private func origins(in database: Database) async throws -> [String: String] {
        try await database.fetchDocuments(["a", "b", "c", "d"]).compactMapValues {
            $0.string("from")
        }
    }

    @Test func `keeps them unless told otherwise`() async throws {
        let exports = try Exports()
        let text = try await text(exports)
        try await withDatabase { database async throws in
            for id in ["a", "c", "d"] { try await database.save(["id": id, "from": "here"]) }
            let summary = try await exports.add(text, to: database)
            #expect(
                try await origins(in: database)
                    == ["a": "here", "b": "there", "c": "here", "d": "here"])
            #expect((summary.addedCount, summary.keptCount) == (1, 2))
            #expect((summary.replacedCount, summary.unchangedCount) == (0, 0))
            #expect(try database.lastSequence == 4)
        }
    }

    @Test func `replaces them when told`() async throws {
        let exports = try Exports()
        let text = try await text(exports)
        try await withDatabase { database async throws in
            for id in ["a", "c", "d"] { try await database.save(["id": id, "from": "here"]) }
            let summary = try await exports.add(text, to: database, existing: .replace)
            #expect(
                try await origins(in: database) == ["a": "there", "b": "there", "d": "here"])
            #expect((summary.addedCount, summary.replacedCount) == (1, 2))
            #expect(try await database.check() == [])
        }
    }

    @Test func `fails before it stores anything when told`() async throws {
        let exports = try Exports()
        let text = try await text(exports)
        try await withDatabase { database async throws in
            try await database.save(["id": "b", "from": "here"])
            let error = await #expect(throws: DatabaseError.self) {
                try await exports.add(text, to: database, existing: .fail)
            }
            #expect(error?.code == .documentExists && error?.documentId == "b")
            #expect(error?.message.contains(", line 3") == true)
            #expect(try await origins(in: database) == ["b": "here"])
            #expect(try database.lastSequence == 1)
        }
    }

    @Test(arguments: ExistingDocuments.allCases)
    func `leaves those of the same revision alone, and takes tombstones for none`(
        existing: ExistingDocuments
    ) async throws {
        let exports = try Exports()
        let text = try await text(exports)
        try await withDatabase { database async throws in
            try await exports.add(text, to: database)
            let first = try VisibleDocuments(of: database)
            let again = try await exports.add(text, to: database, existing: existing)
            #expect((again.unchangedCount, again.storedCount) == (3, 0))
            #expect(try VisibleDocuments(of: database) == first)
            try await database.delete(documentWithId: "a")
            let back = try await exports.add(text, to: database, existing: existing)
            #expect((back.unchangedCount, back.addedCount) == (2, 1))
            #expect(try await origins(in: database) == ["a": "there", "b": "there"])
        }
    }

    @Test func `tells participants, streams, and delegates`() async throws {
        final class Participant: CommitParticipant {
            let ids = Lock<[String]>([])
            func willCommit(_ changes: [DocumentChange], in transaction: Transaction) throws {
                ids.withLock { $0 += changes.map(\.documentId) }
            }
        }
        let exports = try Exports()
        let text = try await text(exports)
        try await withDatabase { database async throws in
            let participant = Participant()
            database.addParticipant(participant)
            var commits = database.commits.makeAsyncIterator()
            try await exports.add(text, to: database)
            #expect(participant.ids.withLock { Set($0) } == ["a", "b", "c"])
            let changes = await commits.next()?.changes ?? []
            #expect(changes.map(\.documentId) == ["a", "b", "c"])
            #expect(changes.map(\.isDeleted) == [false, false, true])
        }
    }

    @Test func `keeps a content that goes and comes back within one import`() async throws {
        let exports = try Exports()
        let picture = DocumentAttachment(
            name: "p", contentType: "image/png", data: Data(repeating: 7, count: 200_000))
        let text = try await withDatabase { database async throws in
            try await database.save(["id": "a", "n": 2])
            var late: Document = ["id": "z"]
            late.attachments = [picture]
            try await database.save(late)
            return try await exports.text(of: database)
        }
        try await withDatabase { database async throws in
            var holder: Document = ["id": "a", "n": 1]
            holder.attachments = [picture]
            try await database.save(holder)
            try await exports.add(text, to: database, existing: .replace)
            let late = try #require(try await database.fetchDocument("z"))
            #expect(try late.attachments.map { try $0.data() } == [try picture.data()])
            #expect(try database.statistics().waitingContentCount == 0)
            #expect(try await database.check() == [])
        }
    }

    /// Waits until the task is cancelled, so that what comes next finds it so.
    private func cancelled() async {
        while !Task.isCancelled { await Task.yield() }
    }

    @Test func `ends when its task is cancelled, and can be done again`() async throws {
        let exports = try Exports()
        let text = try await text(exports)
        try await withDatabase { database async throws in
            let url = try exports.scratch.write(text, to: "a.ndjson")
            let task = Task {
                await cancelled()
                return try await database.importDocuments(from: url)
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try database.lastSequence == 0)
            #expect(try await database.importDocuments(from: url).addedCount == 3)
            let export = Task {
                await cancelled()
                return try await database.exportDocuments(to: exports.file("b.ndjson"))
            }
            export.cancel()
            await #expect(throws: CancellationError.self) { try await export.value }
            let names = try FileManager.default.contentsOfDirectory(atPath: exports.scratch.path)
            #expect(!names.contains { $0.hasPrefix("b.ndjson") })
        }
    }
}
