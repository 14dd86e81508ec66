import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Settle
import SettleOData
import TestSupport
import Testing

@testable import SettleServer

/// Contents over real sockets, where senders and readers may stop in the middle.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Attachments on a socket` {
    private static let headers: HTTPFields = [
        .zumoVersion: "2.0.0", .contentType: "application/json",
    ]
    private static let large = TestContent(count: 8 << 20, seed: 8)

    /// Runs a test with the port of a server, and its table `t` to look at behind its back.
    private static func run(
        _ test: @escaping @Sendable (Int, LMDBTable) async throws -> Void
    ) async throws {
        try await withScratchDirectory("server") { scratch in
            var configuration = ServerConfiguration(directory: scratch.url)
            // However long the machine takes, nobody is idle.
            configuration.idleTimeout = .seconds(3_600)
            let server = try TableServer(
                configuration: configuration, logger: TestServer.quiet)
            let parts = try await server.makeParts()
            let name = try TableName("t")
            let stored = try await parts.store.table(name, isCreated: true)
            let table = try #require(stored as? LMDBTable)
            let failure: (any Error)?
            do {
                try await server.application(parts.responder).test(.live) { client in
                    try await test(try #require(client.port), table)
                }
                failure = nil
            } catch {
                failure = error
            }
            await parts.store.close()
            if let failure { throw failure }
        }
    }

    private static func attach(_ content: TestContent, _ client: TestClient) async throws {
        let put = try await client.send(
            .put,
            "/tables/t/attachments/\(content.digest)", headers: headers,
            body: ByteBuffer(bytes: content.bytes))
        #expect(put.status == .created)
        let item: JSONValue = ["id": "a", "_attachments": ["x": content.description()]]
        let post = try await client.send(
            .post,
            "/tables/t", headers: headers, body: ByteBuffer(bytes: JSONText.text(of: item)))
        #expect(post.status == .created)
    }

    @Test func `eight megabytes go up and come down, whole and in parts, on one connection`()
        async throws
    {
        try await Self.run { port, _ in
            try await TestClient.withClient(
                host: "127.0.0.1", port: port, configuration: .patient
            ) { client in
                try await Self.attach(Self.large, client)
                let path = "/tables/t/a/attachments/x"
                let whole = try await client.send(.get, path, headers: Self.headers)
                let isSame = whole.body.map { Array($0.readableBytesView) } == Self.large.bytes
                #expect(isSame)
                var headers = Self.headers
                headers[.range] = "bytes=8000000-"
                let part = try await client.send(.get, path, headers: headers)
                #expect(part.status == .partialContent)
                let isTail =
                    part.body.map { Array($0.readableBytesView) }
                    == Array(Self.large.bytes[8_000_000...])
                #expect(isTail)
                let head = try await client.send(.head, path, headers: Self.headers)
                #expect(head.status == .ok)
                #expect(head.head.headerFields[.contentLength] == "\(8 << 20)")
                let list = try await client.send(.get, "/tables/t", headers: Self.headers)
                #expect(list.status == .ok)
            }
        }
    }

    @Test(arguments: [true, false])
    func `an upload that is cut leaves nothing`(isAborted: Bool) async throws {
        try await Self.run { port, table in
            let content = Self.large
            let connection = try RawConnection(port: port)
            let head =
                "PUT /tables/t/attachments/\(content.digest) HTTP/1.1\r\nHost: localhost\r\n"
                + "ZUMO-API-VERSION: 2.0.0\r\nContent-Length: \(content.bytes.count)\r\n\r\n"
            let isSent = try await connection.send(
                Array(head.utf8) + content.bytes.prefix(6_000_000))
            #expect(isSent)
            if isAborted {
                connection.end()
            } else {
                connection.endSending()
                let answer = String(decoding: try await connection.receiveRest(), as: UTF8.self)
                #expect(!answer.contains("HTTP/1.1 20"))
                connection.end()
            }
            try await TestClient.withClient(
                host: "127.0.0.1", port: port, configuration: .patient
            ) { client in
                let known = try await client.send(
                    .head,
                    "/tables/t/attachments/\(content.digest)", headers: Self.headers)
                #expect(known.status == .notFound)
                // Whatever part of it came is gone as soon as the server knows of the end.
                while try table.database.statistics().waitingContentCount > 0 { await Task.yield() }
                try await Self.attach(content, client)
            }
        }
    }

    @Test func `a reader that stops half way holds up nobody`() async throws {
        try await Self.run { port, _ in
            try await TestClient.withClient(
                host: "127.0.0.1", port: port, configuration: .patient
            ) { client in
                try await Self.attach(Self.large, client)
                let slow = try RawConnection(port: port)
                try await slow.send(
                    Array(
                        ("GET /tables/t/a/attachments/x HTTP/1.1\r\nHost: localhost\r\n"
                            + "ZUMO-API-VERSION: 2.0.0\r\n\r\n").utf8))
                let begin = try await slow.receive(1000)
                #expect(!begin.isEmpty)
                let other = try await client.send(
                    .get,
                    "/tables/t/a/attachments/x", headers: Self.headers)
                #expect(other.body?.readableBytes == 8 << 20)
                slow.end()
            }
        }
    }

    @Test func `content of which only the description is there is 410 until it is uploaded`()
        async throws
    {
        try await Self.run { port, table in
            let content = TestContent("late")
            try await table.database.write { transaction in
                let instant = Instant(microseconds: 1)
                var document = try Envelope.document(
                    TableItem(
                        id: "d", members: [:], createdAt: instant, updatedAt: instant, version: "",
                        isDeleted: false), revision: nil)
                document.attachments = [
                    try DocumentAttachment(
                        name: "x", contentType: "a/b", length: content.bytes.count,
                        digest: content.digest)
                ]
                try transaction.save(document)
            }
            try await TestClient.withClient(
                host: "127.0.0.1", port: port, configuration: .patient
            ) { client in
                let path = "/tables/t/d/attachments/x"
                let gone = try await client.send(.get, path, headers: Self.headers)
                #expect(gone.status == .gone)
                let put = try await client.send(
                    .put,
                    "/tables/t/attachments/\(content.digest)", headers: Self.headers,
                    body: ByteBuffer(bytes: content.bytes))
                #expect(put.status == .created)
                let there = try await client.send(.get, path, headers: Self.headers)
                #expect(there.body.map { Array($0.readableBytesView) } == content.bytes)
            }
        }
    }

    @Test func `content that goes while it is read ends the connection early`() async throws {
        try await Self.run { port, table in
            try await TestClient.withClient(
                host: "127.0.0.1", port: port, configuration: .patient
            ) { client in
                // More than the buffers of a connection take in.
                let content = TestContent(count: 32 << 20, seed: 32)
                try await Self.attach(content, client)
                let slow = try RawConnection(port: port)
                try await slow.send(
                    Array(
                        ("GET /tables/t/a/attachments/x HTTP/1.1\r\nHost: localhost\r\n"
                            + "ZUMO-API-VERSION: 2.0.0\r\n\r\n").utf8))
                let begin = try await slow.receive(1000)
                #expect(!begin.isEmpty)
                let patch = try await client.execute(
                    TestClient.Request(
                        "/tables/t/a", method: .patch, authority: "localhost",
                        headers: Self.headers,
                        body: ByteBuffer(bytes: JSONText.text(of: ["_attachments": [:]]))))
                #expect(patch.status == .ok)
                try await table.giveUpLapsed(now: .distantFuture)
                let rest = try await slow.receiveRest()
                #expect(rest.count < content.bytes.count)
                slow.end()
            }
        }
    }
}
