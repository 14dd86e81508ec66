import HTTPTypes
import Settle
import Testing

@testable import SettleServer
import SettleTableProtocol

/// Reading in version 3 of the protocol.
@Suite(.serialized) struct `Version 3 read contract` {
    /// A table with the item `a`, in version 3, and its version.
    private static func withItem(
        _ test: @escaping @Sendable (TestServer, String) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let server = server.inVersion3
            server.clock.advance(microseconds: 123_456)
            let item = try await server.send(.post, "/tables/t", ["id": "a", "text": "one"])
            try await test(server, try #require(item.etag))
        }
    }

    @Test(arguments: ["3.0.0", "3.0.1", " 3.0.12 "])
    func `the version is named in the header or the query`(version: String) async throws {
        try await TestServer.run { server in
            for reply in [
                try await server.raw(.get, "/tables/t", headers: [.zumoVersion: version]),
                try await server.raw(
                    .get,
                    "/tables/t?Zumo-Api-Version="
                        + PercentEncoding.encoded(version)),
            ] {
                #expect(reply.status == 200)
                #expect(reply.json == ["items": [], "count": .null, "nextLink": .null])
            }
        }
    }

    @Test func `an item has the system columns of version 3, and a createdAt of its own`()
        async throws
    {
        try await Self.withItem { server, _ in
            let reply = try await server.send(.get, "/tables/t/a")
            #expect(
                Set(try #require(reply.json?.objectValue).keys)
                    == ["id", "updatedAt", "version", "deleted", "text"])
            let own = try await server.send(
                .post, "/tables/t", ["id": "b", "createdAt": "long ago"])
            #expect(own.json?["createdAt"] == "long ago")
            var old = server
            old.version = .version2
            let seen = try await old.send(.get, "/tables/t/b")
            #expect(seen.json?["createdAt"] == seen.json?["updatedAt"])
        }
    }

    @Test func `an item comes with its version and its time as headers`() async throws {
        try await Self.withItem { server, etag in
            let reply = try await server.send(.get, "/tables/t/a")
            #expect(reply.etag == etag)
            #expect(reply.headers[.lastModified] == "Sun, 13 Sep 2020 12:26:40 GMT")
            #expect(reply.json?["updatedAt"] == "2020-09-13T12:26:40.123456Z")
            var old = server
            old.version = .version2
            #expect(try await old.send(.get, "/tables/t/a").headers[.lastModified] == nil)
        }
    }

    @Test(arguments: [
        ("If-None-Match", "E", 304), ("If-None-Match", "W/E", 304), ("If-None-Match", "*", 304),
        ("If-None-Match", "\"x\"", 200), ("If-Match", "E", 200), ("If-Match", "*", 200),
        ("If-Match", "\"x\"", 412), ("If-Match", "W/E", 400), ("If-Match", "E, \"x\"", 400),
        ("If-Modified-Since", "Sun, 13 Sep 2020 12:26:40 GMT", 304),
        ("If-Modified-Since", "Sun, 13 Sep 2020 12:26:41 GMT", 304),
        ("If-Modified-Since", "Sun, 13 Sep 2020 12:26:39 GMT", 200),
        ("If-Modified-Since", "Mon, 13 Sep 2020 12:26:41 GMT", 200),
        ("If-Modified-Since", "yesterday", 200),
        ("If-Unmodified-Since", "Sun, 13 Sep 2020 12:26:40 GMT", 200),
        ("If-Unmodified-Since", "Sun, 13 Sep 2020 12:26:39 GMT", 412),
        ("If-Unmodified-Since", "2020-09-13T12:26:39Z", 200),
    ])
    func `a reader's conditions decide`(name: String, value: String, status: Int) async throws {
        try await Self.withItem { server, etag in
            let field = try #require(HTTPField.Name(name))
            let value = value.split(separator: "E", omittingEmptySubsequences: false)
                .joined(separator: name.hasSuffix("Match") ? etag : "E")
            let reply = try await server.send(.get, "/tables/t/a", headers: [field: value])
            #expect(reply.status == status)
            switch status {
            case 304: #expect(reply.bytes == [] && reply.etag == etag)
            case 412: #expect(reply.json?["id"] == "a" && reply.etag == etag)
            default: break
            }
            let isMatch = name == "If-None-Match" && status == 304
            var old = server
            old.version = .version2
            let seen = try await old.send(.get, "/tables/t/a", headers: [field: value])
            #expect(seen.status == (isMatch ? 304 : 200), "version 2 knows If-None-Match alone")
        }
    }

    @Test func `versions count before dates`() async throws {
        try await Self.withItem { (server, etag) async throws in
            let late = "Sun, 13 Sep 2020 12:26:41 GMT"
            let early = "Sun, 13 Sep 2020 12:26:39 GMT"
            #expect(
                try await server.send(
                    .get, "/tables/t/a",
                    headers: [.ifNoneMatch: "\"x\"", .ifModifiedSince: late]
                ).status == 200)
            #expect(
                try await server.send(
                    .get, "/tables/t/a", headers: [.ifMatch: etag, .ifUnmodifiedSince: early]
                ).status == 200)
        }
    }

    @Test func `a deleted item is 410, and there with the flag in any case or the option`()
        async throws
    {
        try await Self.withItem { server, _ in
            let deletion = try await server.send(.delete, "/tables/t/a")
            #expect(deletion.status == 204)
            let gone = try await server.send(.get, "/tables/t/a")
            #expect(gone.status == 410)
            #expect(gone.error != nil)
            #expect(try await server.send(.get, "/tables/t/x").status == 404)
            #expect(try await server.send(.get, "/tables/t").ids == [])
            for (query, option) in [
                ("__includedeleted=true", nil), ("__INCLUDEDELETED=TRUE", nil),
                ("", "include:deleted"), ("", "nextLink=path, Include: Deleted"),
            ] {
                var headers: HTTPFields = [:]
                headers[.zumoOptions] = option
                let item = try await server.send(.get, "/tables/t/a?\(query)", headers: headers)
                #expect(item.status == 200)
                #expect(item.json?["deleted"] == true)
                #expect(item.etag == deletion.etag)
                let list = try await server.send(.get, "/tables/t?\(query)", headers: headers)
                #expect(list.ids == ["a"])
            }
            var old = server
            old.version = .version2
            let list = try await old.send(
                .get, "/tables/t", headers: [.zumoOptions: "include:deleted"])
            #expect(list.ids == [])
        }
    }
}
