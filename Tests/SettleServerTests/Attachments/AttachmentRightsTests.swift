import HTTPTypes
import Settle
import Testing

@testable import SettleServer

/// Who may send, attach and read contents.
@Suite(.serialized) struct `Attachments and channels` {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let photo = TestContent("a photo")

    /// A server, a token of ann for north, and one of bob for south.
    private static func run(
        _ test: @escaping @Sendable (TestServer, String, String) async throws -> Void
    ) async throws {
        try await TestServer.run(authentication: .jwt(secret: secret)) { server in
            try await test(
                server, try await token("ann", ["north"], server),
                try await token("bob", ["south"], server))
        }
    }

    private static func token(
        _ subject: String, _ channels: [String]?, _ server: TestServer
    ) async throws -> String {
        try await TableServer.token(
            secret: secret, subject: subject, channels: channels, now: server.clock.date)
    }

    private static func item(_ id: String, _ channel: String) -> JSONValue {
        [
            "id": .string(id), "channels": [.string(channel)],
            "_attachments": ["p": photo.description()],
        ]
    }

    @Test func `who does not see the item does not read what is attached to it`() async throws {
        try await Self.run { server, ann, bob in
            #expect(try await server.put(Self.photo, token: ann).status == 201)
            let item = try await server.send(
                .post, "/tables/t", Self.item("a", "north"), token: ann)
            #expect(item.status == 201)
            #expect(try await server.get("a/attachments/p", token: ann).bytes == Self.photo.bytes)
            let foreign = try await server.get("a/attachments/p", token: bob)
            let missing = try await server.get("x/attachments/p", token: bob)
            #expect(foreign.status == 404)
            #expect(foreign.bytes == missing.bytes)
            #expect(try await server.get("a/attachments/p").status == 401)
            #expect(try await server.put(Self.photo).status == 401)
            #expect(try await server.head(Self.photo) == 401)
        }
    }

    @Test func `to know a digest is not enough to attach the content`() async throws {
        try await Self.run { server, ann, bob in
            #expect(try await server.put(Self.photo, token: ann).status == 201)
            // Neither while the content waits for ann, nor when an item of hers has it.
            for _ in 0..<2 {
                #expect(try await server.head(Self.photo, token: bob) == 404)
                let stolen = try await server.send(
                    .post, "/tables/t", Self.item("b", "south"), token: bob)
                #expect(stolen.status == 422)
                _ = try await server.send(
                    .post, "/tables/t", Self.item("a", "north"), token: ann)
            }
            _ = try await server.send(
                .post, "/tables/t", ["id": "c", "channels": ["south"]], token: bob)
            let patched = try await server.send(
                .patch, "/tables/t/c", ["_attachments": ["p": Self.photo.description()]],
                token: bob)
            #expect(patched.status == 422)
            // Who has the content is told nothing of others who have it, and may attach it.
            #expect(try await server.put(Self.photo, token: bob).status == 201)
            let own = try await server.send(
                .post, "/tables/t", Self.item("b", "south"), token: bob)
            #expect(own.status == 201)
            #expect(try await server.get("b/attachments/p", token: bob).bytes == Self.photo.bytes)
        }
    }

    @Test func `who sees content may attach it again, and who is not limited any content`()
        async throws
    {
        try await Self.run { server, ann, bob in
            #expect(try await server.put(Self.photo, token: ann).status == 201)
            let root = try await Self.token("root", nil, server)
            #expect(try await server.head(Self.photo, token: root) == 200)
            let copy = try await server.send(
                .post, "/tables/t", Self.item("r", "south"), token: root)
            #expect(copy.status == 201)
            #expect(try await server.head(Self.photo, token: bob) == 200)
            let again = try await server.send(
                .post, "/tables/t", Self.item("b", "south"), token: bob)
            #expect(again.status == 201)
            // What ann sent still waits for her.
            let first = try await server.send(
                .post, "/tables/t", Self.item("a", "north"), token: ann)
            #expect(first.status == 201)
        }
    }

    @Test func `who may write nothing may upload nothing`() async throws {
        try await Self.run { server, _, _ in
            let nobody = try await Self.token("nobody", [], server)
            #expect(try await server.put(Self.photo, token: nobody).status == 403)
            #expect(try await server.head(Self.photo, token: nobody) == 404)
        }
    }
}
