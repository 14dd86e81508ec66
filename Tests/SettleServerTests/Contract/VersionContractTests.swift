import HTTPTypes
import Settle
import Testing

@testable import SettleServer

/// Versions, bodies and routes, after the transcripts of the original server (B2).
@Suite(.serialized) struct `Version, body and route contract` {
    @Test(arguments: ["1.0.0", "4.0.0", "3.1.0", "2.1.0", "2.0.", "3.0.x", "2.0.0.0", "", "2.0"])
    func `a wrong version is refused in JSON`(version: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.raw(
                .get, "/tables/todoitem", headers: [.zumoVersion: version])
            #expect(reply.status == 400)
            #expect(reply.error?.contains("ZUMO-API-VERSION: 2.0.0 or 3.0.0") == true)
        }
    }

    @Test func `no version is refused and nothing is stored`() async throws {
        try await TestServer.run { server in
            let reply = try await server.raw(
                .post, "/tables/todoitem", bytes: Array(#"{"id":"nohdr"}"#.utf8))
            #expect(reply.status == 400)
            #expect(try await server.send(.get, "/tables/todoitem").ids == [])
        }
    }

    @Test func `a whole number outside 64 bits is taken where that loses nothing`() async throws {
        try await TestServer.run { server in
            func post(_ id: String, _ number: String) async throws -> Reply {
                try await server.send(
                    .post, "/tables/todoitem",
                    bytes: Array(#"{"id":"\#(id)","n":[\#(number)]}"#.utf8))
            }
            // As JavaScript writes 1e20 and 2^63.
            #expect(try await post("a", "100000000000000000000").status == 201)
            #expect(try await post("b", "9223372036854775808").status == 201)
            let refused = try await post("c", "12345678901234567890")
            #expect(refused.status == 400)
            #expect(refused.error?.contains("quotes") == true)
            let read = try await server.send(.get, "/tables/todoitem/a")
            #expect(read.json?["n"] == [1e20])
            let ids = try await server.send(.get, "/tables/todoitem").ids
            #expect(ids?.sorted() == ["a", "b"])
        }
    }

    @Test(arguments: ["zumo-api-version=2.0.0", "ZUMO-API-VERSION=2.0.17"])
    func `the version may be in the query in any case`(query: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.raw(.get, "/tables/todoitem?\(query)")
            #expect(reply.status == 200)
            #expect(reply.bytes == Array("[]".utf8))
        }
    }

    @Test func `a table that does not exist has no items, unlike the original's 404`()
        async throws
    {
        try await TestServer.run { server in
            #expect(try await server.send(.get, "/tables/nope").json == [])
            let counted = try await server.list("nope", [("$inlinecount", "allpages")])
            #expect(counted.json == ["results": [], "count": 0])
            #expect(try await server.send(.get, "/tables/nope/x").status == 404)
            #expect(try await server.send(.patch, "/tables/nope/x", [:]).status == 404)
            #expect(try await server.send(.delete, "/tables/nope/x").status == 404)
            #expect(try await server.send(.post, "/tables/nope/x").status == 404)
        }
    }

    @Test(arguments: [
        ("TRACE", "/tables/t/x", "GET, HEAD, PUT, PATCH, POST, DELETE"),
        ("PUT", "/tables/t", "GET, HEAD, POST"), ("DELETE", "/tables/t", "GET, HEAD, POST"),
        ("PATCH", "/tables/t/", "GET, HEAD, POST"), ("POST", "/healthz", "GET, HEAD"),
    ])
    func `a method that does not fit is 405 with Allow`(
        method: String, path: String, allowed: String
    ) async throws {
        try await TestServer.run { server in
            let reply = try await server.send(
                try #require(HTTPRequest.Method(rawValue: method)), path, ["text": "y"])
            #expect(reply.status == 405)
            #expect(reply.headers[.allow] == allowed)
            #expect(reply.error != nil)
        }
    }

    @Test(arguments: ["/", "/table/x", "/tables", "/tables/t/x/y", "/healthz/x", "/%74ables/t"])
    func `an unknown path is 404 in JSON, not HTML`(path: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.send(.get, path)
            #expect(reply.status == 404)
            #expect(reply.error != nil)
            #expect(reply.headers[.contentType] == "application/problem+json")
        }
    }

    @Test func `health needs no version and no token`() async throws {
        let authentication = Authentication.jwt(secret: String(repeating: "s", count: 32))
        try await TestServer.run(authentication: authentication) { server in
            let reply = try await server.raw(.get, "/healthz")
            #expect(reply.status == 200)
            #expect(reply.json == ["status": "ok"])
        }
    }

    @Test func `an item without an id gets one`() async throws {
        try await TestServer.run { server in
            let reply = try await server.send(.post, "/tables/t", ["text": "no id", "id": .null])
            let id = try #require(reply.json?["id"]?.stringValue)
            #expect(reply.status == 201)
            #expect(id.utf8.count == 36)
            #expect(reply.headers[.location] == "/tables/t/\(id)")
            #expect(try await server.send(.get, "/tables/t/\(id)").status == 200)
        }
    }

    @Test func `a body that is too long is 413, unlike the original's 400`() async throws {
        try await TestServer.run(bodyMaxBytes: 1000) { server in
            let long = String(repeating: "a", count: 990)
            let reply = try await server.send(.post, "/tables/t", ["text": .string(long)])
            #expect(reply.status == 413)
            #expect(reply.error?.contains("1000 bytes") == true)
            let fits = String(repeating: "a", count: 980)
            #expect(
                try await server.send(.post, "/tables/t", ["text": .string(fits)]).status == 201)
        }
    }

    @Test(arguments: ["[]", "[{\"id\":\"x\"}]", "1", "null", "\"x\"", "", " "])
    func `a body that is no object is 400, unlike the original's 500`(body: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.send(.post, "/tables/t", bytes: Array(body.utf8))
            #expect(reply.status == 400)
            #expect(reply.error != nil)
            #expect(try await server.send(.get, "/tables/t").ids == [])
        }
    }

    @Test func `malformed JSON is 400 with line and column`() async throws {
        try await TestServer.run { server in
            let reply = try await server.send(
                .post, "/tables/t", bytes: Array("{\"id\":\"z\",\n  \"a\" 1}".utf8))
            #expect(reply.status == 400)
            #expect(reply.error?.contains("line 2, column 7") == true, "\(reply.error ?? "")")
        }
    }

    @Test func `another type than JSON is 415, and no type too`() async throws {
        try await TestServer.run { server in
            let text = try await server.send(
                .post, "/tables/t", ["id": "a"], headers: [.contentType: "text/plain"])
            #expect(text.status == 415)
            for (method, path) in [
                (HTTPRequest.Method.post, "/tables/t"), (.put, "/tables/t/a"),
                (.patch, "/tables/t/a"), (.post, "/tables/t/operations/batch"),
            ] {
                let none = try await server.raw(
                    method, path, bytes: Array("{}".utf8), headers: [.zumoVersion: "2.0.0"])
                #expect(none.status == 415, "\(method) \(path)")
                let patch = try await server.send(
                    method, path, ["a": 1],
                    headers: [.contentType: "application/json-patch+json"])
                #expect(patch.status == 415, "\(method) \(path)")
            }
            for type in ["application/json", "Application/JSON; charset=utf-8", "a/b+json"] {
                let reply = try await server.send(
                    .post, "/tables/t", ["a": 1], headers: [.contentType: type])
                #expect(reply.status == 201)
            }
        }
    }

    @Test func `HEAD answers like GET without the body`() async throws {
        try await TestServer.run { server in
            let item = try await server.send(.post, "/tables/t", ["id": "a"])
            let head = try await server.send(.head, "/tables/t/a")
            #expect(head.status == 200)
            #expect(head.etag == item.etag)
            #expect(head.bytes == [])
        }
    }

    @Test func `tables whose names differ in case are different tables`() async throws {
        try await TestServer.run { server in
            for name in ["todo", "Todo", "TODO", "todO", "_todo", "todo_1"] {
                let reply = try await server.send(
                    .post, "/tables/\(name)", ["id": .string("x" + name)])
                #expect(reply.status == 201)
            }
            for name in ["todo", "Todo", "TODO", "todO", "_todo", "todo_1"] {
                #expect(try await server.send(.get, "/tables/\(name)").ids == ["x" + name])
            }
        }
    }

    @Test func `there are not more tables than the configuration allows`() async throws {
        try await TestServer.run(tableCountMax: 2) { (server) async throws in
            #expect(try await server.send(.post, "/tables/a", ["id": "x"]).status == 201)
            #expect(try await server.send(.post, "/tables/b", ["id": "x"]).status == 201)
            #expect(try await server.send(.post, "/tables/c", ["id": "x"]).status == 403)
            #expect(try await server.send(.post, "/tables/b", ["id": "y"]).status == 201)
            #expect(try await server.send(.get, "/tables/c").json == [])
        }
    }
}
