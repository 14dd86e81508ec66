import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `An export` {
    @Test(arguments: [UInt64](1...4))
    func `imported into an empty database gives an equal one`(seed: UInt64) async throws {
        let generator = SeededGenerator(seed: seed)
        let exports = try Exports()
        var random = RandomDatabase(generator)
        let now = { @Sendable [now = random.now] in now.date }
        try await withDatabase(now: now) { database async throws in
            try await random.fill(database, changeCount: 120)
            let text = try await exports.text(of: database)
            let before = try VisibleDocuments(of: database)
            try await withDatabase(now: now) { copy async throws in
                let summary = try await exports.add(text, to: copy)
                let after = try VisibleDocuments(of: copy)
                #expect(after.entries == before.entries, "\(generator)")
                // The purges before the last change are not part of an export.
                #expect(
                    after.changes.changes == before.changes.changes.filter { !$0.isPurged },
                    "\(generator)")
                #expect(after.changes.lastSequence == before.changes.lastSequence, "\(generator)")
                #expect(after.documentCount == before.documentCount, "\(generator)")
                #expect(after.deletedCount == before.deletedCount, "\(generator)")
                #expect(summary.addedCount == before.entries.count, "\(generator)")
                // Ancestors, which nothing else shows, are in the text.
                #expect(try await exports.text(of: copy) == text, "\(generator)")
            }
        }
    }

    @Test func `goes on counting where the database did, though its last change was a purge`()
        async throws
    {
        let exports = try Exports()
        try await withDatabase { database async throws in
            try await database.write { transaction in
                for id in ["a", "b"] { try transaction.add(Document(id: id)) }
                try transaction.purge(documentsWithIds: ["b"])
            }
            let text = try await exports.text(of: database)
            try await withDatabase { copy async throws in
                try await exports.add(text, to: copy)
                #expect(try copy.lastSequence == 3)
                #expect(try await copy.check() == [])
            }
        }
    }

    @Test func `of an empty database is a header and an end`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            let text = try await exports.text(of: database)
            #expect(
                text == """
                    {"settleExport":1,"documents":0,"tombstones":0,"lastSequence":0,\
                    "attachments":"inline"}
                    {"end":true,"documents":0,"tombstones":0,"contents":0}

                    """)
            #expect(try await exports.add(text, to: database).storedCount == 0)
            #expect(try database.lastSequence == 0)
        }
    }

    @Test func `keeps dates that ISO 8601 has no text for`() async throws {
        let exports = try Exports()
        let now = Date(timeIntervalSince1970: 300_000_000_000)
        try await withDatabase(now: { now }) { database async throws in
            try await database.save(["id": "a"])
            let text = try await exports.text(of: database)
            #expect(text.contains(#""created":300000000000000000"#))
            try await withDatabase { copy async throws in
                try await exports.add(text, to: copy)
                let document = try #require(try await copy.fetchDocument("a"))
                #expect(document.metaData.createDate == now)
            }
        }
    }

    @Test func `keeps a document as deep as documents may be`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            var deep = JSONValue.integer(1)
            for _ in 0..<511 { deep = .array([deep]) }
            var document = Document(id: "deep")
            document[json: "a"] = deep
            try await database.save(document)
            try await withDatabase { copy async throws in
                try await exports.add(exports.text(of: database), to: copy)
                #expect(try await copy.fetchDocument("deep") == document)
            }
        }
    }

    @Test func `keeps a document whose text is longer than texts may be`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            var large = Document(id: "large")
            // Six bytes of text for each byte that is stored: more text than a document may have.
            large["a"] = String(repeating: "\u{1}", count: 7 << 19)
            try await database.save(large)
            let url = exports.file()
            let summary = try await database.exportDocuments(to: url)
            #expect(summary.byteCount > 21 << 20)
            try await withDatabase { copy async throws in
                try await copy.importDocuments(from: url)
                #expect(try await copy.fetchDocument("large") == large)
            }
        }
    }

    @Test func `keeps what a tombstone holds`() async throws {
        let exports = try Exports()
        let text = """
            {"settleExport":1,"documents":0,"tombstones":1,"lastSequence":7,"attachments":"inline"}
            {"id":"a","sequence":7,"revision":"2-294fe009136a8a5a51e8fa22b60e1f3f",\
            "ancestors":["ff7aebc4a310ab9e0947f0eaac2bd2ae"],"deleted":true,\
            "created":"2026-11-21T03:04:05.000006Z","changed":"2026-11-21T03:04:05.000007Z",\
            "members":{"v":1}}
            {"end":true,"documents":0,"tombstones":1,"contents":0}

            """
        try await withDatabase { database async throws in
            try await exports.add(text, to: database)
            let document = try #require(
                try database.read { try $0.document("a", includingDeleted: true) })
            #expect(document.json == ["v": 1] && document.metaData.isDeleted)
            #expect(try database.lastSequence == 7)
            #expect(try await exports.text(of: database) == text)
        }
    }

    @Test func `is handed out in pieces as it would be written`() async throws {
        let exports = try Exports()
        var random = RandomDatabase(SeededGenerator(seed: 9))
        try await withDatabase { database async throws in
            try await random.fill(database, changeCount: 60)
            let text = try await exports.text(of: database)
            let url = exports.file()
            try Data().write(to: url)
            let handle = try FileHandle(forWritingTo: url)
            let summary = try await database.exportDocuments { bytes in
                try handle.write(contentsOf: Data(bytes))
            }
            try handle.close()
            #expect(try String(contentsOf: url, encoding: .utf8) == text)
            #expect(summary.byteCount == text.utf8.count)
            #expect(Database.isExport(Data(text.utf8)))
            #expect(Database.isExport(Data(text.utf8.prefix(4_096))))
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "[{\"settleExport\":1}]", "{\"id\":\"a\"}", "{\"settleExport\":1",
        "\n{\"settleExport\":1}", "{\"x\":\"settleExport\"}",
    ])
    func `is not taken for other JSON`(text: String) {
        #expect(!Database.isExport(Data(text.utf8)))
    }

    @Test func `tells how far it has come`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            try await database.write { transaction in
                for number in 0..<500 { try transaction.save(Document(id: "d\(number)")) }
            }
            let url = exports.file()
            let written = Inbox<MaintenanceProgress>()
            try await database.exportDocuments(to: url) { written.put($0) }
            let end = await written.first { $0.completed == 500 }
            #expect(end == MaintenanceProgress(completed: 500, total: 500))
            try await withDatabase { copy async throws in
                let read = Inbox<MaintenanceProgress>()
                try await copy.importDocuments(from: url) { read.put($0) }
                let half = await read.first { $0.completed >= 500 }
                #expect(half == MaintenanceProgress(completed: 500, total: 1_000))
                let end = await read.first { $0.completed == 1_000 }
                #expect(end == MaintenanceProgress(completed: 1_000, total: 1_000))
            }
        }
    }
}
