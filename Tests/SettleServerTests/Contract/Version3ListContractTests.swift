import HTTPTypes
import Settle
import Testing

@testable import SettleServer

/// Lists in version 3 of the protocol.
@Suite(.serialized) struct `Version 3 list contract` {
    /// A table `t` with items `i000`, `i001` and so on, in version 3.
    private static func withItems(
        _ count: Int, topMax: Int = 1000, versionWhenMissing: ProtocolVersion? = nil,
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            topMax: topMax, versionWhenMissing: versionWhenMissing
        ) { server in
            let server = server.inVersion3
            for number in 0..<count {
                let item: JSONValue = ["id": .string(id(number)), "n": .integer(Int64(number))]
                #expect(try await server.send(.post, "/tables/t", item).status == 201)
            }
            try await test(server)
        }
    }

    private static func id(_ number: Int) -> String {
        "i" + String(String(1000 + number).dropFirst())
    }

    private static func link(_ reply: Reply) -> String? { reply.json?["nextLink"]?.stringValue }

    @Test func `a page has items, and a count when it is asked for`() async throws {
        try await Self.withItems(3) { server in
            let plain = try await server.send(.get, "/tables/t")
            #expect(plain.ids == ["i000", "i001", "i002"])
            #expect(plain.json?["count"] == .null && plain.json?["nextLink"] == .null)
            #expect(plain.headers[.link] == nil)
            let counted = try await server.list("t", [("$count", "true"), ("$top", "1")])
            #expect(counted.ids == ["i000"])
            #expect(counted.json?["count"] == 3)
            let not = try await server.list("t", [("$count", "false")])
            #expect(not.json?["count"] == .null)
            let nowhere = try await server.list("nope", [("$count", "true")])
            #expect(nowhere.json == ["items": [], "count": 0, "nextLink": .null])
        }
    }

    @Test func `a page has 100 items, and the link goes on behind them`() async throws {
        try await Self.withItems(101) { server in
            let page = try await server.send(.get, "/tables/t")
            #expect(page.ids?.count == 100)
            let link = try #require(Self.link(page))
            #expect(link.hasPrefix("http://") && link.contains("/tables/t?$skiptoken="), "\(link)")
            let place = try #require(link.firstRange(of: "/tables/t?"))
            // Changes to what was read do not shift what follows.
            #expect(try await server.send(.delete, "/tables/t/i000").status == 204)
            let rest = try await server.send(.get, String(link[place.lowerBound...]))
            #expect(rest.ids == ["i100"])
            #expect(rest.json?["nextLink"] == .null)
        }
    }

    @Test func `the link is a path for those who would like that`() async throws {
        try await Self.withItems(101) { server in
            for option in ["nextLink=path", "NEXTLINK = PATH", "include:deleted,nextLink=path"] {
                let page = try await server.send(
                    .get, "/tables/t?$select=id", headers: [.zumoOptions: option])
                let link = try #require(Self.link(page))
                #expect(link.hasPrefix("/tables/t?$select=id&$skiptoken="), "\(link)")
                #expect(try await server.send(.get, link).json?["items"] == [["id": "i100"]])
            }
        }
    }

    @Test func `the link says https behind a proxy that says so`() async throws {
        try await Self.withItems(101) { (server) async throws in
            let name = try #require(HTTPField.Name("X-Forwarded-Proto"))
            let page = try await server.send(.get, "/tables/t", headers: [name: "https"])
            #expect(Self.link(page)?.hasPrefix("https://") == true)
        }
    }

    @Test func `top is how many items there are on all pages`() async throws {
        try await Self.withItems(5, topMax: 2) { server in
            var ids: [[String]?] = []
            var path: String? = "/tables/t?$top=5&$skip=1"
            while let next = path {
                let page = try await server.send(
                    .get, next, headers: [.zumoOptions: "nextLink=path"])
                ids.append(page.ids)
                path = Self.link(page)
            }
            #expect(ids == [["i001", "i002"], ["i003", "i004"]])
            let page = try await server.send(.get, "/tables/t?$top=2")
            #expect(page.ids == ["i000", "i001"])
            #expect(page.json?["nextLink"] == .null)
            let three = try await server.send(
                .get, "/tables/t?$top=3", headers: [.zumoOptions: "nextLink=path"])
            let last = try await server.send(.get, try #require(Self.link(three)))
            #expect(last.ids == ["i002"])
            #expect(last.json?["nextLink"] == .null)
            #expect(try await server.send(.get, "/tables/t?$top=128000").status == 200)
            #expect(try await server.send(.get, "/tables/t?$top=128001").status == 400)
        }
    }

    @Test func `a link behind a long key goes by number, and top goes down with it`()
        async throws
    {
        try await TestServer.run(topMax: 1) { server in
            let server = server.inVersion3
            let long = String(repeating: "x", count: 3000)
            for id in ["a", "b", "c", "d"] {
                _ = try await server.send(
                    .post, "/tables/t", ["id": .string(id), "text": .string(long + id)])
            }
            var pages: [[String]?] = []
            var path: String? = "/tables/t?$orderby=text&$top=3"
            while let next = path {
                let page = try await server.send(
                    .get, next, headers: [.zumoOptions: "nextLink=path"])
                pages.append(page.ids)
                path = Self.link(page)
                #expect(path?.contains("$skip=\(pages.count)") ?? true, "\(path ?? "")")
            }
            #expect(pages == [["a"], ["b"], ["c"]])
        }
    }

    @Test(arguments: [
        ("n in (1, 3)", ["i001", "i003"]), ("contains(id,'03')", ["i003"]),
        ("updatedAt gt cast(2020-09-13T12:26:39.999Z,Edm.DateTimeOffset) and n lt 1", ["i000"]),
        ("updatedAt gt datetimeoffset'2020-09-13T12:26:39.999Z' and n lt 1", ["i000"]),
        ("updatedAt gt 2020-09-13T12:26:39.999Z and n lt 1", ["i000"]),
        ("substringof('03',id)", ["i003"]), ("round(n div 2.0) eq 2", ["i003", "i004"]),
        ("nosuchcolumn eq 1", []),
    ])
    func `filters are of version 4 of OData, and of version 3 too`(
        filter: String, ids: [String]
    ) async throws {
        try await Self.withItems(5) { server in
            let reply = try await server.list("t", [("$filter", filter)])
            #expect(reply.ids == ids, "\(reply.error ?? "")")
        }
    }

    @Test(arguments: [
        ("$inlinecount", "allpages", "$inlinecount"), ("$count", "yes", "$count"),
        ("$filter", "text eq", "character 8"), ("$expand", "x", "$expand"),
    ])
    func `a bad option is 400 and says which`(
        option: String, value: String, hint: String
    ) async throws {
        try await TestServer.run { server in
            let reply = try await server.inVersion3.list("t", [(option, value)])
            #expect(reply.status == 400)
            #expect(reply.error?.contains(hint) == true, "\(reply.error ?? "")")
        }
    }

    @Test func `a client that names no version is taken for the configured one`() async throws {
        try await Self.withItems(101, versionWhenMissing: .version3) { server in
            let page = try await server.raw(.get, "/tables/t")
            #expect(page.ids?.count == 100)
            // The Toolkit's servers send the query alone.
            let link = try #require(Self.link(page))
            #expect(link.hasPrefix("$skiptoken="), "\(link)")
            #expect(try await server.raw(.get, "/tables/t?" + link).ids == ["i100"])
            let old = try await server.raw(
                .get, "/tables/t", headers: [.zumoVersion: "2.0.0"])
            #expect(old.json?.arrayValue?.count == 50)
            for version in ["", "1.0.0", "4.0.0", "x"] {
                let reply = try await server.raw(
                    .get, "/tables/t", headers: [.zumoVersion: version])
                #expect(reply.status == 400, "\(version)")
            }
        }
    }
}
