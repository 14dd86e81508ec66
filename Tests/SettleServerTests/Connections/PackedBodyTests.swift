import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Packed bodies` {
    private static let version = "ZUMO-API-VERSION: 2.0.0"
    private static let json = "Content-Type: application/json"
    private static let gzip = "Content-Encoding: gzip"

    private static func run(_ test: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withScratchDirectory("server") { scratch in
            let configuration = ServerConfiguration(
                directory: scratch.url, bodyMaxBytes: 1 << 20, attachmentMaxBytes: 4 << 20)
            try await RunningServer.run(configuration, test)
        }
    }

    /// Bytes as gzip packs them.
    private static func packed(_ bytes: [UInt8]) async throws -> [UInt8] {
        try await onThread {
            try withScratchDirectory("gzip") { scratch in
                let file = scratch.file("content")
                try Data(bytes).write(to: file)
                let gzip = try ChildProcess.run(
                    URL(fileURLWithPath: "/usr/bin/env"), ["gzip", "-9", file.path])
                try #require(gzip == .exited(0))
                return Array(try Data(contentsOf: scratch.file("content.gz")))
            }
        }
    }

    private static func ids(_ port: Int) async throws -> [String] {
        let list = try await RawExchange.send("GET /tables/t", [version], to: port)
        return (list.json?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }

    @Test(arguments: ["gzip", "GZIP", "x-gzip"])
    func `are unpacked, however they are cut`(coding: String) async throws {
        let text = String(repeating: "the same again and again, ", count: 30_000)
        let item = Array("{\"id\":\"a\",\"text\":\"\(text)\"}".utf8)
        let bytes = try await Self.packed(item)
        try await Self.run { port in
            let connection = try RawConnection(port: port)
            try await connection.send(
                Array(
                    ("POST /tables/t HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        + "\(Self.version)\r\n\(Self.json)\r\nContent-Encoding: \(coding)\r\n"
                        + "Content-Length: \(bytes.count)\r\n\r\n").utf8))
            for start in stride(from: 0, to: bytes.count, by: 1_000) {
                try await connection.send(Array(bytes[start..<min(start + 1_000, bytes.count)]))
            }
            let reply = RawExchange(try await connection.receiveRest())
            connection.end()
            #expect(reply.status == 201)
            #expect(reply.json?["text"]?.stringValue == text)
        }
    }

    @Test func `are taken at every route, with others after them on the connection`() async throws {
        let item = try await Self.packed(Array(#"{"id":"a"}"#.utf8))
        let batch = try await Self.packed(
            Array(#"{"operations":[{"op":"insert","item":{"id":"b"}}]}"#.utf8))
        let content = TestContent(count: 2 << 20, seed: 3)
        let upload = try await Self.packed(content.bytes)
        try await Self.run { port in
            func request(_ line: String, _ body: [UInt8], _ more: String = "") -> [UInt8] {
                Array(
                    ("\(line) HTTP/1.1\r\nHost: localhost\r\n\(Self.version)\r\n\(Self.json)\r\n"
                        + "\(Self.gzip)\r\n\(more)Content-Length: \(body.count)\r\n\r\n").utf8)
                    + body
            }
            let all =
                request("POST /tables/t", item) + request("PATCH /tables/t/a", item)
                + request("POST /tables/t/operations/batch", batch)
                + request("PUT /tables/t/attachments/\(content.digest)", upload)
                + request("PUT /tables/t/a", item, "Connection: close\r\n")
            let reply = try await RawExchange.send(all, to: port)
            let statuses = reply.text.components(separatedBy: "HTTP/1.1 ").dropFirst()
                .map { $0.prefix(3) }
            #expect(statuses == ["201", "200", "200", "201", "200"])
            #expect(try await Self.ids(port) == ["a", "b"])
        }
    }

    @Test func `that unpack to more than a body may have are 413 before they are unpacked`()
        async throws
    {
        // A thousand times what it is packed to.
        let bomb = try await Self.packed([UInt8](repeating: 0x20, count: 64 << 20))
        #expect(bomb.count < 70_000)
        try await Self.run { port in
            for line in ["POST /tables/t", "PUT /tables/t/a", "POST /tables/t/operations/batch"] {
                let reply = try await RawExchange.send(
                    line, [Self.version, Self.json, Self.gzip], bomb, to: port)
                #expect(reply.status == 413, "\(line)")
            }
            let digest = TestContent(count: 1, seed: 1).digest
            let upload = try await RawExchange.send(
                "PUT /tables/t/attachments/\(digest)", [Self.version, Self.gzip], bomb, to: port)
            #expect(upload.status == 413)
            #expect(try await Self.ids(port) == [])
        }
    }

    @Test func `that are not what they say, or not all of it, are 400`() async throws {
        let bytes = try await Self.packed(Array(#"{"id":"a"}"#.utf8))
        var damaged = bytes
        damaged[bytes.count - 6] ^= 0xFF
        let bodies = [
            Array(#"{"id":"a"}"#.utf8), Array(bytes.dropLast(9)), Array(bytes.dropLast(1)),
            Array(bytes.prefix(5)), damaged, bytes + Array("more".utf8), bytes + bytes,
        ]
        try await Self.run { port in
            for body in bodies {
                let reply = try await RawExchange.send(
                    "POST /tables/t", [Self.version, Self.json, Self.gzip], body, to: port)
                #expect(reply.status == 400, "\(body)")
            }
            #expect(try await Self.ids(port) == [])
        }
    }

    @Test(arguments: [
        "Content-Encoding: br", "Content-Encoding: zstd", "Content-Encoding: gzip, gzip",
        "Content-Encoding: gzip\r\nContent-Encoding: br", "Content-Encoding: compress",
        "Content-Encoding: chunked", "Content-Encoding: aes128gcm",
    ])
    func `in a way that is not known are 415, and the answer says what is`(
        coding: String
    ) async throws {
        let bytes = try await Self.packed(Array(#"{"id":"a"}"#.utf8))
        try await Self.run { port in
            for line in [
                "POST /tables/t", "PATCH /tables/t/a", "PUT /tables/t/a",
                "POST /tables/t/operations/batch",
                "PUT /tables/t/attachments/" + String(repeating: "0", count: 64),
            ] {
                let reply = try await RawExchange.send(
                    line, [Self.version, Self.json, coding], bytes, to: port)
                #expect(reply.status == 415, "\(line)")
                #expect(reply.headers["accept-encoding"]?.contains("gzip") == true)
            }
            let plain = try await RawExchange.send(
                "POST /tables/t", [Self.version, Self.json, "Content-Encoding: identity"],
                Array(#"{"id":"a"}"#.utf8), to: port)
            #expect(plain.status == 201)
        }
    }

    @Test(arguments: [true, false])
    func `whose connection ends before they were read end with an error`(isPacked: Bool) throws {
        let channel = EmbeddedChannel(handler: PackedBodyHandler())
        let headers = HTTPHeaders(isPacked ? [("content-encoding", "gzip")] : [])
        let head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/", headers: headers)
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        let body = ByteBuffer(repeating: 1, count: 1_000)
        try channel.writeInbound(HTTPServerRequestPart.body(body))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        channel.pipeline.fireChannelInactive()
        if isPacked {
            #expect(throws: ChannelError.eof) { try channel.throwIfErrorCaught() }
        } else {
            // All of it was handed on.
            try channel.throwIfErrorCaught()
        }
        var count = 0
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            if case .end = part { count += 1 }
        }
        #expect(count == (isPacked ? 0 : 1))
    }
}
