import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Attachments in an export` {
    private let lengths = [0, 1, 65_519, 65_520, 65_521, 131_040, 300_000]

    /// Documents that each attach a content of their own and one that all of them have.
    private func fill(_ database: Database) async throws {
        for (index, length) in lengths.enumerated() {
            var document = Document(id: "d\(index)")
            document.attachments = [
                DocumentAttachment(
                    name: "own", contentType: "a/b", data: Data(repeating: 1, count: length)),
                DocumentAttachment(
                    name: "shared", contentType: "a/b", data: Data(repeating: 2, count: 70_000)),
            ]
            try await database.save(document)
        }
    }

    @Test func `stand in it once`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            try await fill(database)
            let url = exports.file()
            let summary = try await database.exportDocuments(to: url)
            #expect(summary.contentCount == lengths.count + 1)
            #expect(summary.missingContentCount == 0)
            try await withDatabase { copy async throws in
                let imported = try await copy.importDocuments(from: url)
                #expect(imported.contentCount == lengths.count + 1)
                #expect(try VisibleDocuments(of: copy) == VisibleDocuments(of: database))
                #expect(try copy.statistics().waitingContentCount == 0)
                #expect(try await copy.check() == [])
            }
        }
    }

    @Test func `may lie in files beside it`() async throws {
        let exports = try Exports()
        let folder = exports.file("contents")
        try await withDatabase { database async throws in
            try await fill(database)
            let url = exports.file()
            let summary = try await database.exportDocuments(
                to: url, attachments: .directory(folder))
            #expect(summary.byteCount < 10_000)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.count == lengths.count + 1)
            try await withDatabase { copy async throws in
                try await copy.importDocuments(from: url)
                #expect(try VisibleDocuments(of: copy) == VisibleDocuments(of: database))
                #expect(try copy.statistics().waitingContentCount == 0)
            }
            // A file that was damaged is written anew, the others stay.
            let damaged = folder.appendingPathComponent(names[0])
            try Data("x".utf8).write(to: damaged)
            try await withDatabase { copy async throws in
                let error = await #expect(throws: DatabaseError.self) {
                    try await copy.importDocuments(from: url)
                }
                #expect(error?.code == .invalidExport)
                #expect(error?.message.contains(names[0]) == true)
                #expect(try copy.lastSequence == 0)
                try await database.exportDocuments(to: url, attachments: .directory(folder))
                try await copy.importDocuments(from: url)
            }
        }
    }

    @Test func `may lie in files elsewhere`() async throws {
        let exports = try Exports()
        let folder = try exports.scratch.folder("far").appendingPathComponent("contents")
        try await withDatabase { database async throws in
            try await fill(database)
            let url = exports.file()
            try await database.exportDocuments(to: url, attachments: .directory(folder))
            try await withDatabase { copy async throws in
                let error = await #expect(throws: DatabaseError.self) {
                    try await copy.importDocuments(from: url)
                }
                #expect(error?.message.contains("Name their folder") == true)
                try await copy.importDocuments(from: url, contents: folder)
                #expect(try VisibleDocuments(of: copy) == VisibleDocuments(of: database))
            }
        }
    }

    @Test func `may be described only, and get their content later`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            try await fill(database)
            let text = try await exports.text(of: database, .described)
            try await withDatabase { copy async throws in
                try await exports.add(text, to: copy)
                let document = try #require(try await copy.fetchDocument("d3"))
                let attachment = document.attachments[0]
                #expect(try !attachment.isContentAvailable)
                let whole = try await exports.text(of: database)
                // The same documents, which are unchanged, and now their contents.
                #expect(try await exports.add(whole, to: copy).unchangedCount == lengths.count)
                #expect(try attachment.isContentAvailable)
                #expect(try VisibleDocuments(of: copy) == VisibleDocuments(of: database))
                #expect(try await copy.check() == [])
            }
        }
    }

    @Test func `that have no content are described in any case`() async throws {
        let exports = try Exports()
        let digest = String(repeating: "ab", count: 32)
        try await withDatabase { database async throws in
            var document: Document = ["id": "a"]
            document.attachments = [
                try DocumentAttachment(
                    name: "later", contentType: "a/b", length: 12, digest: digest)
            ]
            try await database.save(document)
            let url = exports.file()
            let summary = try await database.exportDocuments(to: url)
            #expect((summary.contentCount, summary.missingContentCount) == (0, 1))
            try await withDatabase { copy async throws in
                try await copy.importDocuments(from: url)
                #expect(try VisibleDocuments(of: copy) == VisibleDocuments(of: database))
            }
        }
    }

    @Test func `that the export should hold and does not are noticed`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            var document: Document = ["id": "a"]
            document.attachments = [
                DocumentAttachment(name: "n", contentType: "a/b", data: Data("content".utf8))
            ]
            try await database.save(document)
            let lines = try await exports.text(of: database).split(separator: "\n")
            let text = ([lines[0], lines[2], lines[3]].joined(separator: "\n") + "\n")
                .replacingOccurrences(of: "\"contents\":1", with: "\"contents\":0")
            try await withDatabase { copy async throws in
                let error = try await exports.refusal(of: text, by: copy)
                #expect(error?.code == .invalidExport)
                #expect(error?.message.contains("does not come with the export") == true)
                #expect(try copy.lastSequence == 0)
            }
        }
    }

    @Test func `keep an export from places that hold something else`() async throws {
        let exports = try Exports()
        let file = try exports.scratch.write("mine", to: "file")
        let folder = try exports.scratch.folder("folder")
        try await withDatabase { database async throws in
            try await fill(database)
            for url in [folder, exports.file("no/where")] {
                let error = await #expect(throws: DatabaseError.self) {
                    try await database.exportDocuments(to: url)
                }
                #expect(error?.code == .invalidFileLocation)
            }
            let error = await #expect(throws: DatabaseError.self) {
                try await database.exportDocuments(
                    to: exports.file(), attachments: .directory(file))
            }
            #expect(error?.code == .invalidFileLocation)
            // A file that is there is replaced, and nothing else is left.
            try await database.exportDocuments(to: file)
            let names = try FileManager.default.contentsOfDirectory(atPath: exports.scratch.path)
            #expect(names.sorted() == ["file", "folder"])
            #expect(Database.isExport(try Data(contentsOf: file)))
        }
    }
}
