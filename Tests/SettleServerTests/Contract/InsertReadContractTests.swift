import HTTPTypes
import Settle
import Testing

@testable import SettleServer
import SettleTableProtocol

/// Insert and read, after the transcripts of the original server (B3).
@Suite(.serialized) struct `Insert and read contract` {
    @Test func `an insert answers 201 with all system columns and the version as ETag`()
        async throws
    {
        try await TestServer.run { server in
            let reply = try await server.send(
                .post, "/tables/t", ["id": "a", "text": "one", "n": 1, "flag": true])
            #expect(reply.status == 201)
            let item = try #require(reply.json?.objectValue)
            #expect(
                Set(item.keys) == [
                    "id", "createdAt", "updatedAt", "version", "deleted", "text", "n", "flag",
                ])
            #expect(item["deleted"] == false)
            #expect(item["createdAt"] == item["updatedAt"])
            #expect(item["createdAt"] == "2020-09-13T12:26:40.000Z")
            let version = try #require(item["version"]?.stringValue)
            #expect(reply.etag == "\"\(version)\"")
            #expect(try await server.send(.get, "/tables/t/a").json == reply.json)
        }
    }

    @Test func `an id that exists is 409 with the server's item, unlike the original's echo`()
        async throws
    {
        try await TestServer.run { server in
            let first = try await server.send(.post, "/tables/t", ["id": "a", "text": "one"])
            let again = try await server.send(.post, "/tables/t", ["id": "a", "text": "dup"])
            #expect(again.status == 409)
            #expect(again.json == first.json)
            #expect(again.etag == first.etag)
            let deletion = try await server.send(.delete, "/tables/t/a")
            let over = try await server.send(.post, "/tables/t", ["id": "a", "text": "again"])
            #expect(over.status == 409)
            #expect(over.json?["deleted"] == true)
            #expect(over.json?["text"] == "one")
            #expect(over.etag == deletion.etag)
        }
    }

    @Test func `a version in an insert is not stored, unlike the original`() async throws {
        try await TestServer.run { server in
            let reply = try await server.send(
                .post, "/tables/t", ["id": "v", "version": "Zm9v"])
            #expect(reply.status == 201)
            #expect(reply.json?["version"] != "Zm9v")
        }
    }

    @Test(arguments: ["createdAt", "updatedAt", "deleted", "CREATEDAT", "Deleted"])
    func `a reserved member in a body is 400`(name: String) async throws {
        try await TestServer.run { server in
            _ = try await server.send(.post, "/tables/t", ["id": "a"])
            let insert = try await server.send(
                .post, "/tables/t", .object(["id": "b", name: false]))
            let update = try await server.send(
                .patch, "/tables/t/a", .object([name: "2020-01-01T00:00:00.000Z"]))
            #expect([insert.status, update.status] == [400, 400])
            #expect(insert.error?.contains("'\(name)'") == true)
            #expect(try await server.send(.get, "/tables/t").ids == ["a"])
        }
    }

    @Test func `values come back exactly, nested ones and 64-bit integers too`() async throws {
        try await TestServer.run { server in
            let members: JSONValue = [
                "id": "n", "tags": ["x", 1, .null, ["y": [1.5]]], "it-em": 1,
                "big": 9_007_199_254_740_993, "min": .integer(.min), "max": .integer(.max),
                "neg": -0.5, "one": 1.0, "nul": .null, "d": "2021-02-03T04:05:06.789Z",
                "text": "it's \"q\" \u{E9} \u{65E5}\u{672C} \u{1F600} \u{0}",
            ]
            #expect(try await server.send(.post, "/tables/t", members).status == 201)
            let item = try #require(try await server.send(.get, "/tables/t/n").json)
            for (name, value) in try #require(members.objectValue) {
                #expect(item[name] == value, "\(name)")
            }
        }
    }

    @Test(arguments: ["a/b c", "x%y", "?", "#", "+", "\u{E9}\u{1F600}", "a\"b\\c`", "...", "-_"])
    func `an odd id travels percent-encoded`(id: String) async throws {
        try await TestServer.run { server in
            let insert = try await server.send(.post, "/tables/t", ["id": .string(id)])
            #expect(insert.status == 201)
            let path = try #require(insert.headers[.location])
            #expect(path == "/tables/t/" + PercentEncoding.encoded(id))
            #expect(try await server.send(.get, path).json?["id"] == .string(id))
            #expect(try await server.send(.patch, path, ["a": 1]).status == 200)
            #expect(try await server.send(.delete, path).status == 204)
        }
    }

    @Test(arguments: [
        "", "_x", ".", "..", "a\u{0}b", "a\nb", "\u{7F}", String(repeating: "a", count: 256),
    ])
    func `an id that cannot be used is 400`(id: String) async throws {
        try await TestServer.run { (server) async throws in
            #expect(
                try await server.send(.post, "/tables/t", ["id": .string(id)]).status == 400)
            guard !id.isEmpty else { return }
            let path = "/tables/t/" + PercentEncoding.encoded(id)
            #expect(try await server.send(.get, path).status == 400)
        }
    }

    @Test func `the longest id works`() async throws {
        try await TestServer.run { (server) async throws in
            let id = String(repeating: "a", count: 255)
            #expect(
                try await server.send(.post, "/tables/t", ["id": .string(id)]).status == 201)
            #expect(try await server.send(.get, "/tables/t/\(id)").status == 200)
        }
    }

    @Test func `a reader who has the version gets 304, unlike the original's 200`() async throws {
        try await TestServer.run { server in
            let item = try await server.send(.post, "/tables/t", ["id": "a"])
            let etag = try #require(item.etag)
            for value in [etag, "W/\(etag)", "\"x\", \(etag)", "*"] {
                let reply = try await server.send(
                    .get, "/tables/t/a", headers: [.ifNoneMatch: value])
                #expect(reply.status == 304)
                #expect(reply.bytes == [])
                #expect(reply.etag == etag)
            }
            for value in ["\"x\"", "\"\"", "\"", "x y"] {
                let reply = try await server.send(
                    .get, "/tables/t/a", headers: [.ifNoneMatch: value])
                #expect(reply.status == 200)
            }
        }
    }

    @Test func `select, count, and unknown members`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.post, "/tables/t", ["id": "a", "text": "one"])
            _ = try await server.send(.post, "/tables/t", ["id": "b", "text": "two"])
            let reply = try await server.list(
                "t",
                [
                    ("$filter", "(text eq 'one')"), ("$select", "id, text,nothing"),
                    ("$inlinecount", "allpages"),
                ])
            #expect(
                reply.json == ["results": [["id": "a", "text": "one"]], "count": 1])
            let unknown = try await server.list("t", [("$filter", "nosuchcolumn eq 1")])
            #expect(unknown.json == [])
            let none = try await server.list(
                "t", [("$top", "0"), ("$inlinecount", "allpages")])
            #expect(none.json == ["results": [], "count": 2])
            #expect(none.headers[.link] == nil)
        }
    }

    @Test(arguments: [
        ("$filter", "text eq", "character 8"), ("$top", "1001", "1000"), ("$top", "-1", "$top"),
        ("$skip", "x", "$skip"), ("$orderby", "a b", "character 3"), ("$select", "a/b", "$select"),
        ("$inlinecount", "yes", "$inlinecount"), ("$count", "true", "$count"),
        ("$skiptoken", "zzz", "$skiptoken"), ("$top", "99999999999999999999", "$top"),
    ])
    func `a bad option is 400 and says which`(
        option: String, value: String, hint: String
    ) async throws {
        try await TestServer.run { server in
            let reply = try await server.list("t", [(option, value)])
            #expect(reply.status == 400)
            #expect(reply.error?.contains(hint) == true, "\(reply.error ?? "")")
        }
    }
}
