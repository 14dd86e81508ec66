import Foundation
import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

/// The changes of a table, asked for one page after the other.
@Suite(.serialized) struct `Polling for changes` {
    private static func poll(
        _ server: TestServer, _ query: String, token: String? = nil
    ) async throws -> (items: [JSONValue], token: String) {
        let reply = try await server.send(
            .get, "/tables/t/changes?" + query, token: token)
        #expect(reply.status == 200)
        return (
            try #require(reply.json?["items"]?.arrayValue),
            try #require(reply.json?["token"]?.stringValue)
        )
    }

    private static func ids(_ items: [JSONValue]) -> [String] {
        items.compactMap { $0["id"]?.stringValue }
    }

    @Test(arguments: ProtocolVersion.all)
    func `tells each item once, as it is now, in the order of the changes`(
        version: ProtocolVersion
    ) async throws {
        try await TestServer.run { server in
            var server = server
            server.version = version
            for id in ["a", "b", "c"] {
                _ = try await server.send(.post, "/tables/t", ["id": .string(id)])
            }
            _ = try await server.send(.patch, "/tables/t/a", ["n": 1])
            _ = try await server.send(.delete, "/tables/t/b")
            let all = try await Self.poll(server, "since=0&wait=0")
            #expect(Self.ids(all.items) == ["c", "a", "b"])
            #expect(all.items.map { $0["deleted"] } == [false, false, true])
            #expect(all.items[1]["n"] == 1)
            let rest = try await Self.poll(server, "since=\(all.token)&wait=0")
            #expect(rest.items.isEmpty)
            #expect(rest.token == all.token)
        }
    }

    @Test func `goes on where a page ended`() async throws {
        try await TestServer.run { server in
            for number in 0..<10 {
                _ = try await server.send(.post, "/tables/t", ["id": .string("\(number)")])
            }
            var seen: [String] = []
            var token = "0"
            while true {
                let page = try await Self.poll(server, "since=\(token)&wait=0&$top=3")
                guard !page.items.isEmpty else { break }
                #expect(page.items.count <= 3)
                seen += Self.ids(page.items)
                token = page.token
            }
            #expect(seen == (0..<10).map(String.init))
        }
    }

    @Test func `begins now without a place, and behind an item with its time`() async throws {
        try await TestServer.run { server in
            let a = try await server.send(.post, "/tables/t", ["id": "a"])
            _ = try await server.send(.post, "/tables/t", ["id": "b"])
            let now = try await Self.poll(server, "wait=0")
            #expect(now.items.isEmpty)
            let time = try #require(a.json?["updatedAt"]?.stringValue)
            let behind = try await Self.poll(
                server, "wait=0&since=" + PercentEncoding.encoded(time))
            #expect(Self.ids(behind.items) == ["b"])
            _ = try await server.send(.post, "/tables/t", ["id": "c"])
            let next = try await Self.poll(server, "wait=0&since=\(now.token)")
            #expect(Self.ids(next.items) == ["c"])
        }
    }

    @Test func `waits until something is committed`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.post, "/tables/t", ["id": "a"])
            let now = try await Self.poll(server, "wait=0")
            async let waiting = Self.poll(server, "since=\(now.token)&wait=300")
            _ = try await server.send(.post, "/tables/t", ["id": "b"])
            let page = try await waiting
            #expect(Self.ids(page.items) == ["b"])
        }
    }

    @Test func `waits for a table that is still to come`() async throws {
        try await TestServer.run { server in
            async let waiting = Self.poll(server, "wait=300")
            _ = try await server.send(.post, "/tables/t", ["id": "a"])
            let page = try await waiting
            #expect(Self.ids(page.items) == ["a"])
        }
    }

    @Test func `comes back without changes when the time is up`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.post, "/tables/t", ["id": "a"])
            let page = try await Self.poll(server, "wait=1")
            #expect(page.items.isEmpty)
        }
    }

    @Test func `is limited to the reader's channels, and tells what left them`() async throws {
        let secret = "0123456789abcdef0123456789abcdef"
        try await TestServer.run(authentication: .jwt(secret: secret)) { server in
            let north = try await TableServer.token(
                secret: secret, subject: "ann", channels: ["north"], now: server.clock.date)
            let root = try await TableServer.token(
                secret: secret, subject: "root", now: server.clock.date)
            for (id, channel) in [("a", "north"), ("b", "south"), ("c", "north")] {
                _ = try await server.send(
                    .post, "/tables/t", ["id": .string(id), "channels": [.string(channel)]],
                    token: root)
            }
            let all = try await Self.poll(server, "since=0&wait=0", token: north)
            #expect(Self.ids(all.items) == ["a", "c"])
            _ = try await server.send(
                .patch, "/tables/t/a", ["channels": ["south"], "secret": "x"], token: root)
            _ = try await server.send(
                .patch, "/tables/t/b", ["secret": "y"], token: root)
            let left = try await Self.poll(server, "since=\(all.token)&wait=0", token: north)
            #expect(Self.ids(left.items) == ["a"])
            #expect(left.items[0]["@removed"] == ["reason": "changed"])
            #expect(left.items[0]["secret"] == nil)
            // The place passes by what the reader may not see.
            let rest = try await Self.poll(server, "since=\(left.token)&wait=0", token: north)
            #expect(rest.items.isEmpty)
        }
    }

    @Test func `whose token ends while it waits is refused in place of its changes`() async throws {
        let secret = "0123456789abcdef0123456789abcdef"
        try await TestServer.run(authentication: .jwt(secret: secret)) { server in
            let root = try await TableServer.token(
                secret: secret, subject: "root", expiresIn: .seconds(100_000),
                now: server.clock.date)
            let brief = try await TableServer.token(
                secret: secret, subject: "ann", expiresIn: .seconds(3_600), now: server.clock.date)
            _ = try await server.send(.post, "/tables/t", ["id": "a"], token: root)
            let now = try await Self.poll(server, "wait=0", token: brief)
            async let waiting = server.send(
                .get, "/tables/t/changes?since=\(now.token)&wait=300", token: brief)
            try await server.readers(reach: 1)
            server.clock.advance(microseconds: 3_600_000_000)
            _ = try await server.send(.post, "/tables/t", ["id": "b"], token: root)
            let reply = try await waiting
            #expect(reply.status == 401)
            #expect(reply.json?["items"] == nil)
        }
    }

    @Test func `takes a filter`() async throws {
        try await TestServer.run { server in
            for number in 0..<6 {
                _ = try await server.send(
                    .post, "/tables/t", ["id": .string("\(number)"), "n": .integer(Int64(number))])
            }
            let page = try await Self.poll(
                server, "since=0&wait=0&$filter=" + PercentEncoding.encoded("n mod 2 eq 0"))
            #expect(Self.ids(page.items) == ["0", "2", "4"])
        }
    }

    @Test(arguments: [
        "since=x", "since=-1", "since=99999999999999999999", "wait=301", "wait=-1", "wait=x",
        "$top=0", "$top=1001", "$skip=1", "$orderby=n", "$filter=n%20eq", "since=",
    ])
    func `with a bad option is refused`(query: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.send(.get, "/tables/t/changes?" + query)
            #expect(reply.status == 400)
            #expect(reply.error?.isEmpty == false)
        }
    }

    @Test(arguments: ProtocolVersion.all)
    func `no item may have a member that says that it left`(
        version: ProtocolVersion
    ) async throws {
        try await TestServer.run { server in
            var server = server
            server.version = version
            let members: JSONValue = ["id": "a", "@removed": ["reason": "changed"]]
            let insert = try await server.send(.post, "/tables/t", members)
            #expect(insert.status == 400)
            _ = try await server.send(.post, "/tables/t", ["id": "a"])
            let update = try await server.send(.patch, "/tables/t/a", ["@removed": .null])
            #expect(update.status == 400)
            let batch = try await server.send(
                .post, "/tables/t/operations/batch",
                ["operations": [["op": "update", "id": "a", "item": ["@removed": 1]]]])
            #expect(batch.json?["results"]?[0]?["status"] == 400)
            guard version == .version3 else { return }
            let patch = try await server.send(
                .patch, "/tables/t/a", [["op": "add", "path": "/@removed", "value": 1]],
                headers: [.contentType: "application/json-patch+json"])
            #expect(patch.status == 400)
        }
    }

    @Test func `no item may have the id that stands for changes`() async throws {
        try await TestServer.run { server in
            let reply = try await server.send(.post, "/tables/t", ["id": "changes"])
            #expect(reply.status == 400)
        }
    }
}

extension TestServer {
    /// Waits until so many readers wait for changes.
    fileprivate func readers(reach count: Int) async throws {
        while true {
            let text = String(decoding: try await raw(.get, "/metrics").bytes, as: UTF8.self)
            if text.contains("settle_live_readers \(count)\n") { return }
            await Task.yield()
        }
    }
}
