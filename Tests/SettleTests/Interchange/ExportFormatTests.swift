import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `The page on exports` {
    /// The lines of the example in Docs/Formats/Export.md.
    private func example() throws -> String {
        let page = try String(
            contentsOf: Fixture.packageRoot.appendingPathComponent("Docs/Formats/Export.md"),
            encoding: .utf8)
        let parts = page.components(separatedBy: "```")
        let block = try #require(parts.first { $0.hasPrefix("json\n") })
        return String(block.dropFirst("json\n".count))
    }

    @Test func `shows what is written`() async throws {
        let exports = try Exports()
        let now = MovingDate()
        try await withDatabase(now: { now.date }) { database async throws in
            var apple: Document = ["id": "apple", "price": 3, "ripe": true]
            apple.attachments = [
                DocumentAttachment(
                    name: "note", contentType: "text/plain", data: Data("sour\n".utf8))
            ]
            try await database.save(apple)
            now.advance(by: 1)
            let pear = try await database.save(["id": "pear", "price": 4.5])
            try await database.save(pear)
            now.advance(by: 1)
            try await database.delete(documentWithId: "pear")
            var plum = Document(id: "plum")
            plum.metaData.expirationDate = Date(timeIntervalSince1970: 4_000_000_000)
            try await database.save(plum)
            let text = try await exports.text(of: database)
            #expect(try text == example(), "What is written is:\n\(text)")
        }
    }

    @Test func `shows what is read`() async throws {
        let exports = try Exports()
        try await withDatabase { database async throws in
            try await exports.add(example(), to: database)
            #expect(try await exports.text(of: database) == example())
            let apple = try #require(try await database.fetchDocument("apple"))
            #expect(try apple.attachments[0].data() == Data("sour\n".utf8))
            #expect(apple.integer("price") == 3)
        }
    }
}
