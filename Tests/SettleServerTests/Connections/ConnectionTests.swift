import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized, .timeLimit(.minutes(60))) struct `A connection` {
    private static func run(_ test: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withScratchDirectory("server") { scratch in
            try await RunningServer.run(ServerConfiguration(directory: scratch.url), test)
        }
    }

    @Test(arguments: [
        "GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n",
        "GET /healthz HTTP/1.0\r\nConnection: close\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: TE, close\r\n\r\n",
        // It goes on with HTTP/1, which the client may not expect; curl --http2 asks so.
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
            + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n\r\n",
    ])
    func `ends after the answer, which says so`(text: String) async throws {
        try await Self.run { port in
            let reply = try await RawExchange.send(Array(text.utf8), to: port)
            #expect(reply.status == 200)
            #expect(reply.headers["connection"] == "close")
            #expect(reply.rest == "{\"status\":\"ok\"}")
        }
    }

    /// The head of a request whose body waits for a word.
    private static func waiting(
        _ body: String, version: String = "1.1", path: String = "/tables/t", more: String = ""
    ) -> [UInt8] {
        Array(
            ("POST \(path) HTTP/\(version)\r\nHost: localhost\r\nZUMO-API-VERSION: 2.0.0\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\(more)"
                + "Expect: 100-Continue\r\n\r\n").utf8)
    }

    @Test func `asks for a body that waits to be asked for, and answers it`() async throws {
        try await Self.run { port in
            let connection = try RawConnection(port: port)
            for number in 1...2 {
                let body = #"{"id":"a\#(number)"}"#
                try await connection.send(Self.waiting(body))
                let word = try await connection.answerHead()
                #expect(word.status == 100 && word.bytes.isEmpty)
                try await connection.send(Array(body.utf8))
                var reply = try await connection.answerHead()
                #expect(reply.status == 201)
                while !String(decoding: reply.bytes, as: UTF8.self).hasSuffix("}") {
                    reply.bytes += try await connection.receive(1 << 10)
                }
            }
            connection.end()
        }
    }

    @Test func `asks for such a body once the answer before has ended`() async throws {
        try await Self.run { port in
            let connection = try RawConnection(port: port)
            let body = #"{"id":"a"}"#
            let before = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await connection.send(Array(before.utf8) + Self.waiting(body))
            var text = ""
            while !text.contains("HTTP/1.1 100 Continue\r\n\r\n") {
                let more = try await connection.receive(1 << 10)
                try #require(!more.isEmpty)
                text += String(decoding: more, as: UTF8.self)
            }
            #expect(text.hasPrefix("HTTP/1.1 200"))
            #expect(text.hasSuffix("{\"status\":\"ok\"}HTTP/1.1 100 Continue\r\n\r\n"))
            try await connection.send(Array(body.utf8))
            #expect(try await connection.answerHead().status == 201)
            connection.end()
        }
    }

    @Test func `says no word to a client that sends at once, or speaks HTTP/1.0`() async throws {
        try await Self.run { port in
            for version in ["1.1", "1.0"] {
                let body = #"{"id":"v\#(version)"}"#
                let reply = try await RawExchange.send(
                    Self.waiting(body, version: version, more: "Connection: close\r\n")
                        + Array(body.utf8), to: port)
                #expect(reply.status == 201, "\(version)")
            }
        }
    }

    @Test func `of HTTP/1.0 is kept when the client asks for it`() async throws {
        try await Self.run { port in
            let kept = "GET /healthz HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
            let reply = try await RawExchange.send(
                Array((kept + kept + "GET /healthz HTTP/1.0\r\n\r\n").utf8), to: port)
            #expect(reply.text.components(separatedBy: "{\"status\":\"ok\"}").count == 4)
            #expect(reply.headers["connection"] == "keep-alive")
        }
    }

    @Test func `of HTTP/1.0 gets no chunks, which it does not know`() async throws {
        try await Self.run { port in
            let connection = try RawConnection(port: port)
            try await connection.send(
                Array(
                    ("GET /tables/t/changes?since=0 HTTP/1.0\r\nConnection: keep-alive\r\n"
                        + "ZUMO-API-VERSION: 2.0.0\r\nAccept: text/event-stream\r\n\r\n").utf8))
            var text = ""
            while !text.contains("id: 0\n\n") {
                let more = try await connection.receive(1 << 12)
                try #require(!more.isEmpty)
                text += String(decoding: more, as: UTF8.self)
            }
            #expect(text.hasPrefix("HTTP/1.0 200"))
            #expect(text.lowercased().contains("connection: close\r\n"))
            #expect(!text.lowercased().contains("transfer-encoding"))
            #expect(text.hasSuffix("\r\n\r\nretry: 2000\nid: 0\n\n"))
            connection.end()
        }
    }

    @Test func `of HTTP/1.1 is kept`() async throws {
        try await Self.run { port in
            let kept = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let reply = try await RawExchange.send(Array((kept + kept + last).utf8), to: port)
            #expect(reply.text.components(separatedBy: "{\"status\":\"ok\"}").count == 4)
            #expect(reply.headers["connection"] == nil)
        }
    }
}
