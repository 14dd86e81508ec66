import HTTPTypes
import Settle
import SettleOData
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

/// How clients pull, after B4 of the protocol's description.
@Suite(.serialized) struct `Pulling` {
    private static let pull = [("$orderby", "updatedAt asc"), ("__includeDeleted", "true")]

    /// The loop of the old iOS and .NET clients: a time and a number to skip.
    private static func pullAll(_ server: TestServer, page: Int) async throws -> (
        ids: [String], requests: Int
    ) {
        var (token, skip, ids, requests) = ("1970-01-01T00:00:00.000Z", 0, [String](), 0)
        while true {
            let reply = try await server.list(
                "t",
                pull + [
                    ("$filter", "(updatedAt ge datetimeoffset'\(token)')"),
                    ("$skip", "\(skip)"), ("$top", "\(page)"),
                ])
            requests += 1
            let items = try #require(reply.json?.arrayValue)
            guard !items.isEmpty else { return (ids, requests) }
            ids += items.compactMap { $0["id"]?.stringValue }
            let last = try #require(items.last?["updatedAt"]?.stringValue)
            (token, skip) = last == token ? (token, skip + items.count) : (last, 0)
        }
    }

    @Test func `the loop of the old clients sees every row in the order of the commits`()
        async throws
    {
        try await TestServer.run { server in
            // The clock stands still: the times differ all the same.
            for number in 0..<10 {
                _ = try await server.send(.post, "/tables/t", ["id": .string("r\(number)")])
            }
            _ = try await server.send(.patch, "/tables/t/r0", ["a": 1])
            _ = try await server.send(.delete, "/tables/t/r3")
            let (ids, requests) = try await Self.pullAll(server, page: 4)
            var seen: Set<String> = []
            let order = ids.filter { seen.insert($0).inserted }
            #expect(order == ["r1", "r2", "r4", "r5", "r6", "r7", "r8", "r9", "r0", "r3"])
            #expect(requests == 5)
        }
    }

    @Test func `times strictly increase when the clock stands still and when it goes back`()
        async throws
    {
        try await TestServer.run { server in
            var times: [String] = []
            for number in 0..<6 {
                let reply = try await server.send(
                    .post, "/tables/t", ["id": .string("r\(number)")])
                times.append(try #require(reply.json?["updatedAt"]?.stringValue))
                if number == 2 { server.clock.advance(microseconds: -5_000_000) }
            }
            #expect(
                times == [
                    "2020-09-13T12:26:40.000Z", "2020-09-13T12:26:40.000001Z",
                    "2020-09-13T12:26:40.000002Z", "2020-09-13T12:26:40.000003Z",
                    "2020-09-13T12:26:40.000004Z", "2020-09-13T12:26:40.000005Z",
                ])
        }
    }

    @Test func `concurrent writers get different times, and a reader never misses a row`()
        async throws
    {
        try await TestServer.run { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<10 {
                            let id = JSONValue.string("w\(writer)-\(number)")
                            let reply = try await server.send(.post, "/tables/t", ["id": id])
                            #expect(reply.status == 201)
                        }
                    }
                }
                // Reads by key while they write: whatever is behind the last time stays behind it.
                var token = "1970-01-01T00:00:00.000Z"
                var ids: [String] = []
                while ids.count < 40 {
                    let reply = try await server.list(
                        "t",
                        [
                            ("$filter", "updatedAt gt datetimeoffset'\(token)'"),
                            ("$orderby", "updatedAt"), ("$top", "7"),
                        ])
                    let items = try #require(reply.json?.arrayValue)
                    ids += items.compactMap { $0["id"]?.stringValue }
                    token = items.last?["updatedAt"]?.stringValue ?? token
                }
                #expect(Set(ids).count == 40)
                #expect(ids.count == 40)
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: ["updatedAt", "updatedAt,id", "id", "id desc", "n,id", "n desc", nil])
    func `following the links gives every row once, also when rows change meanwhile`(
        order: String?
    ) async throws {
        try await TestServer.run { server in
            for number in 0..<11 {
                _ = try await server.send(
                    .post, "/tables/t",
                    ["id": .string("r\(number)"), "n": .integer(Int64(number % 3))])
            }
            var path = "/tables/t?$top=3&$filter=n%20ge%200"
            if let order { path += "&$orderby=\(PercentEncoding.encoded(order))" }
            var ids: [String] = []
            for page in 0... {
                let reply = try await server.send(.get, path)
                #expect(reply.status == 200)
                ids += try #require(reply.ids)
                guard let link = reply.headers[.link] else { break }
                #expect(link.hasPrefix("/tables/t?"))
                path = String(try #require(link.wholeMatch(of: /(.*?); rel=next/)).1)
                // Taking away a row that was read shifts nothing.
                if page == 0 { _ = try await server.send(.delete, "/tables/t/\(ids[0])") }
            }
            #expect(ids.count == 11)
            #expect(Set(ids).count == 11)
        }
    }

    @Test func `there is a link only when more rows remain`() async throws {
        try await TestServer.run { server in
            for number in 0..<4 {
                _ = try await server.send(.post, "/tables/t", ["id": .string("r\(number)")])
            }
            _ = try await server.send(.delete, "/tables/t/r3")
            #expect(try await server.send(.get, "/tables/t?$top=3").headers[.link] == nil)
            #expect(try await server.send(.get, "/tables/t?$top=2").headers[.link] != nil)
            #expect(try await server.send(.get, "/tables/t?$skip=1&$top=2").headers[.link] == nil)
            #expect(
                try await server.send(.get, "/tables/t?$top=3&__includeDeleted=true")
                    .headers[.link] != nil)
        }
    }

    @Test func `pages without top have 50 rows`() async throws {
        try await TestServer.run { server in
            for number in 0..<51 {
                _ = try await server.send(.post, "/tables/t", ["id": .string("r\(number)")])
            }
            let reply = try await server.send(.get, "/tables/t")
            #expect(reply.ids?.count == 50)
            #expect(reply.headers[.link] != nil)
            #expect(try await server.send(.get, "/tables/t?$top=1000").ids?.count == 51)
        }
    }

    @Test func `random lists equal a naive selection from all rows`() async throws {
        try await TestServer.run { server in
            var generator = SeededGenerator()
            for number in 0..<24 {
                let n = Int64.random(in: 0..<4, using: &generator)
                var item: JSONValue = ["id": .string("r\(number)"), "n": .integer(n)]
                if n == 0 { item["n"] = nil }
                _ = try await server.send(.post, "/tables/t", item)
                if number % 5 == 4 { _ = try await server.send(.delete, "/tables/t/r\(number)") }
            }
            let all = try #require(
                try await server.list("t", Self.pull + [("$top", "100")]).json?.arrayValue)
            #expect(all.count == 24)
            for _ in 0..<120 {
                try await Self.compare(server, all, &generator)
            }
        }
    }

    private static func compare(
        _ server: TestServer, _ all: [JSONValue], _ generator: inout SeededGenerator
    ) async throws {
        let (skip, top) = (
            Int.random(in: 0..<8, using: &generator), Int.random(in: 0..<9, using: &generator)
        )
        let isDeletedSeen = Bool.random(using: &generator)
        let isCounted = Bool.random(using: &generator)
        let isFiltered = Bool.random(using: &generator)
        let bound = Int.random(in: 0..<24, using: &generator)
        let order =
            ["updatedAt", "n,updatedAt desc", "n desc,id", "id", ""]
            .randomElement(using: &generator) ?? ""
        let time = all[bound]["updatedAt"]?.stringValue ?? ""
        // As text the times do not sort: some have three digits of a second, others six.
        func changed(_ item: JSONValue) -> Int64 {
            item["updatedAt"]?.stringValue.flatMap { Instant(text: $0) }?.ticks ?? 0
        }
        var expected = all.filter { item in
            (isDeletedSeen || item["deleted"] == false)
                && (!isFiltered || changed(item) >= changed(all[bound]))
        }
        func text(_ item: JSONValue, _ name: String) -> String { item[name]?.stringValue ?? "" }
        func number(_ item: JSONValue) -> Int64 { item["n"]?.integerValue ?? -1 }
        expected.sort { left, right in
            switch order {
            case "updatedAt": changed(left) < changed(right)
            case "n,updatedAt desc":
                (number(left), changed(right)) < (number(right), changed(left))
            case "n desc,id": (number(right), text(left, "id")) < (number(left), text(right, "id"))
            default: text(left, "id") < text(right, "id")
            }
        }
        var options = [("$skip", "\(skip)"), ("$top", "\(top)")]
        if isFiltered { options.append(("$filter", "updatedAt ge datetimeoffset'\(time)'")) }
        if !order.isEmpty { options.append(("$orderby", order)) }
        if isDeletedSeen { options.append(("__includeDeleted", "true")) }
        if isCounted { options.append(("$inlinecount", "allpages")) }
        let reply = try await server.list("t", options)
        let page = expected.dropFirst(skip).prefix(top)
        #expect(reply.ids == page.map { text($0, "id") }, "\(options) \(generator)")
        if isCounted { #expect(reply.json?["count"] == .integer(Int64(expected.count))) }
        let hasMore = top > 0 && expected.count > skip + top
        #expect((reply.headers[.link] != nil) == hasMore, "\(options) \(generator)")
    }

    @Test func `the form by key and id, and a filter on deleted rows`() async throws {
        try await TestServer.run { server in
            for number in 0..<5 {
                _ = try await server.send(.post, "/tables/t", ["id": .string("r\(number)")])
            }
            let middle = try #require(
                try await server.send(.get, "/tables/t/r2").json?["updatedAt"]?.stringValue)
            let time = "datetimeoffset'\(middle)'"
            let filter = "(updatedAt gt \(time) or (updatedAt eq \(time) and id gt 'r2'))"
            let reply = try await server.list(
                "t", [("$filter", filter), ("$orderby", "updatedAt,id")])
            #expect(reply.ids == ["r3", "r4"])
            _ = try await server.send(.delete, "/tables/t/r4")
            let deleted = try await server.list(
                "t", [("$filter", "deleted eq true"), ("__includeDeleted", "true")])
            #expect(deleted.ids == ["r4"])
            #expect(try await server.list("t", [("$filter", "id eq 'r1'")]).ids == ["r1"])
            #expect(
                try await server.list("t", [("$filter", "id in ('r3','r1','r4','zz')")]).ids
                    == ["r1", "r3"])
        }
    }
}
