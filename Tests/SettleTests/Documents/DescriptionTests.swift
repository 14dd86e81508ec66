import Foundation
import Settle
import TestSupport
import Testing

/// What debuggers and logs show of documents, rows and errors.
@Suite struct `Descriptions` {
    struct Fruit: DocumentModel {
        static let documentType = "fruit"
        var id: String
        var name: String
    }

    @Test func `of a document have the identifier, the revision and the members`() async throws {
        let index = Database.Index.keyPaths(name: "i", keys: [["name"]], value: ["price"])
        try await withDatabase(indexes: [index]) { database in
            var document: Document = ["id": "a", "type": "fruit", "name": "Apple", "price": 3]
            #expect(
                "\(document)" == #"'a' not saved {"name":"Apple","price":3,"type":"fruit"}"#)
            document = try await database.add(document)
            #expect("\(document)".hasPrefix("'a' 1-"))
            let rows = try await database.runQuery(on: "i")
            #expect("\(rows)" == #"1 rows ["Apple": 3 of 'a']"#)
            let stored = try #require(try await database.fetch(Fruit.self, id: "a"))
            #expect("\(stored)".hasPrefix("'a' 1-"))
            #expect("\(stored)".hasSuffix(#"Fruit(id: "a", name: "Apple")"#))
            document["name"] = String(repeating: "x", count: 10_000)
            #expect("\(document)".count < 500)
        }
    }

    @Test func `of errors are sentences, also as localized descriptions`() async throws {
        try await withDatabase { database in
            let error = try #require(
                await #expect(throws: DatabaseError.self) {
                    try await database.runQuery(on: "nowhere")
                })
            #expect((error as any Error).localizedDescription == error.message)
        }
        let error = try #require(
            #expect(throws: JSONError.self) { try Document(json: "{\"a\":}") })
        #expect((error as any Error).localizedDescription == error.description)
    }

    @Test func `documents come from texts and data as from bytes`() async throws {
        try await withDatabase { database in
            try await database.add(json: [#"{"id":"a","n":1}"#, #"{"id":"b","n":2}"#])
            try await database.add(json: [Data(#"{"id":"c","n":3}"#.utf8)])
            try await database.write { transaction in
                try transaction.add(json: [#"{"id":"d"}"#])
                try transaction.add(json: [Data(#"{"id":"e"}"#.utf8)])
            }
            #expect(try database.totalDocumentCount == 5)
            #expect(try await database.fetchDocument("b")?["n"] as? Int == 2)
        }
    }

    @Test func `a database is opened, or made when there is none`() async throws {
        let directory = try ScratchDirectory("open")
        let configuration = Database.OpenDatabaseConfiguration(
            name: "shop", fileLocation: directory.url)
        let made = try await Database.openOrCreate(configuration)
        try await made.add(["id": "a"])
        #expect(try await Database.openOrCreate(configuration) === made)
        await made.close()
        let opened = try await Database.openOrCreate(configuration)
        #expect(try opened.totalDocumentCount == 1)
        await opened.close()
    }
}
