import Foundation
import HTTPTypes
import Settle
import SettleSync
import Synchronization
import Testing

@testable import SettleInspector

@Suite struct `Documents as deep as may be` {
    /// The text of an object of 512 levels, which is what a document may have: objects and lists in turn.
    private static func text(_ last: Int) -> String {
        var (text, end) = ("{\"a\":", "}")
        for level in 1..<512 {
            text += level % 2 == 0 ? "{\"m\":" : "["
            end = (level % 2 == 0 ? "}" : "]") + end
        }
        return text + "\(last)" + end
    }

    private static func deep(_ last: Int) throws -> [String: JSONValue] {
        guard case .object(let members) = try JSONValue(jsonText: text(last)) else { return [:] }
        return members
    }

    private static func document(_ id: String, _ last: Int) throws -> Document {
        var document = Document(id: id)
        for (name, value) in try deep(last) { document[json: name] = value }
        return document
    }

    @Test func `are shown as a tree to a level, and whole as JSON`() async throws {
        let test = try await TestDatabase.open()
        try await test.add([try Self.document("deep", 7)])
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page("document", ["id": "deep"])
        #expect(page.status == .ok)
        #expect(page.text.matches(of: #/<details/#).count == ValueTree.levelMax - 1)
        #expect(page.text.matches(of: #/<\/details>/#).count == ValueTree.levelMax - 1)
        #expect(page.text.contains(">goes on in JSON</a>"))
        #expect(!page.text.contains("The tree goes no further"))
        let alone = inspector.path("document.json", ["id": "deep"])
        #expect(page.links.filter { $0 == alone }.count == 2)
        let json = try await inspector.get(alone)
        #expect(try JSONValue(jsonText: json.text)["a"] == Self.deep(7)["a"])
        await test.close()
    }

    @Test func `stand on every other page of documents`() async throws {
        let test = try await TestDatabase.open(indexes: [
            Database.Index.keyPaths(name: "byId", keys: [["id"]], value: ["a"])
        ])
        try await test.add([try Self.document("deep", 7)])
        let (base, low, high) = (
            "1-\(String(repeating: "a", count: 32))", "2-\(String(repeating: "b", count: 32))",
            "2-\(String(repeating: "c", count: 32))"
        )
        let (mine, theirs) = (try Self.document("two", 1), try Self.document("two", 2))
        try await test.database.write { transaction in
            try transaction.store(mine, revisions: [low, base])
            try transaction.store(theirs, revisions: [high, base], from: "elsewhere")
        }
        try await test.database.buildIndex(named: "byId")
        let inspector = try await TestInspector(test.database, isWritable: true)
        for path in [
            inspector.path("documents"), inspector.path("documents", ["where": "{\"b\": 1}"]),
            inspector.path("edit", ["id": "deep"]), inspector.path("attach", ["id": "deep"]),
            inspector.path("expiry", ["id": "deep"]), inspector.path("index", ["name": "byId"]),
            inspector.path("document", ["id": "two"]), inspector.path("leaves", ["id": "two"]),
            inspector.path("leaves/merge", ["id": "two"]),
        ] {
            #expect(try await inspector.get(path).status == .ok, "\(path)")
        }
        let revision = try test.database.read { try $0.document("deep")?.metaData.revision }
        let fields: KeyValuePairs = [
            "id": "deep", "revision": revision ?? "", "text": Self.text(8),
        ]
        let review = try await inspector.post("document/review", fields)
        #expect(review.status == .ok && review.text.contains("<bdi>a</bdi>"))
        #expect(try await inspector.post("document/save", fields).status == .seeOther)
        let merged = try await inspector.post(
            "leaves/review", ["id": "two", "shown": "", "text": Self.text(3)])
        #expect(merged.status == .ok)
        await test.close()
    }

    /// A remote that has another version of everything.
    private final class Remote: Backend {
        let identifier = "https://example.com/tables/items"
        let item: Mutex<RemoteItem>

        init(_ item: RemoteItem) { self.item = Mutex(item) }

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            PullPage(
                items: token == nil ? [item.withLock { $0 }] : [], token: PullToken("1"),
                isLast: true)
        }

        func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
            .conflict(item.withLock { $0 })
        }
    }

    @Test func `stand side by side in a conflict`() async throws {
        let test = try await TestDatabase.open()
        let remote = Remote(RemoteItem(id: "d", version: "1", members: try Self.deep(1)))
        let configuration = ReplicationConfiguration(
            url: try #require(URL(string: remote.identifier)), isRepeating: false)
        _ = try await test.database.replicate(with: configuration, using: remote)
        let theirs = try Self.deep(3)
        remote.item.withLock { $0 = RemoteItem(id: "d", version: "2", members: theirs) }
        var document = try #require(try test.database.read { try $0.document("d") })
        document[json: "a"] = try Self.deep(2)["a"]
        _ = try await test.database.update(document)
        _ = try? await test.database.replicate(with: configuration, using: remote)
        let inspector = try await TestInspector(test.database, isWritable: true)
        for page in ["conflict", "conflict/merge"] {
            let shown = try await inspector.page(page, ["remote": remote.identifier, "id": "d"])
            #expect(shown.status == .ok && shown.text.contains("differs"), "\(page)")
        }
        let review = try await inspector.post(
            "conflict/review",
            ["remote": remote.identifier, "id": "d", "shown": "", "text": Self.text(4)])
        #expect(review.status == .ok)
        await test.close()
    }
}
