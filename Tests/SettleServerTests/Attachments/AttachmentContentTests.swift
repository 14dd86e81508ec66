import HTTPTypes
import Settle
import Testing

@testable import SettleServer

/// How contents are sent: whole, in parts, or not at all when the reader has them.
@Suite(.serialized) struct `Attachment contents` {
    /// The store has chunks of this many bytes.
    private static let chunk = 65_520

    private static func attach(_ content: TestContent, to server: TestServer) async throws {
        #expect(try await server.put(content).status == 201)
        let item = try await server.send(
            .post, "/tables/t", ["id": "a", "_attachments": ["x": content.description()]])
        #expect(item.status == 201)
    }

    @Test(arguments: [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 5_000_000])
    func `content of any length comes back as it was sent`(count: Int) async throws {
        try await TestServer.run { server in
            let content = TestContent(count: count, seed: UInt64(count))
            try await Self.attach(content, to: server)
            let reply = try await server.get("a/attachments/x")
            #expect(reply.status == 200)
            #expect(reply.headers[.contentLength] == "\(count)")
            #expect(reply.bytes == content.bytes)
        }
    }

    @Test func `ranges across the chunks of the store are exact`() async throws {
        try await TestServer.run { server in
            let count = 3 * Self.chunk + 100
            let content = TestContent(count: count, seed: 7)
            try await Self.attach(content, to: server)
            for place in [0, 1, Self.chunk, 2 * Self.chunk, count - 100, count - 1] {
                for length in [1, 2, 99, Self.chunk, Self.chunk + 1, count] {
                    for first in [place - 1, place] where (0..<count).contains(first) {
                        let end = min(first + length, count)
                        let reply = try await server.get(
                            "a/attachments/x", range: "bytes=\(first)-\(first + length - 1)")
                        #expect(reply.status == 206)
                        #expect(
                            reply.headers[.contentRange] == "bytes \(first)-\(end - 1)/\(count)")
                        #expect(reply.headers[.contentLength] == "\(end - first)")
                        let isExact = reply.bytes == Array(content.bytes[first..<end])
                        #expect(isExact, "\(first)..<\(end)")
                    }
                }
            }
            let open = try await server.get("a/attachments/x", range: "bytes=\(Self.chunk)-")
            #expect(open.bytes == Array(content.bytes[Self.chunk...]))
            let tail = try await server.get("a/attachments/x", range: "bytes=-5")
            #expect(tail.bytes == Array(content.bytes.suffix(5)))
            let several = try await server.get("a/attachments/x", range: "bytes=0-1,4-5")
            #expect(several.status == 200)
            #expect(several.bytes == content.bytes)
            let behind = try await server.get("a/attachments/x", range: "bytes=\(count)-")
            #expect(behind.status == 416)
            #expect(behind.headers[.contentRange] == "bytes */\(count)")
        }
    }

    @Test func `content of no bytes is whole under every range`() async throws {
        try await TestServer.run { server in
            try await Self.attach(TestContent(""), to: server)
            for range in ["bytes=0-", "bytes=-1", nil] {
                let reply = try await server.get("a/attachments/x", range: range)
                #expect(reply.status == 200)
                #expect(reply.headers[.contentLength] == "0")
                #expect(reply.bytes == [])
            }
        }
    }

    @Test func `who has the content is told so, and If-Range decides about a part`() async throws {
        try await TestServer.run { server in
            let content = TestContent("some content")
            try await Self.attach(content, to: server)
            let path = "/tables/t/a/attachments/x"
            let tag = "\"\(content.digest)\""
            for method: HTTPRequest.Method in [.get, .head] {
                for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    let reply = try await server.send(
                        method, path, headers: [.ifNoneMatch: known, .range: "bytes=0-1"])
                    #expect(reply.status == 304)
                    #expect(reply.headers[.eTag] == tag)
                    #expect(reply.bytes == [])
                }
            }
            let other = try await server.send(.get, path, headers: [.ifNoneMatch: "\"x\""])
            #expect(other.status == 200)
            let same = try await server.send(
                .get, path, headers: [.ifRange: tag, .range: "bytes=5-"])
            #expect(same.status == 206)
            #expect(same.bytes == Array("content".utf8))
            for condition in ["\"x\"", "W/\(tag)", "Sat, 21 Nov 2026 19:22:00 GMT"] {
                let whole = try await server.send(
                    .get, path, headers: [.ifRange: condition, .range: "bytes=5-"])
                #expect(whole.status == 200)
                #expect(whole.bytes == content.bytes)
            }
        }
    }

    @Test func `HEAD says all that GET says, without the content and without ranges`()
        async throws
    {
        try await TestServer.run { server in
            let content = TestContent("some content")
            try await Self.attach(content, to: server)
            let path = "/tables/t/a/attachments/x"
            let get = try await server.send(.get, path)
            let head = try await server.send(.head, path, headers: [.range: "bytes=5-"])
            #expect(head.status == 200)
            // Every request has an id of its own.
            let id = try #require(HTTPField.Name("X-Request-Id"))
            var (expected, shown) = (get.headers, head.headers)
            (expected[id], shown[id]) = (nil, nil)
            #expect(shown == expected)
            #expect(head.bytes == [])
        }
    }

    @Test func `content over the limit is 413 and leaves nothing`() async throws {
        try await TestServer.run(attachmentMaxBytes: 200_000) { (server) async throws in
            let long = TestContent(count: 200_001, seed: 1)
            #expect(try await server.put(long).status == 413)
            #expect(try await server.head(long) == 404)
            let fitting = TestContent(count: 200_000, seed: 1)
            #expect(try await server.put(fitting).status == 201)
        }
    }
}
