import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// The changes of a table as server-sent events, over a socket.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `A stream of changes` {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private static func run(
        _ store: TestStore, _ configure: @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ test: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await store.with { store in
            var configuration = ServerConfiguration(store: store, authentication: .anonymous)
            configure(&configuration)
            try await RunningServer.run(configuration, test)
        }
    }

    @discardableResult
    private static func write(
        _ port: Int, _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil,
        token: String? = nil
    ) async throws -> JSONValue? {
        try await TestClient.withClient(
            host: "127.0.0.1", port: port, configuration: .patient
        ) { client in
            var headers: HTTPFields = [
                .zumoVersion: "2.0.0", .contentType: "application/json",
            ]
            if let token { headers[.authorization] = "Bearer \(token)" }
            let reply = try await client.execute(
                TestClient.Request(
                    path, method: method, authority: "localhost", headers: headers,
                    body: body.map { ByteBuffer(bytes: JSONText.text(of: $0)) }))
            try #require(reply.status.code < 300, "\(method) \(path): \(reply.status)")
            let bytes = reply.body.map { Array($0.readableBytesView) } ?? []
            return try? JSONText.value(from: bytes)
        }
    }

    @Test(arguments: TestStore.all)
    func `tells every change in its order, and goes on where it was cut`(
        store: TestStore
    ) async throws {
        try await Self.run(store) { port in
            try await Self.write(port, .post, "/tables/t", ["id": "a", "text": "ä\n\"b\""])
            var stream = try await EventStream(port: port, "/tables/t/changes?since=0")
            #expect(stream.head.hasPrefix("HTTP/1.1 200"))
            #expect(stream.head.lowercased().contains("content-type: text/event-stream"))
            let first = try await stream.next(with: "data")
            #expect(first.fields["event"] == "change")
            #expect(first.item?["text"] == "ä\n\"b\"")
            // While it is open.
            try await Self.write(port, .post, "/tables/t", ["id": "b"])
            try await Self.write(port, .delete, "/tables/t/a")
            let second = try await stream.next(with: "data")
            #expect(second.item?["id"] == "b")
            let third = try await stream.next(with: "data")
            #expect(third.item?["id"] == "a")
            #expect(third.item?["deleted"] == true)
            stream.connection.end()
            try await Self.write(port, .post, "/tables/t", ["id": "c"])
            let token = try #require(second.fields["id"])
            var rest = try await EventStream(
                port: port, "/tables/t/changes?since=0", headers: ["Last-Event-ID": token])
            for id in ["a", "c"] {
                let block = try await rest.next(with: "data")
                #expect(block.item?["id"]?.stringValue == id)
            }
            rest.connection.end()
        }
    }

    @Test(arguments: TestStore.all)
    func `from now on that is cut before its first change misses none`(
        store: TestStore
    ) async throws {
        try await Self.run(store) { port in
            try await Self.write(port, .post, "/tables/t", ["id": "old"])
            var stream = try await EventStream(port: port, "/tables/t/changes")
            let begin = try await stream.next(with: "id")
            #expect(begin.fields["data"] == nil)
            #expect(begin.fields["retry"] == "2000")
            stream.connection.end()
            try await Self.write(port, .post, "/tables/t", ["id": "new"])
            var again = try await EventStream(
                port: port, "/tables/t/changes",
                headers: ["Last-Event-ID": try #require(begin.fields["id"])])
            let change = try await again.next(with: "data")
            #expect(change.item?["id"] == "new")
            again.connection.end()
        }
    }

    @Test(arguments: TestStore.all)
    func `waits for a table that is still to come`(store: TestStore) async throws {
        try await Self.run(store) { port in
            var stream = try await EventStream(port: port, "/tables/t/changes")
            _ = try await stream.next(with: "id")
            try await Self.write(port, .post, "/tables/t", ["id": "a"])
            let change = try await stream.next(with: "data")
            #expect(change.item?["id"] == "a")
            stream.connection.end()
        }
    }

    @Test(arguments: TestStore.all)
    func `is limited to the reader's channels, and tells what left them`(
        store: TestStore
    ) async throws {
        let root = try await TableServer.token(secret: Self.secret, subject: "root")
        let ann = try await TableServer.token(
            secret: Self.secret, subject: "ann", channels: ["north"])
        try await Self.run(store, { $0.authentication = .jwt(secret: Self.secret) }) { port in
            for (id, channel) in [("a", "north"), ("b", "south"), ("c", "north")] {
                try await Self.write(
                    port, .post, "/tables/t", ["id": .string(id), "channels": [.string(channel)]],
                    token: root)
            }
            var stream = try await EventStream(
                port: port, "/tables/t/changes?since=0",
                headers: ["Authorization": "Bearer \(ann)"])
            for id in ["a", "c"] {
                let block = try await stream.next(with: "data")
                #expect(block.item?["id"]?.stringValue == id)
            }
            try await Self.write(
                port, .patch, "/tables/t/a", ["channels": ["south"], "secret": 1], token: root)
            let left = try await stream.next(with: "data")
            #expect(left.item?["id"] == "a")
            #expect(left.item?["@removed"] == ["reason": "changed"])
            #expect(left.item?["secret"] == nil)
            stream.connection.end()
        }
    }

    @Test(arguments: ["x", "-1", "99999999999999999999"])
    func `with a bad place is refused`(place: String) async throws {
        try await Self.run(.directory) { port in
            let stream = try await EventStream(
                port: port, "/tables/t/changes", headers: ["Last-Event-ID": place])
            #expect(stream.head.hasPrefix("HTTP/1.1 400"))
            stream.connection.end()
        }
    }

    @Test func `ends when the server stops`() async throws {
        let connection = try await withScratchDirectory("server") { scratch in
            try await RunningServer.run(ServerConfiguration(directory: scratch.url)) { port in
                var stream = try await EventStream(port: port, "/tables/t/changes")
                _ = try await stream.next(with: "id")
                return stream.connection
            }
        }
        let rest = try await connection.receiveRest()
        #expect(rest.suffix(5).elementsEqual("0\r\n\r\n".utf8))
        connection.end()
    }
}
