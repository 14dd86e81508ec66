import Settle
import SettleREST
import SettleSync
import Testing

/// Requests to, and answers of, the Datasync servers: Azure Mobile Apps 6 and Community Toolkit 10.
@Suite(.serialized) struct `Contract of generation 3` {
    private static func item(_ version: String, deleted: Bool = false) -> String {
        #"{"title":"one","rating":"G","id":"a","updatedAt":"2024-08-23T20:22:54.291Z","#
            + #""version":"\#(version)","deleted":\#(deleted)}"#
    }

    private static func page(_ items: String, count: String, next: String = "null")
        -> FullHTTPResponse
    {
        .json(200, #"{"items":[\#(items)],"count":\#(count),"nextLink":\#(next)}"#)
    }

    @Test func `a pull reads items, writes OData 4 and never follows a link that skips`()
        async throws
    {
        let link = #""$orderby=updatedAt&$count=true&__includedeleted=true&$skip=1""#
        let server = try Transcript(
            .v3, Self.page(Self.item("AAA="), count: "2", next: link),
            Self.page("", count: "null"))
        let page = try await server.pull(pageSize: 10)
        #expect(!page.isLast && page.itemCountRemaining == 2)
        #expect(page.items.first?.members == ["title": "one", "rating": "G"])
        #expect(page.items.first?.created == nil)
        let end = try await server.pull(after: page.token, isFirst: false, pageSize: 10)
        #expect(end.isLast)
        let time = "cast(2024-08-23T20:22:54.291Z,Edm.DateTimeOffset)"
        #expect(
            server.lines == [
                "GET /tables/todoitem2?$orderby=updatedAt,id&$top=10&$count=true"
                    + "&__includedeleted=true",
                "GET /tables/todoitem2?$filter=updatedAt gt \(time) or updatedAt eq \(time) "
                    + "and id gt 'a'&$orderby=updatedAt,id&$top=10&__includedeleted=true",
            ])
        #expect(
            server.wireLines[1].contains(
                "updatedAt%20gt%20cast(2024-08-23T20%3A22%3A54.291Z,Edm.DateTimeOffset)"))
        #expect(try server.header("ZUMO-API-VERSION") == ["3.0.0", "3.0.0"])
    }

    @Test func `a page without a next one is the last, unless it has all that was asked for`()
        async throws
    {
        let short = try Transcript(.v3, Self.page(Self.item("AAA="), count: "null"))
        #expect(try await short.pull(pageSize: 2).isLast)
        let full = try Transcript(.v3, Self.page(Self.item("AAA="), count: "null"))
        #expect(try await !full.pull(pageSize: 1).isLast)
        let silent = try Transcript(.v3, .json(200, #"{"items":[\#(Self.item("AAA="))]}"#))
        #expect(try await !silent.pull(pageSize: 2).isLast)
    }

    @Test func `an update is PUT of the whole item, whatever is to be sent`() async throws {
        for only in [false, true] {
            let server = try Transcript(.v3, .json(200, Self.item("AAB="), tag: #""AAB=""#))
            let outcome = try await server.send(
                .update, base: "AAA=", ["title": "one", "rating": "G", "deleted": 1],
                changed: ["title", "gone"], only: only)
            #expect(
                server.lines == [
                    #"PUT /tables/todoitem2/a If-Match: "AAA=" {"_deleted":1,"id":"a","rating":"G","title":"one"}"#
                ])
            outcome.expect("stored", version: "AAB=")
        }
    }

    @Test func `a duplicate insert shows the server's item, deleted or not`() async throws {
        for isDeleted in [false, true] {
            let server = try Transcript(
                .v3, .json(409, Self.item("AAA=", deleted: isDeleted), tag: #""AAA=""#))
            try await server.send(.insert, ["title": "x"])
                .expect("conflict", version: "AAA=", isDeleted: isDeleted)
            #expect(server.lines.count == 1)
        }
    }

    @Test func `a row that is gone is deleted, or a conflict with what a list shows`() async throws
    {
        var server = try Transcript(.v3, .other(410))
        try await server.send(.delete, base: "AAA=").expect("deleted")
        server = try Transcript(
            .v3, .other(410), Self.page(Self.item("AAC=", deleted: true), count: "null"))
        try await server.send(.update, base: "AAA=", ["title": "x"])
            .expect("conflict", version: "AAC=", isDeleted: true)
        #expect(
            server.lines[1] == "GET /tables/todoitem2?$filter=id eq 'a'&__includedeleted=true")
    }

    @Test func `a deletion is answered with 204`() async throws {
        let server = try Transcript(.v3, .other(204))
        try await server.send(.delete, base: "AAA=").expect("deleted")
    }

    // Azure Mobile Apps 6.
    @Test func `an undeletion is PATCH of the column where the server knows it`() async throws {
        let server = try Transcript(.v3, .json(200, Self.item("AAD="), tag: #""AAD=""#))
        let outcome = try await server.send(.undelete, base: "AAC=")
        #expect(
            server.lines == [#"PATCH /tables/todoitem2/a If-Match: "AAC=" {"deleted":false}"#])
        outcome.expect("stored", version: "AAD=")
    }

    // Community Toolkit: PATCH is not known, and that is asked once.
    @Test func `an undeletion is else PUT of the item as it was`() async throws {
        let dead = Self.page(Self.item("AAC=", deleted: true), count: "null")
        let alive = FullHTTPResponse.json(200, Self.item("AAD="), tag: #""AAD=""#)
        let server = try Transcript(.v3, .other(405), dead, dead, alive, dead, dead, alive)
        for _ in 0..<2 {
            try await server.send(.undelete, base: "AAC=").expect("stored", version: "AAD=")
        }
        let put =
            #"PUT /tables/todoitem2/a?__includedeleted=true If-Match: "AAC=" "#
            + #"{"deleted":false,"id":"a","rating":"G","title":"one"}"#
        let look = "GET /tables/todoitem2?$filter=id eq 'a'&__includedeleted=true"
        #expect(
            server.lines == [
                #"PATCH /tables/todoitem2/a If-Match: "AAC=" {"deleted":false}"#, look, look, put,
                look, look, put,
            ])
    }

    @Test func `an undeletion by PUT brings back what one of two answers leaves out`() async throws
    {
        let row = Self.item("AAC=", deleted: true)
        let half = row.replacing(#""rating":"G""#, with: #""rating":null"#)
        #expect(half != row)
        for rows in [[row, half], [half, row]] {
            let pages = rows.map { Self.page($0, count: "null") }
            let alive = FullHTTPResponse.json(200, Self.item("AAD="), tag: #""AAD=""#)
            let server = try Transcript(.v3, .other(405), pages[0], pages[1], alive)
            try await server.send(.undelete, base: "AAC=").expect("stored", version: "AAD=")
            #expect(server.lines.last?.contains(#""rating":"G""#) == true)
        }
    }

    @Test func `an undeletion of what somebody else changed is a conflict`() async throws {
        for (version, isDeleted) in [("AAD=", true), ("AAD=", false)] {
            let server = try Transcript(
                .v3, .other(405),
                Self.page(Self.item(version, deleted: isDeleted), count: "null"))
            try await server.send(.undelete, base: "AAC=")
                .expect("conflict", version: version, isDeleted: isDeleted)
        }
        let stale = try Transcript(.v3, .json(412, Self.item("AAE="), tag: #""AAE=""#))
        try await stale.send(.undelete, base: "AAC=").expect("conflict", version: "AAE=")
        let gone = try Transcript(.v3, .other(404), Self.page("", count: "null"))
        try await gone.send(.undelete, base: "AAC=").expect("conflict")
    }

    @Test func `a slash cannot be in an identifier`() async throws {
        let server = try Transcript(.v3)
        let (kind, _) = try await server.send(.insert, id: "a/b").shown
        #expect(kind.contains("'/'") && server.lines.isEmpty)
    }
}
