import Foundation
import HTTPTypes
import Settle
import Testing

@testable import SettleInspector

@Suite struct `The pages of revisions in conflict` {
    private static let base = "1-\(String(repeating: "a", count: 32))"
    private static let (low, high) = (
        "2-\(String(repeating: "b", count: 32))", "2-\(String(repeating: "c", count: 32))"
    )

    /// A database with a document of two versions, one of them from elsewhere, which wins.
    private func conflicted() async throws -> TestDatabase {
        let test = try await TestDatabase.open()
        try await test.database.write { transaction in
            try transaction.store(
                ["id": "d", "n": 1, "same": "x"], revisions: [Self.low, Self.base])
            try transaction.store(
                ["id": "d", "n": "<b>", "same": "x", "more": true],
                revisions: [Self.high, Self.base], from: "<remote>")
        }
        return test
    }

    private func shown(_ page: TestInspector.Page) throws -> String {
        String(try #require(page.text.firstMatch(of: #/name="shown" value="([^"]*)"/#)).1)
    }

    private func leaves(_ test: TestDatabase) throws -> [RevisionLeaf] {
        try test.database.read { try $0.leaves(of: "d") }.filter { !$0.isDeleted }
    }

    @Test func `lead to the versions side by side, with the name of their base`() async throws {
        let test = try await conflicted()
        let inspector = try await TestInspector(test.database)
        #expect(
            try await inspector.page("replication").links.contains(inspector.path("conflicts")))
        let list = try await inspector.page("conflicts")
        let address = inspector.path("leaves", ["id": "d"])
        #expect(list.links.contains(address))
        #expect(try await inspector.page("document", ["id": "d"]).links.contains(address))
        let page = try await inspector.get(address)
        #expect(page.text.contains(Self.base) && page.text.contains("not kept"))
        #expect(page.text.contains("&lt;remote&gt;") && page.text.contains("&quot;&lt;b&gt;&quot;"))
        // Mine is the version that was made here, though another wins.
        let columns = page.text.firstRange(of: Self.low).map(\.lowerBound)
        let other = page.text.firstRange(of: Self.high).map(\.lowerBound)
        #expect(try #require(columns) < #require(other))
        #expect(page.text.matches(of: #/<bdi>differs<\/bdi>/#).count == 2)
        #expect(!page.text.contains("<form"))
        #expect(try await inspector.page("leaves", ["id": "none"]).status == .notFound)
        await test.close()
    }

    @Test(arguments: ["mine", "theirs"]) func `end a conflict by one version`(
        side: String
    ) async throws {
        let test = try await conflicted()
        let inspector = try await TestInspector(test.database, isWritable: true)
        let page = try await inspector.page("leaves", ["id": "d"])
        let leaf = side == "mine" ? Self.low : Self.high
        let shown = try shown(page)
        for (shown, leaf) in [("x", leaf), (shown, Self.base), ("", leaf)] {
            let refused = try await inspector.post(
                "leaves/resolve", ["id": "d", "shown": shown, "use": "leaf", "leaf": leaf])
            #expect(refused.status == .conflict)
        }
        #expect(try leaves(test).count == 2)
        let resolved = try await inspector.post(
            "leaves/resolve", ["id": "d", "shown": shown, "use": "leaf", "leaf": leaf])
        #expect(resolved.status == .seeOther)
        #expect(try leaves(test).count == 1)
        let document = try #require(try test.database.read { try $0.document("d") })
        #expect(document[json: "n"] == (side == "mine" ? 1 : "<b>"))
        #expect(try await inspector.page("leaves", ["id": "d"]).status == .notFound)
        await test.close()
    }

    @Test func `end a conflict by a version that was merged by hand`() async throws {
        let test = try await conflicted()
        let inspector = try await TestInspector(test.database, isWritable: true)
        let form = try await inspector.page("leaves/merge", ["id": "d"])
        #expect(form.text.contains("&quot;n&quot;: 1") && form.text.contains("&quot;more&quot;"))
        let fields: KeyValuePairs = [
            "id": "d", "shown": try shown(form), "use": "merged",
            "text": #"{"id": "d", "n": [1, "<i>"]}"#,
        ]
        let review = try await inspector.post("leaves/review", fields)
        #expect(review.text.contains("&lt;i&gt;") && review.text.contains("Merged"))
        #expect(try leaves(test).count == 2)
        #expect(try await inspector.post("leaves/resolve", fields).status == .seeOther)
        let document = try #require(try test.database.read { try $0.document("d") })
        #expect(document.json == ["n": [1, "<i>"]] && document.metaData.revision != nil)
        #expect(try leaves(test).count == 1)
        await test.close()
    }

    @Test func `keep the attachments of all versions when they are merged, mine before the others`()
        async throws
    {
        let test = try await TestDatabase.open()
        @Sendable func attachment(_ name: String, _ text: String) -> DocumentAttachment {
            DocumentAttachment(name: name, contentType: "text/plain", data: Data(text.utf8))
        }
        try await test.database.write { transaction in
            var mine: Document = ["id": "d", "n": 1]
            mine.attachments = [attachment("both", "mine"), attachment("left", "1")]
            try transaction.store(mine, revisions: [Self.low, Self.base])
            var theirs: Document = ["id": "d", "n": 2]
            theirs.attachments = [attachment("both", "theirs"), attachment("right", "2")]
            try transaction.store(theirs, revisions: [Self.high, Self.base], from: "remote")
            // More versions than are shown.
            for digit in ["d", "e", "f", "0"] {
                var other: Document = ["id": "d", "n": 3]
                other.attachments = [attachment("of \(digit)", digit)]
                let revision = "2-\(String(repeating: digit, count: 32))"
                try transaction.store(other, revisions: [revision, Self.base], from: "remote")
            }
        }
        let names = ["both", "left", "of 0", "of d", "of e", "of f", "right"]
        let inspector = try await TestInspector(test.database, isWritable: true)
        let form = try await inspector.page("leaves/merge", ["id": "d"])
        let fields: KeyValuePairs = [
            "id": "d", "shown": try shown(form), "use": "merged", "text": #"{"n": 4}"#,
        ]
        let review = try await inspector.post("leaves/review", fields)
        #expect(review.text.contains("Attachments by name"))
        for name in names { #expect(review.text.contains("<bdi>\(name)</bdi>"), "\(name)") }
        #expect(try await inspector.post("leaves/resolve", fields).status == .seeOther)
        let document = try #require(try test.database.read { try $0.document("d") })
        #expect(document.attachments.map(\.name).sorted() == names)
        let both = try #require(document.attachments.first { $0.name == "both" })
        #expect(try both.data() == Data("mine".utf8))
        #expect(document[json: "n"] == 4)
        await test.close()
    }

    @Test func `list conflicts page by page, each once`() async throws {
        let test = try await TestDatabase.open()
        let ids = (0..<120).map { "d\(1_000 + $0)" }
        try await test.database.write { transaction in
            for id in ids {
                for revision in [Self.low, Self.high] {
                    let document: Document = ["id": id, "r": revision]
                    try transaction.store(document, revisions: [revision, Self.base])
                }
            }
        }
        let inspector = try await TestInspector(test.database)
        var found: [String] = []
        var next: String? = inspector.path("conflicts")
        while let path = next {
            let page = try await inspector.get(path)
            found += page.links.compactMap {
                $0.firstMatch(of: #/leaves\?id=(d[0-9]+)/#).map { String($0.1) }
            }
            next = page.next
        }
        #expect(found == ids)
        await test.close()
    }
}
