import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCommand

@Suite(.serialized) struct `Import` {
    private func withDatabase(_ body: (Database) async throws -> Void) async throws {
        try await withScratchDirectory("import") { scratch in
            let path = try DatabasePath(parsing: scratch.file("shop").path)
            try await path.withDatabase(create: true, body)
        }
    }

    /// The text in pieces of a few bytes, as a slow pipe gives it.
    private func source(_ text: String, piece: Int = 7) -> () -> [UInt8]? {
        var rest = Array(text.utf8)[...]
        return {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(piece) }
            return Array(rest.prefix(piece))
        }
    }

    private func stopped(
        _ importer: Importer, _ text: String
    ) async throws -> Importer.Stopped? {
        do {
            _ = try await importer.run(source(text))
            return nil
        } catch {
            return error as? Importer.Stopped
        }
    }

    @Test func `stores lines and arrays alike`() async throws {
        for text in [
            "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}\n",
            "[{\"id\":\"a\",\"n\":1},\n{\"id\":\"b\",\"n\":2}]",
        ] {
            try await withDatabase { database in
                let counts = try await Importer(into: database).run(source(text))
                #expect(counts == Importer.Counts(added: 2))
                #expect(try database.totalDocumentCount == 2)
                let document = try await database.fetchDocument("b")
                #expect(document?[json: "n"] == 2)
            }
        }
    }

    @Test func `stores more than one batch`() async throws {
        try await withDatabase { database in
            let text = (0..<5_001).map { "{\"id\":\"d\($0)\"}\n" }.joined()
            var reports: [Int] = []
            let counts = try await Importer(into: database).run(source(text, piece: 1 << 12)) {
                counts, bytesRead in
                reports.append(counts.stored)
                #expect(bytesRead <= text.utf8.count)
            }
            #expect(counts.added == 5_001)
            #expect(try database.totalDocumentCount == 5_001)
            #expect(reports.count > 2)
            #expect(reports == reports.sorted())
            #expect(reports.last == 5_001)
        }
    }

    @Test func `stops at a malformed line and keeps exactly what came before`() async throws {
        try await withDatabase { database in
            let text = "{\"id\":\"a\"}\n\n{\"id\":\"b\"}\n{\"id\":\"c\",}\n{\"id\":\"d\"}\n"
            let stopped = try #require(try await stopped(Importer(into: database), text))
            #expect(stopped.line == 4)
            #expect(stopped.counts == Importer.Counts(added: 2))
            #expect(stopped.reason.contains("Column 11"))
            #expect(try database.totalDocumentCount == 2)
        }
    }

    @Test(arguments: ["_bad", "", String(repeating: "x", count: 256)])
    func `stops at an identifier that cannot be used, and names the line`(id: String) async throws {
        try await withDatabase { database in
            let good = (1...100).map { "{\"id\":\"good-\($0)\"}\n" }.joined()
            let text = good + "{\"id\":\"\(id)\"}\n{\"id\":\"after\"}\n"
            let stopped = try #require(try await stopped(Importer(into: database), text))
            #expect(stopped.line == 101 && stopped.counts.added == 100)
            #expect(try database.totalDocumentCount == 100)
        }
    }

    @Test func `stops at a document that the database refuses, and keeps those before it`()
        async throws
    {
        try await withDatabase { database in
            let large = String(repeating: "x", count: 20 << 20)
            let text = "{\"id\":\"a\"}\n{\"id\":\"b\",\"t\":\"\(large)\"}\n{\"id\":\"c\"}\n"
            let stopped = try #require(try await stopped(Importer(into: database), text))
            #expect(stopped.line == 2 && stopped.counts.added == 1)
            #expect(try database.totalDocumentCount == 1)
        }
    }

    @Test func `stops where an array ends too early`() async throws {
        try await withDatabase { database in
            let stopped = try #require(
                try await stopped(Importer(into: database), "[{\"id\":\"a\"},\n{\"id\":"))
            #expect(stopped.line == 2)
            #expect(try database.totalDocumentCount == 1)
        }
    }

    @Test(arguments: ["1\n", "[[]]", "{\"id\":7}\n", "{\"a\":01}\n", "{\n\"a\":1}\n"])
    func `refuses what is no document`(text: String) async throws {
        try await withDatabase { database in
            let stopped = try #require(try await stopped(Importer(into: database), text))
            #expect(stopped.line == 1)
            #expect(stopped.counts.stored == 0)
            #expect(try database.totalDocumentCount == 0)
        }
    }

    @Test func `explains that a document does not span lines`() async throws {
        try await withDatabase { database in
            let stopped = try await stopped(Importer(into: database), "{\n\"a\":1}\n")
            #expect(stopped?.reason.contains("on a line of its own") == true)
        }
    }

    @Test func `takes the identifier from another member`() async throws {
        try await withDatabase { database in
            let importer = Importer(
                into: database, parsing: JSONDocumentParser(idMember: "sku"))
            let counts = try await importer.run(
                source("{\"sku\":\"x\",\"id\":\"x\"}\n{\"sku\":12,\"id\":12}\n"))
            #expect(counts.added == 2)
            #expect(try await database.fetchDocument("x")?[json: "sku"] == "x")
            #expect(try await database.fetchDocument("12") != nil)
            for text in [
                "{\"id\":\"a\"}", "{\"sku\":1.5}", "{\"sku\":null}",
                "{\"sku\":\"y\",\"id\":\"lost\"}", "{\"sku\":\"y\",\"id\":5}",
            ] {
                let stopped = try #require(try await stopped(importer, text))
                #expect(stopped.reason.contains("'sku'"))
            }
            #expect(try database.totalDocumentCount == 2)
        }
    }

    @Test func `takes a whole number from the member id when it is named`() async throws {
        try await withDatabase { database in
            let importer = Importer(into: database, parsing: JSONDocumentParser(idMember: "id"))
            let counts = try await importer.run(source("{\"id\":5,\"n\":1}\n{\"id\":\"a\"}\n"))
            #expect(counts.added == 2)
            #expect(try await database.fetchDocument("5")?.json == ["n": 1])
        }
    }

    @Test func `names the line and the column of an identifier that is no string`() async throws {
        try await withDatabase { database in
            let text = "[\n{\"id\":\"m1\"},\n{\n\n\"id\":3}]"
            let array = try #require(try await stopped(Importer(into: database), text))
            #expect(array.line == 5 && array.reason.hasPrefix("Column 6: "), "\(array)")
            #expect(!array.reason.contains("JSON, line"))
            let number = try #require(try await stopped(Importer(into: database), "5\n"))
            #expect(number.line == 1 && number.reason.hasPrefix("Column 1: "), "\(number)")
            #expect(!number.reason.contains("JSON, line"))
        }
    }

    @Test func `makes an identifier where there is none`() async throws {
        try await withDatabase { database in
            _ = try await Importer(into: database).run(source("{\"n\":1}\n{\"n\":2}\n"))
            #expect(try database.totalDocumentCount == 2)
        }
    }

    @Test func `treats documents that are there as it was told to`() async throws {
        try await withDatabase { database in
            _ = try await Importer(into: database).run(source("{\"id\":\"a\",\"n\":1}"))
            let text = "{\"id\":\"b\"}\n{\"id\":\"a\",\"n\":2}\n"

            let skipping = Importer(into: database, existing: .keep)
            #expect(try await skipping.run(source(text)) == Importer.Counts(added: 1, kept: 1))
            #expect(try await database.fetchDocument("a")?[json: "n"] == 1)

            let failing = Importer(into: database, existing: .fail)
            let stopped = try #require(try await stopped(failing, "{\"id\":\"c\"}\n" + text))
            #expect(stopped.counts.stored == 1 && stopped.line == 2)
            #expect(try await database.fetchDocument("c") != nil)

            let replacing = Importer(into: database)
            #expect(try await replacing.run(source(text)) == Importer.Counts(replaced: 2))
            #expect(try await database.fetchDocument("a")?[json: "n"] == 2)
        }
    }

    @Test func `stops after the batch it is in when it is cancelled`() async throws {
        try await withDatabase { database in
            let text = (0..<10_000).map { "{\"id\":\"d\($0)\"}\n" }.joined()
            let (gate, opening) = AsyncStream<Void>.makeStream()
            let task = Task {
                for await _ in gate { break }
                _ = try await Importer(into: database).run(source(text, piece: 1 << 12))
            }
            task.cancel()
            opening.finish()
            let stopped = try await #require(throws: Importer.Stopped.self) {
                try await task.value
            }
            let storedCount = try database.totalDocumentCount
            #expect(stopped.isInterrupted)
            #expect(storedCount == stopped.counts.stored)
            #expect(storedCount < 10_000)
        }
    }
}
