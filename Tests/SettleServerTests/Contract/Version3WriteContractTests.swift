import HTTPTypes
import Settle
import Testing

@testable import SettleServer

/// Inserts, replacements, updates, deletions and undeletions in version 3 of the protocol.
@Suite(.serialized) struct `Version 3 write contract` {
    /// A table with the item `a`, in version 3, and its version; a second later.
    private static func withItem(
        _ test: @escaping @Sendable (TestServer, String) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let server = server.inVersion3
            let item = try await server.send(
                .post, "/tables/t", ["id": "a", "text": "one", "n": 1, "o": ["x": 1]])
            server.clock.advance(microseconds: 1_000_000)
            try await test(server, try #require(item.etag))
        }
    }

    private static let now = "Sun, 13 Sep 2020 12:26:41 GMT"

    @Test func `an insert overwrites the server's columns`() async throws {
        try await TestServer.run { server in
            let server = server.inVersion3
            let reply = try await server.send(
                .post, "/tables/t",
                [
                    "id": "a", "text": "one", "updatedAt": "2001-01-01T00:00:00Z",
                    "version": "old", "deleted": true, "UpdatedAt": 1, "VERSION": [], "Deleted": 0,
                ])
            #expect(reply.status == 201)
            #expect(reply.headers[.location] == "/tables/t/a")
            #expect(reply.headers[.lastModified] == "Sun, 13 Sep 2020 12:26:40 GMT")
            let item = try #require(reply.json?.objectValue)
            #expect(Set(item.keys) == ["id", "updatedAt", "version", "deleted", "text"])
            #expect(item["deleted"] == false && item["version"] != "old")
            #expect(item["updatedAt"] == "2020-09-13T12:26:40.000Z")
            let version = try #require(item["version"]?.stringValue)
            #expect(reply.etag == "\"\(version)\"")
        }
    }

    @Test func `an insert over an id that exists is 409 with the server's item`() async throws {
        try await Self.withItem { server, etag in
            let again = try await server.send(.post, "/tables/t", ["id": "a", "text": "dup"])
            #expect(again.status == 409)
            #expect(again.json?["text"] == "one" && again.etag == etag)
            let deletion = try await server.send(.delete, "/tables/t/a")
            let over = try await server.send(.post, "/tables/t", ["id": "a"])
            #expect(over.status == 409)
            #expect(over.json?["deleted"] == true && over.etag == deletion.etag)
        }
    }

    @Test func `a PUT replaces all members, in both versions`() async throws {
        try await Self.withItem { server, etag in
            let reply = try await server.send(
                .put, "/tables/t/a",
                ["id": "a", "text": "two", "version": "x", "deleted": true, "updatedAt": 0],
                ifMatch: etag)
            #expect(reply.status == 200)
            #expect(
                Set(try #require(reply.json?.objectValue).keys)
                    == ["id", "updatedAt", "version", "deleted", "text"])
            #expect(reply.json?["deleted"] == false)
            #expect(reply.json?["updatedAt"] == "2020-09-13T12:26:41.000Z")
            #expect(reply.headers[.lastModified] == Self.now)
            #expect(reply.etag != etag)
            var old = server
            old.version = .version2
            let second = try await old.send(.put, "/tables/t/a", ["m": 1], ifMatch: reply.etag)
            #expect(second.status == 200)
            #expect(
                Set(try #require(second.json?.objectValue).keys)
                    == ["id", "createdAt", "updatedAt", "version", "deleted", "m"])
            #expect(second.json?["createdAt"] == "2020-09-13T12:26:40.000Z")
            #expect(try await old.send(.put, "/tables/t/a", ["deleted": false]).status == 400)
            let stale = try await old.send(.put, "/tables/t/a", ["version": "x"])
            #expect(stale.status == 409)
            #expect(stale.json == second.json)
        }
    }

    @Test func `a stale, missing or other item is not replaced`() async throws {
        try await Self.withItem { server, etag in
            let current = try await server.send(.put, "/tables/t/a", ["n": 2])
            let stale = try await server.send(.put, "/tables/t/a", ["n": 3], ifMatch: etag)
            #expect(stale.status == 412)
            #expect(stale.json == current.json && stale.etag == current.etag)
            #expect(try await server.send(.put, "/tables/t/x", ["n": 3]).status == 404)
            #expect(try await server.send(.put, "/tables/nope/x", ["n": 3]).status == 404)
            #expect(try await server.send(.put, "/tables/t/a", ["id": "b"]).status == 400)
            #expect(try await server.send(.put, "/tables/t/a", ["id": 1]).status == 400)
            for value in ["W/\"x\"", "\"x\", \"y\"", "\"x"] {
                let reply = try await server.send(.put, "/tables/t/a", ["n": 3], ifMatch: value)
                #expect(reply.status == 400)
            }
            #expect(try await server.send(.get, "/tables/t/a").json == current.json)
        }
    }

    @Test func `a PUT leaves attachments that it does not mention`() async throws {
        try await Self.withItem { server, _ in
            let content = TestContent("hello")
            #expect(try await server.put(content).status == 201)
            let attached = try await server.send(
                .put, "/tables/t/a", ["_attachments": ["x.txt": content.description()]])
            #expect(attached.json?["_attachments"]?["x.txt"] == content.description())
            let kept = try await server.send(.put, "/tables/t/a", ["n": 1])
            #expect(kept.json?["_attachments"] == attached.json?["_attachments"])
            let bare = try await server.send(.put, "/tables/t/a", ["_attachments": [:]])
            #expect(bare.status == 200)
            #expect(bare.json?["_attachments"] == nil)
        }
    }

    @Test(arguments: ["updatedAt", "version", "deleted", "VERSION", "Deleted"])
    func `a PATCH may not set the server's columns`(name: String) async throws {
        try await Self.withItem { server, etag in
            for value: JSONValue in [true, "x", .null, 1] {
                let reply = try await server.send(
                    .patch, "/tables/t/a", .object([name: value, "n": 2]))
                #expect(reply.status == 400)
                #expect(reply.error?.contains("'\(name)'") == true)
            }
            #expect(try await server.send(.get, "/tables/t/a").etag == etag)
        }
    }

    @Test func `a PATCH merges`() async throws {
        try await Self.withItem { server, etag in
            let reply = try await server.send(
                .patch, "/tables/t/a", ["text": .null, "m": 2, "o": ["y": 2]], ifMatch: etag)
            #expect(reply.status == 200)
            #expect(reply.json?["text"] == .null && reply.json?["n"] == 1)
            #expect(reply.json?["o"] == ["y": 2] && reply.json?["m"] == 2)
            let empty = try await server.send(.patch, "/tables/t/a", [:])
            #expect(empty.status == 200 && empty.etag == reply.etag)
            let live = try await server.send(.patch, "/tables/t/a", ["deleted": false])
            #expect(live.status == 200 && live.etag == reply.etag)
            let stale = try await server.send(.patch, "/tables/t/a", ["n": 3], ifMatch: etag)
            #expect(stale.status == 412 && stale.json == reply.json)
            #expect(try await server.send(.patch, "/tables/t/x", ["n": 3]).status == 404)
        }
    }

    @Test func `what is deleted is 410`() async throws {
        try await Self.withItem { server, etag in
            let deletion = try await server.send(.delete, "/tables/t/a", ifMatch: etag)
            #expect(deletion.status == 204)
            #expect(deletion.headers[.lastModified] == Self.now)
            for version in [nil, etag, deletion.etag, "*"] {
                for reply in [
                    try await server.send(.delete, "/tables/t/a", ifMatch: version),
                    try await server.send(.patch, "/tables/t/a", ["n": 2], ifMatch: version),
                    try await server.send(.put, "/tables/t/a", ["n": 2], ifMatch: version),
                    try await server.send(
                        .put, "/tables/t/a", ["n": 2, "deleted": false], ifMatch: version),
                    try await server.send(
                        .put, "/tables/t/a?__includedeleted=true", ["n": 2, "deleted": true],
                        ifMatch: version),
                ] {
                    #expect(reply.status == 410)
                    #expect(reply.headers[.contentType] == "application/problem+json")
                    #expect(reply.json?["id"] == nil)
                }
            }
        }
    }

    @Test func `a PATCH of deleted to false brings an item back`() async throws {
        try await Self.withItem { server, etag in
            let deletion = try await server.send(.delete, "/tables/t/a")
            let stale = try await server.send(
                .patch, "/tables/t/a", ["deleted": false], ifMatch: etag)
            #expect(stale.status == 412)
            #expect(stale.json?["deleted"] == true && stale.etag == deletion.etag)
            let back = try await server.send(
                .patch, "/tables/t/a", ["deleted": false], ifMatch: deletion.etag)
            #expect(back.status == 200)
            #expect(back.json?["deleted"] == false && back.json?["text"] == "one")
            #expect(back.etag != deletion.etag)
            _ = try await server.send(.delete, "/tables/t/a")
            let changed = try await server.send(
                .patch, "/tables/t/a", ["deleted": false, "text": "two"])
            #expect(changed.json?["deleted"] == false && changed.json?["text"] == "two")
        }
    }

    @Test(arguments: ["?__includedeleted=true", "?__INCLUDEDELETED=true", ""])
    func `a PUT with the flag brings an item back, replaced`(query: String) async throws {
        try await Self.withItem { server, etag in
            let deletion = try await server.send(.delete, "/tables/t/a")
            var headers: HTTPFields = [:]
            if query.isEmpty { headers[.zumoOptions] = "include:deleted" }
            let path = "/tables/t/a" + query
            let stale = try await server.send(
                .put, path, ["m": 1, "deleted": false], headers: headers, ifMatch: etag)
            #expect(stale.status == 412)
            let back = try await server.send(
                .put, path, ["m": 1, "deleted": false], headers: headers, ifMatch: deletion.etag)
            #expect(back.status == 200)
            #expect(back.json?["deleted"] == false && back.json?["m"] == 1)
            #expect(back.json?["text"] == nil)
        }
    }

    @Test func `a POST to an item brings it back here, too`() async throws {
        try await Self.withItem { server, _ in
            _ = try await server.send(.delete, "/tables/t/a")
            let back = try await server.send(.post, "/tables/t/a")
            #expect(back.status == 200)
            #expect(back.json?["deleted"] == false)
        }
    }

    @Test func `a write that must not come late says since when`() async throws {
        try await Self.withItem { server, _ in
            let since = HTTPField.Name.ifUnmodifiedSince
            let before = "Sun, 13 Sep 2020 12:26:39 GMT"
            for (method, body) in [
                (HTTPRequest.Method.patch, ["n": 2] as JSONValue?), (.put, ["n": 2]),
                (.delete, nil),
            ] {
                let late = try await server.send(
                    method, "/tables/t/a", body, headers: [since: before])
                #expect(late.status == 412)
                #expect(late.json?["text"] == "one")
            }
            let at = "Sun, 13 Sep 2020 12:26:40 GMT"
            let reply = try await server.send(
                .patch, "/tables/t/a", ["n": 2], headers: [since: at])
            #expect(reply.status == 200)
            #expect(
                try await server.send(.delete, "/tables/t/a", headers: [since: at]).status == 412)
            #expect(
                try await server.send(.delete, "/tables/t/a", headers: [since: Self.now]).status
                    == 204)
        }
    }

    @Test func `an item may not have the id changes, in any version`() async throws {
        try await TestServer.run { (server) async throws in
            for version in ProtocolVersion.all {
                var server = server
                server.version = version
                let reply = try await server.send(.post, "/tables/t", ["id": "changes"])
                #expect(reply.status == 400)
                #expect(reply.error?.contains("id") == true)
                for path in ["/tables/t/changes", "/tables/t/%63hanges"] {
                    let update = try await server.send(.patch, path, ["n": 1])
                    #expect(update.status == 405)
                    #expect(update.headers[.allow] == "GET")
                }
                #expect(try await server.send(.get, "/tables/t").ids == [])
            }
        }
    }

    @Test func `both versions see the same items and versions`() async throws {
        try await Self.withItem { server, etag in
            var old = server
            old.version = .version2
            #expect(try await old.send(.get, "/tables/t/a").etag == etag)
            let update = try await old.send(.patch, "/tables/t/a", ["n": 2], ifMatch: etag)
            let stale = try await server.send(.put, "/tables/t/a", ["n": 3], ifMatch: etag)
            #expect(stale.status == 412)
            #expect(stale.etag == update.etag)
            #expect(stale.json?["createdAt"] == nil)
            _ = try await server.send(.delete, "/tables/t/a", ifMatch: update.etag)
            let missing = try await old.send(.patch, "/tables/t/a", ["n": 3])
            #expect(missing.status == 409)
            #expect(missing.json?["deleted"] == true)
        }
    }
}
