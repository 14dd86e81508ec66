import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A damaged export` {
    /// A word that no message may repeat.
    private static let secret = "Geheimnis"

    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// A sound export of two documents, a tombstone, and a content.
    private func sound(_ exports: Exports) async throws -> String {
        try await withDatabase(now: { Self.now }) { database async throws in
            var document: Document = ["id": "a", "word": Self.secret]
            document.attachments = [
                DocumentAttachment(
                    name: "n", contentType: "text/plain", data: Data(Self.secret.utf8))
            ]
            try await database.save(document)
            try await database.save(["id": "b", "word": Self.secret])
            try await database.delete(documentWithId: "b")
            try await database.save(["id": "c", "word": Self.secret])
            return try await exports.text(of: database)
        }
    }

    private func expectEmpty(_ database: Database, _ comment: Comment? = nil) throws {
        #expect(try database.lastSequence == 0, comment)
        #expect(try database.statistics().attachmentContentCount == 0, comment)
    }

    @Test func `is refused wherever it is cut off`() async throws {
        let exports = try Exports()
        let text = Array(try await sound(exports).utf8)
        try await withDatabase { database async throws in
            for length in 0..<text.count - 1 {
                let cut = String(decoding: text.prefix(length), as: UTF8.self)
                let error = try await exports.refusal(of: cut, by: database)
                #expect(error?.code == .invalidExport, "\(length)")
                #expect(error?.message.contains(Self.secret) == false, "\(length)")
            }
            try expectEmpty(database)
            // Without the last line end it is whole.
            try await exports.add(String(decoding: text.dropLast(), as: UTF8.self), to: database)
            #expect(try database.totalDocumentCount == 2)
        }
    }

    @Test func `is refused whichever line is missing, or there twice, or elsewhere`() async throws {
        let exports = try Exports()
        let lines = try await sound(exports).split(separator: "\n")
        #expect(lines.count == 6)
        func joined(_ lines: [Substring]) -> String { lines.joined(separator: "\n") + "\n" }
        try await withDatabase { database async throws in
            for index in lines.indices {
                var fewer = lines
                fewer.remove(at: index)
                var more = lines
                more.insert(lines[index], at: index)
                for text in [joined(fewer), joined(more)] {
                    let error = try await exports.refusal(of: text, by: database)
                    #expect(error?.code == .invalidExport, "line \(index + 1)")
                }
            }
            for (first, second) in [(0, 1), (2, 3), (3, 4), (4, 5)] {
                var turned = lines
                turned.swapAt(first, second)
                let error = try await exports.refusal(of: joined(turned), by: database)
                #expect(error?.code == .invalidExport, "\(first) and \(second)")
            }
            try expectEmpty(database)
        }
    }

    @Test(arguments: [UInt64](1...3))
    func `is refused, or gives sound documents, whatever byte is changed`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let exports = try Exports()
        let text = Array(try await sound(exports).utf8)
        for _ in 0..<60 {
            var changed = text
            let place = Int.random(in: 0..<text.count, using: &generator)
            changed[place] = UInt8.random(in: .min ... .max, using: &generator)
            let url = exports.file("changed.ndjson")
            try Data(changed).write(to: url)
            try await withDatabase { database async throws in
                do {
                    try await database.importDocuments(from: url)
                    #expect(try await database.check() == [], "\(generator), byte \(place)")
                } catch let error as DatabaseError {
                    #expect(
                        [.invalidExport, .newerFormat].contains(error.code),
                        "\(generator), byte \(place)")
                    #expect(!error.message.contains(Self.secret), "\(generator), byte \(place)")
                    try expectEmpty(database, "\(generator), byte \(place)")
                }
            }
        }
    }

    @Test(arguments: [
        ("\"settleExport\":1", "\"settleExport\":3", 1, "newer release"),
        ("\"settleExport\":1", "\"settleExport\":\"1\"", 1, "whole number"),
        ("\"documents\":2", "\"documents\":3", 6, "lines are missing"),
        ("\"attachments\":\"inline\"", "\"attachments\":\"else\"", 1, "'attachments'"),
        ("\"attachments\":\"inline\"", "\"attachments\":\"files\"", 1, "Name their folder"),
        ("\"offset\":0", "\"offset\":1", 2, "missing before"),
        ("\"last\":true,", "", 3, "before its last piece"),
        ("\"data\":\"R2", "\"data\":\"?2", 2, "base64"),
        ("\"data\":\"R2", "\"data\":\"Q2", 2, "damaged on the way"),
        ("\"id\":\"a\"", "\"id\":\"\"", 3, "empty"),
        ("\"id\":\"a\"", "\"id\":\"_a\"", 3, "_"),
        ("\"id\":\"a\"", "\"id\":1", 3, "'id'"),
        ("\"id\":\"a\"", "\"od\":\"a\"", 3, "neither"),
        ("\"sequence\":1", "\"sequence\":0", 3, "'sequence'"),
        ("\"sequence\":3", "\"sequence\":1", 4, "not above"),
        ("\"sequence\":4", "\"sequence\":9007199254740993", 5, "'sequence'"),
        ("\"sequence\":4", "\"sequence\":5", 6, "lines are missing"),
        ("\"revision\":\"1", "\"revision\":\"01", 3, "'revision'"),
        ("\"revision\":\"1-", "\"revision\":\"2-", 3, "changed after"),
        ("\"ancestors\":[\"", "\"ancestors\":[\"x", 4, "'ancestors'"),
        ("\"deleted\":true,", "", 4, "changed after"),
        ("\"created\":\"2", "\"created\":\"x", 3, "'created'"),
        ("\"contentType\":\"text", "\"contentType\":\"texT", 3, "changed after"),
        ("\"hasContent\":true", "\"hasContent\":1", 3, "'hasContent'"),
        ("\"members\":{", "\"members\":{\"more\":1,", 3, "changed after"),
        ("\"members\":{", "\"members\":{\"a\":1,\"a\":1,", 3, "column"),
        ("\"members\":{", "\"members\":{x", 3, "column"),
        ("\"members\":", "\"membres\":", 3, "'members'"),
        ("\"id\":\"a\"", "\"extra\":1,\"id\":\"a\"", 3, "not of this format"),
        ("\"end\":true", "\"end\":1", 6, "'end'"),
    ])
    func `is named with its line and what is wrong`(
        old: String, new: String, line: Int, word: String
    ) async throws {
        let exports = try Exports()
        let text = try await sound(exports)
        let range = try #require(text.range(of: old))
        let changed = text.replacingCharacters(in: range, with: new)
        try await withDatabase { database async throws in
            let error = try #require(try await exports.refusal(of: changed, by: database))
            #expect(error.message.contains(", line \(line)"), "\(error.message)")
            #expect(error.message.contains(word), "\(error.message)")
            #expect(error.message.hasSuffix("Nothing was imported."), "\(error.message)")
            #expect(!error.message.contains(Self.secret), "\(error.message)")
            try expectEmpty(database)
        }
    }

    @Test func `that is not JSON is named with the column`() async throws {
        let exports = try Exports()
        let text = """
            {"settleExport":1,"documents":1,"tombstones":0,"lastSequence":1,"attachments":"inline"}
            {"id":"ä","members":{"ö":[1,]},"sequence":1}

            """
        try await withDatabase { database async throws in
            let error = try #require(try await exports.refusal(of: text, by: database))
            #expect(error.message.contains(", line 2, column 29: "), "\(error.message)")
        }
    }

    @Test func `or anything else that is none is refused`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            let endless = String(repeating: "x", count: 600_000)
            for text in ["", "\n\n", "{\"id\":\"a\"}\n", "[1]", endless] {
                let error = try await exports.refusal(of: text, by: database)
                #expect(error?.code == .invalidExport)
                #expect(error?.message.contains("does not begin") == true)
            }
            for url in [exports.scratch.url, exports.file("nowhere")] {
                let error = await #expect(throws: DatabaseError.self) {
                    try await database.importDocuments(from: url)
                }
                #expect(error?.code == .inputOutput)
            }
            try expectEmpty(database)
        }
    }

    @Test func `may have blank lines and line ends of another system`() async throws {
        let exports = try Exports()
        let text = try await sound(exports).replacingOccurrences(of: "\n", with: "\r\n \r\n")
        try await withDatabase { database async throws in
            #expect(try await exports.add(text, to: database).addedCount == 3)
        }
    }
}
