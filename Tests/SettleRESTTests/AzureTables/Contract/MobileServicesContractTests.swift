import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Testing

/// Requests to, and answers of, Azure Mobile Services: what its node runtime 1.0.1 does.
@Suite(.serialized) struct `Contract of generation 1` {
    private static func item(_ version: String, deleted: Bool = false) -> String {
        #"{"id":"a","text":"one","__createdAt":"2014-01-01T00:00:00.001Z","#
            + #""__updatedAt":"2014-01-01T00:00:00.004Z","__version":"\#(version)","#
            + #""__deleted":\#(deleted)}"#
    }

    @Test func `a pull asks for the system columns and sends no version`() async throws {
        let server = try Transcript(
            .v1, .json(200, #"{"results":[\#(Self.item("AAA="))],"count":2}"#),
            .json(200, "[]"))
        let page = try await server.pull(pageSize: 10)
        let item = try #require(page.items.first)
        #expect(item.version == "AAA=" && item.members == ["text": "one"] && item.updated != nil)
        _ = try await server.pull(after: page.token, isFirst: false, pageSize: 10)
        let time = "datetimeoffset'2014-01-01T00:00:00.004Z'"
        #expect(
            server.lines == [
                "GET /tables/todoitem2?$orderby=__updatedAt,id&$top=10&$inlinecount=allpages"
                    + "&__includeDeleted=true&__systemproperties=*",
                "GET /tables/todoitem2?$filter=__updatedAt gt \(time) or __updatedAt eq \(time) "
                    + "and id gt 'a'&$orderby=__updatedAt,id&$top=10&__includeDeleted=true"
                    + "&__systemproperties=*",
            ])
        #expect(try server.header("ZUMO-API-VERSION") == [nil, nil])
    }

    @Test func `writes ask for the system columns of the answer`() async throws {
        let server = try Transcript(
            .v1, .json(201, Self.item("AAA="), tag: #""AAA=""#),
            .json(200, Self.item("AAB="), tag: #""AAB=""#), .other(204),
            .json(200, Self.item("AAD="), tag: #""AAD=""#))
        try await server.send(.insert, ["text": "one", "__mine": 1, "version": 2])
            .expect("stored", version: "AAA=")
        try await server.send(.update, base: "AAA=", ["text": "two"])
            .expect("stored", version: "AAB=")
        try await server.send(.delete, base: "AAB=").expect("deleted")
        try await server.send(.undelete, base: "AAC=").expect("stored", version: "AAD=")
        #expect(
            server.lines == [
                #"POST /tables/todoitem2?__systemproperties=* {"_u__mine":1,"id":"a","text":"one","version":2}"#,
                #"PATCH /tables/todoitem2/a?__systemproperties=* If-Match: "AAA=" {"text":"two"}"#,
                #"DELETE /tables/todoitem2/a?__systemproperties=* If-Match: "AAB=""#,
                #"POST /tables/todoitem2/a?__systemproperties=* If-Match: "AAC=""#,
            ])
    }

    @Test func `a duplicate insert has no item in its answer`() async throws {
        let server = try Transcript(
            .v1,
            .json(
                409,
                #"{"code":409,"error":"Error: Could not insert the item because an item with that id already exists."}"#
            ), .json(200, "[\(Self.item("AAA="))]"))
        try await server.send(.insert, ["text": "x"]).expect("conflict", version: "AAA=")
    }

    @Test func `an update of a deleted row may show it in a 412`() async throws {
        let server = try Transcript(
            .v1, .json(412, Self.item("AAC=", deleted: true), tag: #""AAC=""#))
        try await server.send(.update, base: "AAA=", ["text": "x"])
            .expect("conflict", version: "AAC=", isDeleted: true)
    }

    @Test(arguments: [
        "a\"b", "a+b", "a?b", "a/b", "a\\b", "a`b", ".", "..", "a\u{1}b",
        String(repeating: "x", count: 256),
    ])
    func `an identifier that it does not take is refused with a sentence`(id: String) async throws {
        let server = try Transcript(.v1)
        let (kind, _) = try await server.send(.insert, id: id).shown
        #expect(kind.hasPrefix("rejected The identifier ") && kind.hasSuffix("."))
        #expect(server.lines.isEmpty)
    }

    @Test func `the token travels as X-ZUMO-AUTH alone`() async throws {
        let transport = FakeTransport([.json(200, "[]")])
        var configuration = ReplicationConfiguration(
            url: try #require(URL(string: "http://h/tables/t")))
        configuration.options = [
            "token": "t", "transport": transport, "dialect": AzureTablesBackend.Dialect.v1,
        ]
        let backend = try AzureTablesBackend(configuration)
        _ = try await backend.pull(PullQuery(), after: nil, itemCountMax: 1, isFirstPage: true)
        let fields = transport.asked[0].request.headerFields
        #expect(fields[.authorization] == nil)
        #expect(fields.contains { $0.name.rawName == "X-ZUMO-AUTH" && $0.value == "t" })
    }
}
