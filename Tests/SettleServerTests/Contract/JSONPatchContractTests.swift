import HTTPTypes
import Settle
import Testing

@testable import SettleServer

/// PATCH with a list of changes, which version 3 of the protocol takes.
@Suite(.serialized) struct `JSON patch contract` {
    private static let type = "application/json-patch+json"

    private static func withItem(
        _ test: @escaping @Sendable (TestServer, String) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let server = server.inVersion3
            let item = try await server.send(
                .post, "/tables/t", ["id": "a", "text": "one", "list": [1, 2], "o": ["x": 1]])
            try await test(server, try #require(item.etag))
        }
    }

    private static func patch(
        _ server: TestServer, _ patch: JSONValue, ifMatch: String? = nil
    ) async throws -> Reply {
        try await server.send(
            .patch, "/tables/t/a", patch, headers: [.contentType: type], ifMatch: ifMatch)
    }

    @Test func `all changes are made, in their order`() async throws {
        try await Self.withItem { server, etag in
            let version = JSONValue.string(String(etag.dropFirst().dropLast()))
            let reply = try await Self.patch(
                server,
                [
                    ["op": "test", "path": "/version", "value": version],
                    ["op": "add", "path": "/list/-", "value": 3],
                    ["op": "copy", "from": "/list", "path": "/o/list"],
                    ["op": "move", "from": "/text", "path": "/o/text"],
                    ["op": "replace", "path": "/o/x", "value": .null],
                    ["op": "remove", "path": "/list/0"],
                ], ifMatch: etag)
            #expect(reply.status == 200, "\(reply.error ?? "")")
            #expect(reply.json?["list"] == [2, 3])
            #expect(reply.json?["o"] == ["list": [1, 2, 3], "text": "one", "x": .null])
            #expect(reply.json?["text"] == nil)
            #expect(reply.etag != etag)
        }
    }

    @Test func `nothing but tests makes no new version`() async throws {
        try await Self.withItem { server, etag in
            for patch: JSONValue in [
                [], [["op": "test", "path": "/text", "value": "one"]],
                [["op": "replace", "path": "/deleted", "value": false]],
                [
                    ["op": "test", "path": "/list/0", "value": 1],
                    ["op": "add", "path": "/deleted", "value": false],
                ],
            ] {
                let reply = try await Self.patch(server, patch)
                #expect(reply.status == 200 && reply.etag == etag, "\(patch)")
                #expect(reply.json?["text"] == "one")
            }
            let changed = try await Self.patch(
                server, [["op": "replace", "path": "/text", "value": "two"]])
            #expect(changed.status == 200 && changed.etag != etag)
            #expect(try await server.send(.delete, "/tables/t/a").status == 204)
            let back = try await Self.patch(
                server, [["op": "replace", "path": "/deleted", "value": false]])
            #expect(back.status == 200 && back.json?["text"] == "two")
        }
    }

    @Test func `what does not fit is 409 with the item, and nothing is stored`() async throws {
        try await Self.withItem { server, etag in
            for change: JSONValue in [
                ["op": "test", "path": "/text", "value": "two"],
                ["op": "test", "path": "/nope", "value": .null],
                ["op": "remove", "path": "/nope"],
                ["op": "replace", "path": "/list/2", "value": 1],
                ["op": "add", "path": "/nope/x", "value": 1],
            ] {
                let reply = try await Self.patch(
                    server, [["op": "add", "path": "/n", "value": 1], change])
                #expect(reply.status == 409)
                #expect(reply.json?["text"] == "one" && reply.etag == etag)
            }
            let stale = try await Self.patch(
                server, [["op": "remove", "path": "/nope"]], ifMatch: "\"x\"")
            #expect(stale.status == 412)
            #expect(try await server.send(.get, "/tables/t/a").etag == etag)
        }
    }

    @Test(arguments: [
        #"{}"#, #"[1]"#, #"[{"op":"put","path":"/a","value":1}]"#, #"[{"op":"add","path":"/a"}]"#,
        #"[{"op":"add","path":"a","value":1}]"#, #"[{"op":"add","path":"/~2","value":1}]"#,
        #"[{"op":"remove"}]"#, #"[{"op":"copy","path":"/a"}]"#, #"[{"path":"/a"}]"#, #"["#,
        #"[{"op":"move","from":"/o","path":"/o/x"}]"#, #""#,
    ])
    func `a patch that is none is 400`(text: String) async throws {
        try await Self.withItem { server, etag in
            let reply = try await server.send(
                .patch, "/tables/t/a", bytes: Array(text.utf8),
                headers: [.contentType: Self.type + "; charset=utf-8"])
            #expect(reply.status == 400)
            #expect(reply.error != nil)
            #expect(try await server.send(.get, "/tables/t/a").etag == etag)
        }
    }

    @Test(arguments: [
        #"{"op":"replace","path":"/id","value":"b"}"#, #"{"op":"remove","path":"/version"}"#,
        #"{"op":"replace","path":"/updatedAt","value":"x"}"#,
        #"{"op":"replace","path":"/deleted","value":true}"#,
        #"{"op":"add","path":"/_attachments","value":{}}"#,
        #"{"op":"add","path":"/UpdatedAt","value":1}"#, #"{"op":"replace","path":"","value":{}}"#,
        #"{"op":"replace","path":"","value":1}"#, #"{"op":"remove","path":""}"#,
    ])
    func `a patch may not change the server's columns`(change: String) async throws {
        try await Self.withItem { server, etag in
            let reply = try await server.send(
                .patch, "/tables/t/a", bytes: Array("[\(change)]".utf8),
                headers: [.contentType: Self.type])
            #expect(reply.status == 400)
            #expect(try await server.send(.get, "/tables/t/a").etag == etag)
        }
    }

    @Test func `a patch of deleted brings an item back`() async throws {
        try await Self.withItem { server, _ in
            let deletion = try await server.send(.delete, "/tables/t/a")
            let change: JSONValue = ["op": "add", "path": "/n", "value": 1]
            #expect(try await Self.patch(server, [change]).status == 410)
            #expect(try await Self.patch(server, [["op": "remove", "path": "/x"]]).status == 410)
            let back = try await Self.patch(
                server, [["op": "replace", "path": "/deleted", "value": false], change],
                ifMatch: deletion.etag)
            #expect(back.status == 200)
            #expect(back.json?["deleted"] == false && back.json?["n"] == 1)
        }
    }

    @Test func `version 2 does not know patches`() async throws {
        try await Self.withItem { (server, _) async throws in
            var old = server
            old.version = .version2
            #expect(
                try await Self.patch(old, [["op": "remove", "path": "/text"]]).status == 415)
        }
    }
}
