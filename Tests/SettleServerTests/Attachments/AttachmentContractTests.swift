import HTTPTypes
import Settle
import Testing

@testable import SettleServer
import SettleTableProtocol

/// What items say of their attachments, and how contents come and go.
@Suite(.serialized) struct `Attachment contract` {
    private static let photo = TestContent("a photo")
    private static let note = TestContent("a note")

    /// A table with the item `a`, to which the photo is attached.
    private static func withItem(
        _ test: @escaping @Sendable (TestServer, Reply) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            #expect(try await server.put(photo).status == 201)
            let item = try await server.send(
                .post, "/tables/t",
                ["id": "a", "_attachments": ["p.jpg": photo.description("image/jpeg")]])
            try await test(server, item)
        }
    }

    @Test func `content that was uploaded is attached and read`() async throws {
        try await Self.withItem { server, item in
            #expect(item.status == 201)
            let column: JSONValue = ["p.jpg": Self.photo.description("image/jpeg")]
            #expect(item.json?["_attachments"] == column)
            #expect(try await server.send(.get, "/tables/t/a").json == item.json)
            let list = try await server.list("t", [("$select", "id,_attachments")])
            #expect(list.json == [["id": "a", "_attachments": column]])
            let content = try await server.get("a/attachments/p.jpg")
            #expect(content.status == 200)
            #expect(content.bytes == Self.photo.bytes)
            #expect(content.headers[.contentType] == "image/jpeg")
            #expect(content.headers[.contentLength] == "7")
            #expect(content.headers[.eTag] == "\"\(Self.photo.digest)\"")
            #expect(content.headers[.acceptRanges] == "bytes")
            #expect(content.headers[.xContentTypeOptions] == "nosniff")
        }
    }

    @Test func `an upload that was there is 200, and one under the wrong digest leaves nothing`()
        async throws
    {
        try await TestServer.run { server in
            let first = try await server.put(Self.photo)
            #expect(first.status == 201)
            #expect(first.etag == "\"\(Self.photo.digest)\"")
            #expect(try await server.put(Self.photo).status == 200)
            #expect(try await server.head(Self.photo) == 200)
            for (path, found) in [(Self.note, Self.photo), (Self.photo, Self.note)] {
                let reply = try await server.send(
                    .put, "/tables/t/attachments/\(path.digest)", bytes: found.bytes)
                #expect(reply.status == 422)
                #expect(reply.error?.contains("SHA-256") == true)
            }
            #expect(try await server.head(Self.note) == 404)
            #expect(try await server.head(Self.photo) == 200)
            #expect(try await server.send(.get, "/tables/t").json == [])
        }
    }

    @Test func `a digest that the server does not have is 422 and nothing is stored`()
        async throws
    {
        try await Self.withItem { server, item in
            let unknown: JSONValue = [
                "p.jpg": Self.photo.description(), "n.txt": Self.note.description(),
            ]
            for reply in [
                try await server.send(.post, "/tables/t", ["id": "b", "_attachments": unknown]),
                try await server.send(.post, "/tables/new", ["_attachments": unknown]),
                try await server.send(
                    .patch, "/tables/t/a", ["text": "x", "_attachments": unknown]),
            ] {
                #expect(reply.status == 422)
                #expect(reply.error?.contains("'n.txt'") == true)
            }
            #expect(try await server.send(.get, "/tables/t").json == [item.json ?? .null])
            #expect(try await server.send(.get, "/tables/new").json == [])
            var wrong = Self.photo.description().objectValue ?? [:]
            wrong["length"] = 8
            let reply = try await server.send(
                .patch, "/tables/t/a", ["_attachments": ["p.jpg": .object(wrong)]])
            #expect(reply.status == 422)
            #expect(reply.error?.contains("length") == true)
        }
    }

    @Test func `a patch replaces the whole column, and one without it leaves it`() async throws {
        try await Self.withItem { server, item in
            let column = item.json?["_attachments"]
            let other = try await server.send(.patch, "/tables/t/a", ["text": "x"])
            #expect(other.json?["_attachments"] == column)
            #expect(try await server.put(Self.note).status == 201)
            let replaced = try await server.send(
                .patch, "/tables/t/a", ["_attachments": ["n.txt": Self.note.description()]])
            #expect(replaced.status == 200)
            #expect(replaced.json?["_attachments"] == ["n.txt": Self.note.description()])
            #expect(replaced.json?["text"] == "x")
            #expect(replaced.etag != other.etag)
            #expect(try await server.get("a/attachments/p.jpg").status == 404)
            #expect(try await server.get("a/attachments/n.txt").bytes == Self.note.bytes)
            let renamed = try await server.send(
                .patch, "/tables/t/a", ["_attachments": ["m.txt": Self.note.description("a/b")]])
            #expect(renamed.json?["_attachments"]?["m.txt"]?["content_type"] == "a/b")
            for none: JSONValue in [[:], .null] {
                let dropped = try await server.send(
                    .patch, "/tables/t/a", ["_attachments": none])
                #expect(dropped.status == 200)
                #expect(dropped.json?["_attachments"] == nil)
            }
        }
    }

    @Test func `conflicts and pulls show the attachments, and a deletion keeps them`()
        async throws
    {
        try await Self.withItem { server, item in
            let column = item.json?["_attachments"]
            let second = try await server.send(.post, "/tables/t", ["id": "a"])
            #expect(second.status == 409)
            #expect(second.json?["_attachments"] == column)
            let stale = try await server.send(
                .patch, "/tables/t/a", ["_attachments": [:]], ifMatch: "\"old\"")
            #expect(stale.status == 412)
            #expect(stale.json?["_attachments"] == column)
            #expect(try await server.send(.delete, "/tables/t/a").status == 204)
            #expect(try await server.get("a/attachments/p.jpg").status == 404)
            let deleted = try await server.get("a/attachments/p.jpg?__includeDeleted=true")
            #expect(deleted.bytes == Self.photo.bytes)
            let pull = try await server.list(
                "t", [("$orderby", "updatedAt"), ("__includeDeleted", "true")])
            #expect(pull.json?[0]?["_attachments"] == column)
            let back = try await server.send(.post, "/tables/t/a")
            #expect(back.json?["_attachments"] == column)
            #expect(try await server.get("a/attachments/p.jpg").bytes == Self.photo.bytes)
        }
    }

    @Test func `content is attached again without an upload while an item has it`() async throws {
        try await Self.withItem { server, _ in
            let copy: JSONValue = ["copy.jpg": Self.photo.description()]
            let other = try await server.send(
                .post, "/tables/t", ["id": "b", "_attachments": copy])
            #expect(other.status == 201)
            _ = try await server.send(.patch, "/tables/t/a", ["_attachments": [:]])
            #expect(try await server.get("b/attachments/copy.jpg").bytes == Self.photo.bytes)
            #expect(try await server.head(Self.photo) == 200)
            _ = try await server.send(.patch, "/tables/t/b", ["_attachments": [:]])
            #expect(try await server.head(Self.photo) == 404)
            let late = try await server.send(
                .post, "/tables/t", ["id": "c", "_attachments": copy])
            #expect(late.status == 422)
        }
    }

    @Test func `content that no item takes goes after a day, and content that one took stays`()
        async throws
    {
        try await Self.withItem { server, _ in
            #expect(try await server.put(Self.note).status == 201)
            server.clock.advance(microseconds: 86_399_000_000)
            #expect(try await server.head(Self.note) == 200)
            server.clock.advance(microseconds: 1_000_000)
            #expect(try await server.head(Self.note) == 404)
            server.clock.advance(microseconds: 600_000_000)
            #expect(try await server.put(TestContent("third")).status == 201)
            let attached = try await server.send(
                .patch, "/tables/t/a", ["_attachments": ["n": Self.note.description()]])
            #expect(attached.status == 422)
            #expect(try await server.get("a/attachments/p.jpg").bytes == Self.photo.bytes)
        }
    }

    @Test(
        arguments: [
            ("text", "'_attachments' must be an object"),
            (["a": 1], "its description must be an object"),
            (["a": ["length": 1, "digest": "x"]], "'content_type'"),
            (["a": ["content_type": "a/b", "digest": "x"]], "'length'"),
            (["a": ["content_type": "a/b", "length": -1, "digest": "x"]], "'length'"),
            (["a": ["content_type": "a/b", "length": 1.5, "digest": "x"]], "'length'"),
            (["a": ["content_type": "a/b", "length": 1]], "'digest'"),
            (
                [
                    "a": [
                        "content_type": "a/b", "length": 1,
                        "digest": .string(String(repeating: "A", count: 64)),
                    ]
                ], "'digest'"
            ),
            (["": [:]], "name of an attachment"),
            (["..": [:]], "name of an attachment"),
            (["a\n": [:]], "name of an attachment"),
        ] as [(JSONValue, String)])
    func `a malformed description is 400 and says which member`(column: JSONValue, part: String)
        async throws
    {
        try await TestServer.run { server in
            let reply = try await server.send(
                .post, "/tables/t", ["id": "a", "_attachments": column])
            #expect(reply.status == 400)
            #expect(reply.error?.contains(part) == true, "\(reply.error ?? "")")
            #expect(try await server.send(.get, "/tables/t").json == [])
        }
    }

    @Test(arguments: ["text/html\r\nX-Injected: 1", "a/b\n", "a/b\u{0}", "a/ü", "a/b\u{7F}"])
    func `a type that may not stand in a header is refused`(type: String) async throws {
        try await Self.withItem { server, _ in
            let patched = try await server.send(
                .patch, "/tables/t/a", ["_attachments": ["x": Self.photo.description(type)]])
            #expect(patched.status == 400)
            #expect(patched.error?.contains("content_type") == true)
        }
    }

    @Test(arguments: [
        ("text/html", "text/html"), ("text/html; charset=utf-8", "text/html; charset=utf-8"),
        ("IMAGE/Svg+xml", "IMAGE/Svg+xml"), ("text/html, image/png", "application/octet-stream"),
        ("text html/x", "application/octet-stream"), ("a/b/c", "application/octet-stream"),
        ("/b", "application/octet-stream"), ("text", "application/octet-stream"),
        ("<a>/b", "application/octet-stream"),
    ])
    func `a type is sent only when it is one, and no browser runs the content`(
        type: String, sent: String
    ) async throws {
        try await Self.withItem { server, _ in
            let patched = try await server.send(
                .patch, "/tables/t/a", ["_attachments": ["x": Self.photo.description(type)]])
            #expect(patched.status == 200)
            for range in [nil, "bytes=0-1"] {
                let reply = try await server.get("a/attachments/x", range: range)
                #expect(reply.headers[.contentType] == sent)
                #expect(reply.headers[.xContentTypeOptions] == "nosniff")
                #expect(reply.headers[.contentDisposition] == "attachment")
                #expect(reply.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
            }
        }
    }

    @Test func `names with any characters are reached, and paths that are wrong are refused`()
        async throws
    {
        try await Self.withItem { server, _ in
            let name = "a/b?#%&+ ü\"'.txt"
            let patched = try await server.send(
                .patch, "/tables/t/a", ["_attachments": [name: Self.photo.description("")]])
            #expect(patched.status == 200)
            let reply = try await server.get("a/attachments/" + PercentEncoding.encoded(name))
            #expect(reply.bytes == Self.photo.bytes)
            #expect(reply.headers[.contentType] == "application/octet-stream")
            for (path, status) in [
                ("a/attachments/..%2F..%2Fdata.mdb", 404), ("a/attachments/%2E%2E", 400),
                ("a/attachments/", 400), ("a/attachments/x/y", 404), ("a/other/x", 404),
                ("_a/attachments/x", 400), ("b/attachments/x", 404), ("a/attachments/%FF", 400),
                ("other/\(Self.photo.digest)", 404),
            ] {
                #expect(try await server.get(path).status == status, "\(path)")
            }
            for digest in [
                "", "x", Self.photo.digest.uppercased(), Self.photo.digest + "0", "%2E%2E",
            ] {
                let path = "/tables/t/attachments/\(digest)"
                #expect(try await server.send(.head, path).status == 400, "\(path)")
                #expect(try await server.send(.put, path, bytes: [1]).status == 400, "\(path)")
            }
        }
    }

    @Test func `other methods are 405 with those that fit`() async throws {
        try await Self.withItem { server, _ in
            for method: HTTPRequest.Method in [.get, .post, .patch, .delete] {
                let reply = try await server.send(
                    method, "/tables/t/attachments/\(Self.photo.digest)")
                #expect(reply.status == 405)
                #expect(reply.headers[.allow] == "HEAD, PUT")
            }
            for method: HTTPRequest.Method in [.put, .post, .patch, .delete] {
                let reply = try await server.send(method, "/tables/t/a/attachments/p.jpg")
                #expect(reply.status == 405)
                #expect(reply.headers[.allow] == "GET, HEAD")
            }
            let versionless = try await server.raw(.get, "/tables/t/a/attachments/p.jpg")
            #expect(versionless.status == 400)
        }
    }

    @Test func `a filter sees the column`() async throws {
        try await Self.withItem { server, _ in
            _ = try await server.send(.post, "/tables/t", ["id": "b"])
            let with = try await server.list("t", [("$filter", "_attachments ne null")])
            #expect(with.ids == ["a"])
        }
    }
}
