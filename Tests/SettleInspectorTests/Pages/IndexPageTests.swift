import Foundation
import HTTPTypes
import Hummingbird
import Settle
import TestSupport
import Testing

@testable import SettleInspector

@Suite struct `The pages of indexes` {
    private func orders() async throws -> TestDatabase {
        let test = try await TestDatabase.open(indexes: [
            Database.Index.keyPaths(
                name: "byKind", keys: [["kind"], ["n"]], value: ["n"], reduce: .sum),
            Database.Index.keyPaths(name: "byDay", keys: [["day"]], value: ["n"], reduce: .sum),
        ])
        try await test.add(
            (0..<180).map { number in
                [
                    "id": "d\(number)", "kind": ["pear", "plum", "<b>"][number % 3],
                    "n": number, "day": "2026-01-\(10 + number % 7)",
                ]
            })
        for name in ["byKind", "byDay"] { try await test.database.buildIndex(named: name) }
        return test
    }

    @Test func `of code that this process does not have offer nothing that cannot be done`()
        async throws
    {
        let code = Database.Index.views(name: "byCode", version: "7") { view, rows in
            try rows.emit(try view.string("kind") ?? "")
        }
        let before = try await TestDatabase.open(indexes: [code])
        try await before.add([["id": "a", "kind": "pear"]])
        try await before.database.buildIndex(named: "byCode")
        let known = try await TestInspector(before.database, isWritable: true)
        let there = try await known.page("index", ["name": "byCode"]).text
        #expect(there.contains("Bring up to date") && there.contains("From key"))
        await before.close()
        let test = try await TestDatabase.open(in: before.scratch)
        let inspector = try await TestInspector(test.database, isWritable: true)
        let list = try await inspector.page("indexes").text
        #expect(list.contains("up to date") && !list.contains("of an older version"))
        let page = try await inspector.page("index", ["name": "byCode"]).text
        #expect(page.contains("does not have the definition") && page.contains(">Remove</button>"))
        #expect(!page.contains("Bring up to date") && !page.contains("From key"))
        await test.close()
    }

    @Test(arguments: ["ascending", "descending"]) func `show each row once, page by page`(
        order: String
    ) async throws {
        let test = try await orders()
        let inspector = try await TestInspector(test.database)
        var query = QueryByKeyRange()
        query.reduce = false
        query.sortOrder = order == "ascending" ? .ascending : .descending
        let expected = try await test.database.runQuery(on: "byKind", with: query).rows
            .compactMap(\.documentId)
        var found: [String] = []
        var next: String? = inspector.path("index", ["name": "byKind", "order": order])
        while let path = next {
            let page = try await inspector.get(path)
            found += page.links.compactMap {
                $0.firstMatch(of: #/document\?id=(.*)/#).map { String($0.1) }
            }
            next = page.next
        }
        #expect(found == expected)
        await test.close()
    }

    @Test func `get on where one document has more rows of one key than a page`() async throws {
        let index = Database.Index(
            name: "many", version: "1",
            map: { document, add in
                for _ in 0..<120 { add("same", document.id) }
            })
        let test = try await TestDatabase.open(indexes: [index])
        try await test.add([Document(id: "a"), Document(id: "b")])
        try await test.database.buildIndex(named: "many")
        let inspector = try await TestInspector(test.database)
        var (count, pages) = (0, 0)
        var next: String? = inspector.path("index", ["name": "many"])
        while let path = next, pages < 20 {
            let page = try await inspector.get(path)
            count += page.text.matches(of: #/document\?id=/#).count
            pages += 1
            next = page.next
        }
        #expect(next == nil)
        #expect(count >= 240)
        await test.close()
    }

    @Test func `show groups with their reductions as a table and as bars`() async throws {
        let test = try await orders()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page("index", ["name": "byKind", "level": "1"])
        let sum = (0..<180).filter { $0 % 3 == 0 }.reduce(0, +)
        #expect(page.text.contains("<bdi>\(sum)</bdi>"))
        #expect(page.text.matches(of: #/<rect [^>]*class="bar"/#).count == 3)
        #expect(page.text.contains("&lt;b&gt;") && !page.text.contains("<b>"))
        let all = try await inspector.page("index", ["name": "byKind", "level": "all"])
        #expect(all.text.contains("<bdi>\((0..<180).reduce(0, +))</bdi>"))
        await test.close()
    }

    @Test func `draw a line where the keys are dates`() async throws {
        let test = try await orders()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page("index", ["name": "byDay", "level": "keys"])
        #expect(page.text.contains("<polyline"))
        #expect(page.text.matches(of: #/<circle /#).count == 7)
        await test.close()
    }

    @Test func `show ranges, and say what is wrong with one`() async throws {
        let test = try await orders()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page(
            "index", ["name": "byKind", "from": "[\"pear\", 3]", "to": "[\"pear\", 9]"])
        #expect(page.text.matches(of: #/document\?id=/#).count == 3)
        #expect(
            try await inspector.page("index", ["name": "byKind", "from": "{"]).status == .badRequest
        )
        #expect(try await inspector.page("index", ["name": "none"]).status == .notFound)
        await test.close()
    }

    @Test(arguments: ["rows", "keys"])
    func `show the rows of a list of keys, in turn, page by page`(
        level: String
    ) async throws {
        let test = try await TestDatabase.open(indexes: [
            Database.Index.keyPaths(name: "byN", keys: [["n"]], value: ["n"], reduce: .sum)
        ])
        try await test.add((0..<180).map { ["id": "d\($0)", "n": $0 % 60] })
        try await test.database.buildIndex(named: "byN")
        let keys = Array((0..<60).reversed()) + [99, 7]
        let inspector = try await TestInspector(test.database)
        var list = QueryByKeyList(keys: keys)
        (list.reduce, list.group) = (level == "keys", level == "keys")
        let expected = try await test.database.runQuery(on: "byN", with: list).rows
            .map(\.keyJSON.jsonText)
        var found: [String] = []
        var next: String? = inspector.path(
            "index", ["name": "byN", "keys": "\(keys)", "level": level])
        while let path = next {
            let page = try await inspector.get(path)
            let table = page.text.split(separator: "<caption>").last ?? ""
            found += table.matches(of: #/<th scope="row"><bdi>([^<]*)</#).map { String($0.1) }
            next = page.next
        }
        #expect(found == expected)
        for fields in [["keys": "5"], ["keys": "[1]", "from": "1"]]
            as [KeyValuePairs<String, String?>]
        {
            let path = inspector.path("index", fields) + "&name=byN"
            #expect(try await inspector.get(path).status == .badRequest)
        }
        let many = "\(Array(0...IndexRows.keyCountMax))"
        #expect(
            try await inspector.page("index", ["name": "byN", "keys": many]).status == .badRequest)
        await test.close()
    }

    @Test func `tell how a query was answered`() async throws {
        let test = try await orders()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page("index", ["name": "byKind", "from": "[\"plum\", 90]"])
        func fact(_ label: String) throws -> Int {
            let pattern = try Regex("<dt>\(label)</dt><dd><bdi>([0-9]+)</bdi>")
            let match = try #require(page.text.firstMatch(of: pattern))
            return try #require(Int(match.output[1].substring ?? ""))
        }
        let (read, over, shown) = (
            try fact("Rows read"), try fact("Rows passed over"), try fact("Rows shown")
        )
        #expect(read == over + shown && shown == 30)
        #expect(try fact("Leaves read") > 0 && fact("Summaries read") > 0)
        await test.close()
    }

    @Test(.timeLimit(.minutes(60))) func `fill while an index is built`() async throws {
        let gate = Gate()
        let index = Database.Index.views(name: "slow", version: "1") { view, rows in
            gate.pass()
            try rows.emit(try view.id)
        }
        let test = try await TestDatabase.open()
        try await test.add([["id": "a"], ["id": "b"]])
        let inspector = try await TestInspector(test.database)
        #expect(try await inspector.page("index", ["name": "slow"]).status == .notFound)
        let database = test.database
        inspector.inspector.responder.jobs.start(IndexListPage.jobName("slow", database)) {
            try await database.addIndex(index)
        }
        let page = try await inspector.page("index", ["name": "slow"])
        #expect(page.text.contains("<progress"))
        #expect(page.text.contains("data-progress=\"/d/shop/index/events?name=slow\""))
        let events = await inspector.inspector.responder.response(
            to: inspector.request(.get, inspector.path("index/events", ["name": "slow"])))
        let (chunks, continuation) = AsyncStream<String>.makeStream()
        let writing = Task { try await events.body.write(StreamWriter(chunks: continuation)) }
        var text = ""
        for await chunk in chunks {
            // The first event comes while the build waits at the gate.
            if text.isEmpty { #expect(chunk.contains("event: progress")) }
            text += chunk
            gate.open()
        }
        try await writing.value
        #expect(text.contains("event: end") && text.contains("Built, with 2 rows."))
        let built = try await inspector.page("index", ["name": "slow"])
        #expect(!built.text.contains("<progress"))
        await test.close()
    }

    @Test func `are never brought up to date by looking`() async throws {
        let test = try await orders()
        _ = try await test.database.save(["id": "new", "kind": "pear", "n": 1_000])
        let inspector = try await TestInspector(test.database)
        let before = try test.database.indexStatus(named: "byKind")
        let page = try await inspector.page(
            "index", ["name": "byKind", "from": "[\"pear\", 1000]"])
        #expect(!page.text.contains("document?id=new"))
        #expect(page.text.contains("1 change behind"))
        for name in AccessTestPages.all { _ = try await inspector.get(inspector.path("") + name) }
        #expect(try test.database.indexStatus(named: "byKind") == before)
        let overview = try await inspector.page("overview")
        #expect(overview.status == .ok)
        await test.close()
    }

    @Test func `build, bring up to date and remove an index`() async throws {
        let test = try await orders()
        let inspector = try await TestInspector(test.database, isWritable: true)
        let added = try await inspector.post(
            "index/add",
            [
                "name": "mine", "keys": "kind, n", "value": "n",
                "filter": "{\"kind\": \"pear\"}", "reduce": "stats",
            ])
        #expect(added.status == .seeOther)
        await inspector.inspector.responder.jobs.finish()
        #expect(try test.database.indexStatus(named: "mine").rowCount == 60)
        _ = try await test.database.save(["id": "new", "kind": "pear", "n": 1_000])
        let built = try await inspector.post("index/build", ["name": "mine"])
        #expect(built.status == .seeOther)
        await inspector.inspector.responder.jobs.finish()
        #expect(try test.database.indexStatus(named: "mine").rowCount == 61)
        #expect(try await inspector.post("index/remove", ["name": "mine"]).status == .seeOther)
        #expect(!test.database.indexNames.contains("mine"))
        await test.close()
    }

    @Test func `refuse an index that none can be made of, and show why a build failed`()
        async throws
    {
        let test = try await orders()
        let inspector = try await TestInspector(test.database, isWritable: true)
        for fields in [
            ["name": "x", "keys": ""], ["name": "", "keys": "a"], ["name": "x", "keys": ","],
            ["name": "x", "keys": "a", "filter": "{"],
        ] as [KeyValuePairs<String, String>] {
            #expect(try await inspector.post("index/add", fields).status == .badRequest)
        }
        #expect(try await inspector.post("index/remove", ["name": "none"]).status == .notFound)
        await test.close()
    }

    @Test func `list documents that could not be mapped, with the reason`() async throws {
        struct Fault: Error, CustomStringConvertible { let description = "<i>no</i>" }
        let index = Database.Index.views(name: "bad", version: "1") { view, rows in
            if try view.bool("bad") == true { throw Fault() }
            try rows.emit(try view.id)
        }
        let test = try await TestDatabase.open(indexes: [index])
        try await test.add([["id": "good"], ["id": "evil", "bad": true]])
        try await test.database.buildIndex(named: "bad")
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page("index", ["name": "bad"])
        #expect(page.text.contains("&lt;i&gt;no&lt;/i&gt;"))
        #expect(page.links.contains(inspector.path("document", ["id": "evil"])))
        let overview = try await inspector.page("overview")
        #expect(overview.text.contains("could not map 1 document"))
        await test.close()
    }
}

/// The pages that nothing changes by.
enum AccessTestPages {
    static let all = [
        "overview", "documents", "documents?by=change", "documents?where=%7B%7D", "document?id=d1",
        "indexes", "index?name=byKind", "index?name=byKind&level=1", "changes", "outbox",
        "replication", "entities", "server",
    ]
}
