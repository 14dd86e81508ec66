import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import Testing

@Suite(.serialized) struct `Dialect` {
    private let versionFault = FullHTTPResponse.json(
        400,
        #"{"error":"An invalid API version was specified in the request, this request needs to specify a ZUMO-API-VERSION of 2.0.0."}"#
    )
    private let old = FullHTTPResponse.json(200, #"{"results":[],"count":0}"#)
    private let new = FullHTTPResponse.json(200, #"{"items":[],"count":0,"nextLink":null}"#)

    private func versions(_ transcript: Transcript) throws -> [String?] {
        try transcript.header("ZUMO-API-VERSION")
    }

    @Test func `of the second generation costs no request to find`() async throws {
        let server = try Transcript(nil, old, old)
        for _ in 0..<2 { _ = try await server.pull() }
        #expect(try versions(server) == ["2.0.0", "2.0.0"])
    }

    @Test func `is told by the shape of the first page, which is then asked for again`()
        async throws
    {
        // The Toolkit does not look at the version, and answers.
        let server = try Transcript(nil, new, new, new)
        for _ in 0..<2 { _ = try await server.pull() }
        #expect(try versions(server) == ["2.0.0", "3.0.0", "3.0.0"])
        #expect(server.lines[1].contains("__includedeleted=true"))
    }

    @Test func `is told by a refused version`() async throws {
        let six = try Transcript(nil, .other(400), new, new)
        for _ in 0..<2 { _ = try await six.pull() }
        #expect(try versions(six) == ["2.0.0", "3.0.0", "3.0.0"])
        let one = try Transcript(nil, .other(400), .other(400), old, old)
        for _ in 0..<2 { _ = try await one.pull() }
        #expect(try versions(one) == ["2.0.0", "3.0.0", nil, nil])
    }

    @Test func `is told by the server's own name`() async throws {
        var refusal = FullHTTPResponse.json(400, "{}")
        let name = try #require(HTTPField.Name("x-zumo-server-version"))
        refusal.head.headerFields[name] = "nodev1-1.0.1"
        let server = try Transcript(nil, refusal, old)
        _ = try await server.pull()
        #expect(try versions(server) == ["2.0.0", nil])
    }

    @Test func `is found by a read before the first write, and only then`() async throws {
        let item =
            #"{"id":"a","updatedAt":"2024-08-23T20:22:54.291Z","version":"AAB=","deleted":false}"#
        let server = try Transcript(
            nil, new, new, .json(200, item, tag: #""AAB=""#), .other(204))
        _ = try await server.send(.update, base: "AAA=", ["n": 1])
        _ = try await server.send(.delete, base: "AAB=")
        #expect(
            server.lines == [
                "GET /tables/todoitem2?$top=1&$select=id",
                "GET /tables/todoitem2?$top=1&$select=id",
                #"PUT /tables/todoitem2/a If-Match: "AAA=" {"id":"a","n":1}"#,
                #"DELETE /tables/todoitem2/a If-Match: "AAB=""#,
            ])
    }

    @Test func `is not guessed for a write when the server is busy or away`() async throws {
        for status in [429, 503, 500, 302] {
            let server = try Transcript(nil, .other(status), .other(status), .other(status))
            await #expect(throws: ReplicationError.self) { try await server.send(.insert) }
            #expect(server.lines.allSatisfy { $0.hasPrefix("GET ") }, "\(status)")
        }
    }

    @Test func `is not guessed for a write when something else answers the read`() async throws {
        let login = FullHTTPResponse.other(200, "<html>Log in</html>", type: "text/html")
        let answers: [[FullHTTPResponse]] = [
            [login], [.other(400), login], [.other(400), .json(403, "{}")],
            [versionFault, .other(400), .other(400)],
        ]
        for answers in answers {
            let transport = FakeTransport(answers)
            let backend = try AzureTablesBackend(
                url: try #require(URL(string: "http://h/tables/t")), transport: transport)
            await #expect(throws: ReplicationError.self) {
                try await backend.send(.init(kind: .insert, id: "a", baseVersion: nil))
            }
            #expect(transport.lines.count == answers.count)
            #expect(transport.lines.allSatisfy { $0.hasPrefix("GET ") })
        }
    }

    @Test func `of a table that may not be read is taken to be the usual one`() async throws {
        let server = try Transcript(
            nil, .json(403, "{}"), .json(201, #"{"id":"a","version":"1"}"#, tag: #""1""#))
        try await server.send(.insert).expect("stored", version: "1")
    }

    @Test func `stays in the token, and may change with the server`() async throws {
        let row =
            #"{"id":"a","updatedAt":"2024-08-23T20:22:54.291Z","version":"AAB=","deleted":false}"#
        let first = try Transcript(.v3, .json(200, #"{"items":[\#(row)],"count":1}"#))
        let token = try await first.pull().token
        // A new run begins with what the token says.
        let second = try Transcript(nil, .json(200, #"{"items":[\#(row)],"count":1}"#))
        let page = try await second.pull(after: token)
        #expect(try versions(second) == ["3.0.0"])
        #expect(page.items.isEmpty && page.token == token)
        // The server was replaced by an older one.
        let third = try Transcript(
            nil, versionFault, .json(200, #"{"results":[\#(row)],"count":1}"#))
        _ = try await third.pull(after: token)
        #expect(try versions(third) == ["3.0.0", "2.0.0"])
    }

    @Test func `that fits nothing leaves the first answer that is about something else to be told`()
        async throws
    {
        let other = FullHTTPResponse.json(400, #"{"message":"That is no question."}"#)
        // Once more for a page of one row: perhaps it was the size.
        let server = try Transcript(
            nil, versionFault, other, .other(400), versionFault, other, .other(400))
        await #expect {
            _ = try await server.pull()
        } throws: {
            ($0 as? ReplicationError)?.message.contains("That is no question.") ?? false
        }
    }

    @Test func `and paging, filter and window come out of the options`() async throws {
        let transport = FakeTransport([new])
        let url = try #require(URL(string: "http://h/tables/t"))
        let predicate: ODataPredicate = .field("name") == "it's"
        let backend = try AzureTablesBackend(
            ReplicationConfiguration(
                url: url,
                options: [
                    "transport": transport, "dialect": AzureTablesBackend.Dialect.v3,
                    "paging": AzureTablesBackend.Paging.skip, "filter": predicate,
                    "safetyWindowSeconds": 3, "interceptors": [Marking()] as [any HTTPInterceptor],
                ]))
        #expect(backend.filter == "name eq 'it''s'")
        _ = try await backend.pull(PullQuery(), after: nil, itemCountMax: 1, isFirstPage: true)
        let line = transport.lines[0].removingPercentEncoding
        #expect(
            line == "GET /tables/t?$filter=name eq 'it''s' and updatedAt ge "
                + "cast(1970-01-01T00:00:00.000Z,Edm.DateTimeOffset)&$orderby=updatedAt&$skip=0"
                + "&$top=1&__includedeleted=true")
        let mark = try #require(HTTPField.Name("X-Mark"))
        #expect(transport.asked[0].request.headerFields[mark] == "1")
        for value in [-1.0, 1e9] {
            #expect(throws: ReplicationError.self) {
                try AzureTablesBackend(
                    ReplicationConfiguration(url: url, options: ["safetyWindowSeconds": value]))
            }
        }
    }

    private struct Marking: HTTPInterceptor {
        func prepare(_ request: inout HTTPRequest, body: inout [UInt8]?) async throws {
            if let name = HTTPField.Name("X-Mark") { request.headerFields[name] = "1" }
        }
    }
}
