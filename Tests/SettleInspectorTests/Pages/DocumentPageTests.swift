import Foundation
import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleInspector

@Suite struct `Lists of documents` {
    /// The identifiers that all pages of a list show, following the links.
    private func walk(_ inspector: TestInspector, from path: String) async throws -> [[String]] {
        var pages: [[String]] = []
        var next: String? = path
        while let path = next {
            let page = try await inspector.get(path)
            #expect(page.status == .ok)
            pages.append(
                page.links.compactMap { link in
                    guard link.hasPrefix(inspector.path("document?id=")) else { return nil }
                    return Percent.decoded(link.dropFirst(inspector.path("document?id=").count))
                })
            next = page.next
        }
        return pages
    }

    private func seeded() async throws -> (TestDatabase, [String]) {
        let test = try await TestDatabase.open()
        var random = SeededGenerator()
        print("Documents of \(random)")
        var ids: Set<String> = []
        while ids.count < 230 {
            let length = Int.random(in: 1...6, using: &random)
            ids.insert(
                String((0..<length).map { _ in "ab/ %é&\"+".randomElement(using: &random) ?? "a" }))
        }
        try await test.add(
            ids.shuffled(using: &random).enumerated().map { index, id in
                ["id": id, "type": index % 3 == 0 ? "x" : "y", "n": index]
            })
        return (test, ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test func `show each document once, fifty a page, in order`() async throws {
        let (test, ids) = try await seeded()
        let inspector = try await TestInspector(test.database)
        let pages = try await walk(inspector, from: inspector.path("documents"))
        #expect(pages.flatMap { $0 } == ids)
        #expect(pages.dropLast().allSatisfy { $0.count == 50 })
        await test.close()
    }

    @Test(arguments: ["a", "ab", "é", "/", "\"", "aaaaaaaa"])
    func `find identifiers that begin alike`(
        beginning: String
    ) async throws {
        let (test, ids) = try await seeded()
        let inspector = try await TestInspector(test.database)
        let pages = try await walk(
            inspector, from: inspector.path("documents", ["id": beginning]))
        #expect(pages.flatMap { $0 } == ids.filter { $0.utf8.starts(with: beginning.utf8) })
        await test.close()
    }

    @Test func `find what a condition holds for, page by page`() async throws {
        let (test, ids) = try await seeded()
        let inspector = try await TestInspector(test.database)
        let condition = "{\"type\": \"x\", \"n\": {\"$gt\": 20}}"
        let filter = try Database.IndexFilter(parsing: condition)
        let expected = try ids.filter { id in
            try test.database.read { try $0.document(id).map(filter.matches) ?? false }
        }
        let pages = try await walk(
            inspector, from: inspector.path("documents", ["where": condition]))
        #expect(pages.flatMap { $0 } == expected)
        #expect(!expected.isEmpty)
        await test.close()
    }

    @Test func `say why a condition is none`() async throws {
        let (test, _) = try await seeded()
        let inspector = try await TestInspector(test.database)
        for condition in ["{", "5", "{\"$no\": 1}"] {
            let page = try await inspector.page("documents", ["where": condition])
            #expect(page.status == .badRequest)
            #expect(page.text.contains("The condition cannot be used"))
        }
        await test.close()
    }

    @Test func `lead to the index that answers a condition at once`() async throws {
        let test = try await TestDatabase.open(indexes: [
            Database.Index.keyPaths(name: "byType", keys: [["type"]]),
            Database.Index.keyPaths(name: "byTypeAndN", keys: [["type"], ["n"]]),
        ])
        try await test.add((0..<20).map { ["id": "d\($0)", "type": $0 < 5 ? "x" : "y", "n": $0] })
        for name in ["byType", "byTypeAndN"] { try await test.database.buildIndex(named: name) }
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page("documents", ["where": "{\"type\": \"x\"}"])
        let links = page.links.filter { $0.hasPrefix(inspector.path("index?")) }
        #expect(links.count == 2)
        let byType = try await inspector.page("documents", ["type": "x"])
        #expect(byType.links.filter { $0.hasPrefix(inspector.path("index?")) } == links)
        for link in links {
            let rows = try await inspector.get(link)
            let shown = rows.links.filter { $0.hasPrefix(inspector.path("document?id=")) }
            #expect(shown.count == 5)
        }
        await test.close()
    }

    @Test func `of a type show those alone, page by page, and are led to by a document`()
        async throws
    {
        let (test, ids) = try await seeded()
        try await test.add([["id": "typed", "type": String(repeating: "t", count: 4_000)]])
        let inspector = try await TestInspector(test.database)
        let expected = try ids.filter { id in
            try test.database.read { try $0.document(id)?.metaData.type } == "x"
        }
        let address = inspector.path("documents", ["type": "x"])
        let pages = try await walk(inspector, from: address)
        #expect(pages.flatMap { $0 } == expected && expected.count > 50)
        #expect(pages.allSatisfy { $0.count <= 50 })
        #expect(try await inspector.page("documents").links.contains(address))
        #expect(try await inspector.page("document", ["id": expected[0]]).links.contains(address))
        let long = try await inspector.page("documents", ["id": "typed"])
        #expect(!long.links.contains { $0.contains("type=") })
        #expect(try await inspector.page("documents", ["type": "z"]).text.contains("to the end"))
        await test.close()
    }

    @Test func `by change show the newest first, each once`() async throws {
        let (test, ids) = try await seeded()
        // Holes in the sequences.
        for round in 0..<40 {
            _ = try await test.database.save(["id": ids[3], "round": round])
        }
        _ = try await test.database.delete(documentWithId: ids[7])
        let expected = try test.database.changeBatch(since: 0).changes.reversed().map(\.documentId)
        let inspector = try await TestInspector(test.database)
        let pages = try await walk(inspector, from: inspector.path("documents", ["by": "change"]))
        #expect(pages.flatMap { $0 } == expected)
        #expect(pages.first?.prefix(2) == [ids[7], ids[3]])
        await test.close()
    }
}

@Suite struct `The page of a document` {
    @Test func `shows numbers, dates and texts as they are stored`() async throws {
        let test = try await TestDatabase.open()
        try await test.database.add(
            json: [
                "{\"id\": \"a\", \"n\": 9007199254740993, \"d\": 1.10, \"e\": -0.0, \"t\": \"2026-01-02T03:04:05Z\", \"m\": {\"x\": [null, true, \"é\"]}}"
            ])
        let inspector = try await TestInspector(test.database)
        let text = try await inspector.page("document", ["id": "a"]).text
        for shown in [
            "9007199254740993", "1.1", "-0.0", "2026-01-02T03:04:05Z", "é", "null", "true",
        ] {
            #expect(text.contains("\(shown)"), "\(shown)")
        }
        let json = try await inspector.page("document.json", ["id": "a"])
        #expect(json.headers[.contentType] == "application/json")
        #expect(json.text.contains("9007199254740993"))
        await test.close()
    }

    @Test func `shows its rows in declared indexes, its attachments and its tombstone`()
        async throws
    {
        let test = try await TestDatabase.open(indexes: [
            Database.Index.keyPaths(name: "byType", keys: [["type"], ["n"]], value: ["n"])
        ])
        var document: Document = ["id": "a", "type": "x", "n": 5]
        document.attachments = [
            DocumentAttachment(name: "note.txt", contentType: "text/plain", data: Data("hi".utf8))
        ]
        try await test.add([document])
        try await test.database.buildIndex(named: "byType")
        let inspector = try await TestInspector(test.database)
        let text = try await inspector.page("document", ["id": "a"]).text
        #expect(text.contains("[&quot;x&quot;,5]"))
        #expect(text.contains("note.txt"))
        let content = try await inspector.page("attachment", ["id": "a", "name": "note.txt"])
        #expect(content.text == "hi")
        _ = try await test.database.delete(documentWithId: "a")
        #expect(try await inspector.page("document", ["id": "a"]).text.contains("tombstone"))
        #expect(try await inspector.page("document", ["id": "none"]).status == .notFound)
        await test.close()
    }

    @Test func `bounds the tree of a document with very many members`() async throws {
        let test = try await TestDatabase.open()
        var document = Document(id: "a")
        document[json: "list"] = .array((0..<60_000).map { .integer($0) })
        document[json: "text"] = .string(String(repeating: "x", count: 300_000))
        try await test.add([document])
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page("document", ["id": "a"])
        #expect(page.status == .ok)
        #expect(page.text.utf8.count < 400_000)
        #expect(page.text.contains("The tree goes no further"))
        await test.close()
    }
}

@Suite struct `Writing documents` {
    private func revision(_ id: String, _ database: Database) throws -> String {
        try database.read { try $0.document(id)?.metaData.revision } ?? ""
    }

    @Test func `shows the differences first, and saves what was shown`() async throws {
        let test = try await TestDatabase.open()
        var document: Document = ["id": "a", "old": 1, "same": 2]
        document.attachments = [
            DocumentAttachment(name: "n", contentType: "text/plain", data: Data("hi".utf8))
        ]
        try await test.add([document])
        let inspector = try await TestInspector(test.database, isWritable: true)
        let edit = try await inspector.page("edit", ["id": "a"])
        #expect(edit.text.contains("<textarea"))
        let revision = try revision("a", test.database)
        let text = "{\"same\": 2, \"new\": {\"x\": 1.0}}"
        let review = try await inspector.post(
            "document/review", ["id": "a", "revision": revision, "text": text])
        #expect(review.status == .ok)
        #expect(review.text.contains("<bdi>old</bdi>") && review.text.contains("<bdi>new</bdi>"))
        #expect(!review.text.contains("<bdi>same</bdi>"))
        #expect(try test.database.lastSequence == 1)
        let saved = try await inspector.post(
            "document/save", ["id": "a", "revision": revision, "text": text])
        #expect(saved.status == .seeOther)
        let stored = try #require(try test.database.read { try $0.document("a") })
        #expect(stored.json == ["same": 2, "new": ["x": 1.0]])
        #expect(stored.attachments.count == 1)
        await test.close()
    }

    @Test func `is refused when the document was changed meanwhile`() async throws {
        let test = try await TestDatabase.open()
        try await test.add([["id": "a", "n": 1]])
        let inspector = try await TestInspector(test.database, isWritable: true)
        let revision = try revision("a", test.database)
        _ = try await test.database.save(["id": "a", "n": 2])
        let review = try await inspector.post(
            "document/review", ["id": "a", "revision": revision, "text": "{\"n\": 3}"])
        #expect(review.text.contains("changed meanwhile"))
        for action in ["document/save", "document/delete", "document/purge"] {
            for revision in [revision, "", "0-0"] {
                let page = try await inspector.post(
                    action, ["id": "a", "revision": revision, "text": "{\"n\": 3}"])
                #expect(page.status == .conflict, "\(action)")
            }
        }
        #expect(try test.database.read { try $0.document("a")?[json: "n"] } == 2)
        await test.close()
    }

    @Test func `creates, deletes and purges`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database, isWritable: true)
        let created = try await inspector.post(
            "document/save", ["id": "a/b", "revision": "", "text": "{\"n\": 1}"])
        #expect(created.status == .seeOther)
        #expect(try await inspector.get(created.headers[.location] ?? "").status == .ok)
        let deleted = try await inspector.post(
            "document/delete", ["id": "a/b", "revision": try revision("a/b", test.database)])
        #expect(deleted.status == .seeOther)
        #expect(try test.database.totalDocumentCount == 0)
        let tombstone = try test.database.read { try $0.document("a/b", includingDeleted: true) }
        let purged = try await inspector.post(
            "document/purge",
            ["id": "a/b", "revision": tombstone?.metaData.revision ?? ""])
        #expect(purged.status == .seeOther)
        #expect(try await inspector.page("document", ["id": "a/b"]).status == .notFound)
        await test.close()
    }

    @Test(arguments: ["", "5", "[]", "{", "{\"id\": \"other\"}"])
    func `is refused for a text that is no document`(
        text: String
    ) async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database, isWritable: true)
        for action in ["document/review", "document/save"] {
            let page = try await inspector.post(action, ["id": "a", "text": text])
            #expect(page.status == .badRequest)
        }
        let page = try await inspector.post("document/save", ["id": "_a", "text": "{}"])
        #expect(page.status == .badRequest)
        #expect(try test.database.lastSequence == 0)
        await test.close()
    }
}
