import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleSync

@Suite struct `What came of a page of changes` {
    private static let remote = "couchdb+http://face/b"

    private static func note(_ id: String) throws -> AttachmentNote {
        try #require(AttachmentNote(document(id, "image/png"), "1-a"))
    }

    private static func document(_ id: String, _ type: String) -> Document {
        var document = Document(id: id)
        document.attachments = [
            DocumentAttachment(name: "x", contentType: type, data: Data("hello".utf8)),
            DocumentAttachment(name: "y", contentType: "text/plain", data: Data("hello".utf8)),
        ]
        return document
    }

    @Test func `names only documents of which something is kept`() async throws {
        let device = try await Device()
        let database = device.database
        for number in 0..<20 { try await database.add(Document(id: "\(number)")) }
        func outcome() throws -> RevisionOutcome {
            try database.read { snapshot in
                let tables = try RemoteTables(
                    RemoteRecord.find(Self.remote, in: snapshot), in: snapshot)
                return try RevisionOutcome(of: snapshot.changes(since: 0).changes, tables)
            }
        }
        #expect(try outcome().isEmpty)
        try await database.write { transaction in
            let tables = try RemoteTables.byRevisions(Self.remote, in: transaction)
            for id in ["3", "7"] { try tables.setNote(Self.note(id), in: transaction) }
            var entry = PendingChange(queued: .insert, order: 5)
            entry.status = .withheld
            try tables.setEntry(entry, "5", replacing: nil)
        }
        try await database.purge(documentsWithIds: ["7", "8"])
        #expect(try outcome().ids == ["5"])
        #expect(try outcome().purgedIds == ["7"])
        #expect(try !outcome().isEmpty)
    }

    @Test func `counts what was refused and held back`() {
        var outcome = RevisionOutcome(ids: ["a"])
        outcome.refused["b"] = RemoteRejection(reason: "no")
        outcome.withheld.insert("c")
        #expect(outcome.changedIds == ["a", "b", "c"])
    }

    @Test func `notes attachments with their types`() async throws {
        let device = try await Device()
        let database = device.database
        let note = try Self.note("d")
        #expect(try AttachmentNote(decoding: note.encoded(), id: "d") == note)
        for length in 0..<note.encoded().count {
            #expect(throws: DatabaseError.self) {
                try AttachmentNote(decoding: Array(note.encoded().prefix(length)), id: "d")
            }
        }
        try await database.write { transaction in
            let tables = try RemoteTables.byRevisions(Self.remote, in: transaction)
            try tables.setNote(note, in: transaction)
            func known(_ type: String) throws -> Set<String> {
                try tables.knownAttachments(
                    of: Self.document("d", type), after: ["1-a"], among: ["1-a"])
            }
            #expect(try known("image/png") == ["x", "y"])
            #expect(try known("image/gif") == ["y"])
            // Without types nothing is known.
            var row = RowWriter()
            row.write(byte: 1)
            row.write(counted: "1-a".utf8)
            row.write(number: 2)
            for (name, content) in note.contents {
                row.write(counted: name.utf8)
                row.write(counted: content.digest.utf8)
            }
            try transaction.sideTable(named: RemoteTables.attachmentsName)
                .set(row.bytes, for: tables.documentKey("d"))
            #expect(try known("image/png") == [])
        }
        #expect(try await database.check().isEmpty)
    }
}
