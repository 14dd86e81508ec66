import Foundation
import HTTPTypes
import Settle
import SettleSync
import Synchronization
import Testing

@testable import SettleInspector

@Suite struct `The pages of replication` {
    /// A remote that has one item, newer than what is sent to it, and refuses another.
    private final class Remote: Backend {
        let identifier = "https://example.com/<tables>/items"
        let items: Mutex<[String: RemoteItem]>

        init(_ items: [RemoteItem]) {
            self.items = Mutex(
                Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { $1 }))
        }

        func pull(
            _ query: PullQuery, after token: PullToken?, itemCountMax: Int, isFirstPage: Bool
        ) async throws(ReplicationError) -> PullPage {
            let items = token == nil ? items.withLock { Array($0.values) } : []
            return PullPage(items: items, token: PullToken("<token>"), isLast: true)
        }

        func send(_ operation: RemoteOperation) async throws(ReplicationError) -> RemoteOutcome {
            if operation.id == "refused" { return .rejected(reason: "<b>never</b>") }
            let item = items.withLock { $0[operation.id] }
            guard let item, item.version != operation.baseVersion else {
                let stored = RemoteItem(
                    id: operation.id, version: "9", members: operation.members)
                items.withLock { $0[operation.id] = stored }
                return .stored(stored)
            }
            return .conflict(item)
        }
    }

    private func replicated() async throws -> (TestDatabase, Remote) {
        let test = try await TestDatabase.open()
        let remote = Remote([
            RemoteItem(id: "both", version: "1", members: ["n": 1, "same": "x", "theirs": 0]),
            RemoteItem(id: "", version: "1", members: ["n": 1]),
        ])
        let configuration = ReplicationConfiguration(
            url: try #require(URL(string: "https://example.com/tables/items")), isRepeating: false)
        _ = try await test.database.replicate(with: configuration, using: remote)
        remote.items.withLock {
            $0["both"] = RemoteItem(
                id: "both", version: "2", members: ["n": 1, "same": "x", "theirs": "<b>"])
        }
        var document = try #require(try test.database.read { try $0.document("both") })
        document["n"] = 2
        _ = try await test.database.update(document)
        _ = try await test.database.add(["id": "refused"])
        _ = try? await test.database.replicate(with: configuration, using: remote)
        return (test, remote)
    }

    @Test func `show remotes, tokens, what waits with its reasons, and what was set aside`()
        async throws
    {
        let (test, remote) = try await replicated()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page("replication")
        #expect(page.text.contains("https://example.com/&lt;tables&gt;/items"))
        #expect(page.text.contains("&lt;token&gt;"))
        #expect(page.text.contains("&lt;b&gt;never&lt;/b&gt;"))
        #expect(page.text.contains("rejected") && page.text.contains("conflict"))
        #expect(try test.database.setAsideItems().isEmpty == page.text.contains("Nothing.</p>"))
        #expect(
            page.links.contains(
                inspector.path("conflict", ["remote": remote.identifier, "id": "both"])))
        await test.close()
    }

    @Test func `show a conflict by member with base, mine and theirs`() async throws {
        let (test, remote) = try await replicated()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page(
            "conflict", ["remote": remote.identifier, "id": "both"])
        #expect(page.status == .ok)
        #expect(page.text.contains("&quot;&lt;b&gt;&quot;"))
        #expect(page.text.matches(of: #/<bdi>differs<\/bdi>/#).count == 2)
        let none = try await inspector.page(
            "conflict", ["remote": remote.identifier, "id": "refused"])
        #expect(none.status == .notFound)
        await test.close()
    }

    @Test(arguments: ["mine", "theirs"]) func `resolve a conflict for one side`(
        side: String
    ) async throws {
        let (test, remote) = try await replicated()
        let inspector = try await TestInspector(test.database, isWritable: true)
        let page = try await inspector.page(
            "conflict", ["remote": remote.identifier, "id": "both"])
        let shown = try #require(page.text.firstMatch(of: #/name="shown" value="([^"]*)"/#)).1
        let fields: KeyValuePairs = ["remote": remote.identifier, "id": "both", "use": side]
        #expect(try await inspector.post("conflict/resolve", fields).status == .conflict)
        let resolved = try await inspector.post(
            "conflict/resolve",
            ["remote": remote.identifier, "id": "both", "use": side, "shown": String(shown)])
        #expect(resolved.status == .seeOther)
        let document = try #require(try test.database.read { try $0.document("both") })
        #expect(document[json: "n"] == (side == "mine" ? 2 : 1))
        let conflict = try test.database.replicationConflict(of: "both", with: remote.identifier)
        #expect(conflict == nil)
        await test.close()
    }

    @Test func `resolve a conflict by a version that was merged by hand`() async throws {
        let (test, remote) = try await replicated()
        let inspector = try await TestInspector(test.database, isWritable: true)
        let place: KeyValuePairs = ["remote": remote.identifier, "id": "both"]
        let form = try await inspector.page(
            "conflict/merge", ["remote": remote.identifier, "id": "both"])
        // Each side changed another member, so the merge has both.
        #expect(
            form.text.contains("&quot;n&quot;: 2") && form.text.contains("&quot;&lt;b&gt;&quot;"))
        let shown = String(
            try #require(form.text.firstMatch(of: #/name="shown" value="([^"]*)"/#)).1)
        func fields(_ text: String, _ shown: String) -> KeyValuePairs<String, String> {
            [
                "remote": place[0].value, "id": "both", "shown": shown, "use": "merged",
                "text": text,
            ]
        }
        let text = #"{"n": 3, "theirs": "<i>", "same": "x"}"#
        let review = try await inspector.post("conflict/review", fields(text, shown))
        #expect(review.status == .ok)
        #expect(review.text.contains("Merged") && review.text.contains("&lt;i&gt;"))
        let late = try await inspector.post("conflict/review", fields(text, "x"))
        #expect(late.text.contains("changed meanwhile"))
        #expect(
            try await inspector.post("conflict/resolve", fields(text, "x")).status == .conflict)
        for wrong in ["", "[]", "{", #"{"id": "other"}"#] {
            let page = try await inspector.post("conflict/review", fields(wrong, shown))
            #expect(page.status == .badRequest)
        }
        #expect(
            try await inspector.post("conflict/resolve", fields(text, shown)).status == .seeOther)
        let document = try #require(try test.database.read { try $0.document("both") })
        #expect(document.json == ["n": 3, "theirs": "<i>", "same": "x"])
        #expect(
            try test.database.replicationConflict(of: "both", with: remote.identifier) == nil)
        await test.close()
    }

    @Test func `list what waits page by page, each once`() async throws {
        let test = try await TestDatabase.open()
        let remote = Remote([])
        let configuration = ReplicationConfiguration(
            url: try #require(URL(string: "https://example.com/tables/items")), isRepeating: false)
        _ = try await test.database.replicate(with: configuration, using: remote)
        try await test.add((0..<130).map { ["id": "d\(1_000 + $0)"] })
        let inspector = try await TestInspector(test.database)
        var found: [String] = []
        var next: String? = inspector.path("replication")
        while let path = next {
            let page = try await inspector.get(path)
            found += page.links.compactMap {
                $0.firstMatch(of: #/document\?id=(d[0-9]+)/#).map { String($0.1) }
            }
            next = page.next
        }
        #expect(found == (0..<130).map { "d\(1_000 + $0)" })
        await test.close()
    }

    @Test func `say that there is none`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        #expect(try await inspector.page("replication").text.contains("never replicated"))
        await test.close()
    }
}
