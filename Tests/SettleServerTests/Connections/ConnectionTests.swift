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
