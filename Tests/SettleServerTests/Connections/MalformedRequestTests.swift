import Foundation
import Logging
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// Requests that are not quite HTTP, byte by byte.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Malformed requests` {
    private static let post =
        "POST /tables/t HTTP/1.1\r\nHost: localhost\r\nZUMO-API-VERSION: 2.0.0\r\n"
        + "Content-Type: application/json\r\n"

    private static func run(
        _ log: RecordedLog = RecordedLog(), _ test: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withScratchDirectory("server") { scratch in
            try await RunningServer.run(
                ServerConfiguration(directory: scratch.url), log: log, test)
        }
    }

    @Test(arguments: [
        "GET /healthz HTTP/1.1\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nHOST: localhost\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: \r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost, localhost\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: user@localhost\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost:99999\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost:x\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: http://localhost\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: ::1\r\n\r\n",
        "GET http://localhost/healthz HTTP/1.1\r\n\r\n",
        "GET http://localhost/healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    ])
    func `that do not name one host are 400 and end the connection`(text: String) async throws {
        try await Self.run { port in
            let reply = try await RawExchange.send(Array(text.utf8), to: port)
            #expect(reply.status == 400)
            #expect(reply.headers["connection"] == "close")
            #expect(reply.json?["error"]?.stringValue?.contains("host") == true)
        }
    }

    @Test(arguments: [
        // Chunks: of no length, too long a length, not ended by a line.
        post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n",
        post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n",
        post + "Transfer-Encoding: chunked\r\n\r\n\r\n\r\n",
        // Codings that are not known, alone and under one that is.
        post + "Transfer-Encoding: gzip\r\n\r\n{}",
        post + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        post + "Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        post + "Transfer-Encoding: identity\r\n\r\n{}",
        post + "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        post
            + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        // Two lengths.
        post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        post + "Content-Length: -2\r\n\r\n{}",
        post + "Content-Length: 2x\r\n\r\n{}",
        // Of the version before.
        "POST /tables/t HTTP/1.0\r\nZUMO-API-VERSION: 2.0.0\r\nTransfer-Encoding: gzip\r\n\r\n{}",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        "\u{1}\u{2}\u{3}\r\n\r\n", "GET\r\n\r\n",
        "GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n",
    ])
    func `are 400, end the connection, and are no fault of the server`(text: String) async throws {
        let log = RecordedLog()
        try await Self.run(log) { port in
            let reply = try await RawExchange.send(Array(text.utf8), to: port)
            #expect(reply.status == 400, "\(reply.text)")
            #expect(reply.headers["connection"] == "close")
            // One answer, whatever else was wrong.
            #expect(reply.text.components(separatedBy: "HTTP/1.").count == 2)
            let list = try await RawExchange.send(
                "GET /tables/t", ["ZUMO-API-VERSION: 2.0.0"], to: port)
            #expect(list.rest == "[]")
        }
        #expect(log.faults.isEmpty)
    }

    @Test(arguments: [
        post + "Content-Length: 100\r\n\r\n{\"id\":\"a\"",
        post + "Content-Length: 100\r\n\r\n{\"id\":\"a\"}",
        post + "Transfer-Encoding: chunked\r\n\r\na\r\n{\"id\":\"a\"}\r\n",
        "PUT /tables/t/attachments/" + String(repeating: "0", count: 64)
            + " HTTP/1.1\r\nHost: localhost\r\nZUMO-API-VERSION: 2.0.0\r\nContent-Length: 9\r\n\r\nx",
        post + "Content-Encoding: gzip\r\nContent-Length: 100\r\n\r\n\u{1F}",
        "POST /tables/t/operations/batch HTTP/1.1\r\nHost: localhost\r\nZUMO-API-VERSION: 2.0.0\r\n"
            + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    ])
    func `from a client that goes away in the middle are 400, no fault, and store nothing`(
        text: String
    ) async throws {
        let log = RecordedLog()
        try await Self.run(log) { port in
            let connection = try RawConnection(port: port)
            try await connection.send(Array(text.utf8))
            connection.end()
            #expect(await log.nextStatus() == "400")
            let list = try await RawExchange.send(
                "GET /tables/t", ["ZUMO-API-VERSION: 2.0.0"], to: port)
            #expect(list.rest == "[]")
        }
        #expect(log.faults.isEmpty)
    }

    @Test func `come after good ones on a connection, which are answered first`() async throws {
        try await Self.run { port in
            let good = Self.post + "Content-Length: 10\r\n\r\n{\"id\":\"a\"}"
            let bad = Self.post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"
            let reply = try await RawExchange.send(
                Array((good + good + bad + good).utf8), to: port)
            let statuses = reply.text.components(separatedBy: "HTTP/1.1 ").dropFirst()
                .map { $0.prefix(3) }
            #expect(statuses == ["201", "409", "400"])
        }
    }
}
