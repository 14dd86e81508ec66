import Foundation
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized, .timeLimit(.minutes(60))) struct `A limit of connections` {
    private static let request = Array(
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)

    /// Reads one answer of the health route.
    private static func answer(_ connection: RawConnection) async throws -> String {
        var bytes: [UInt8] = []
        while !String(decoding: bytes, as: UTF8.self).contains("}") {
            let more = try await connection.receive(1 << 12)
            if more.isEmpty { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `makes one more wait until one ends`() async throws {
        try await withScratchDirectory("connections") { scratch in
            var configuration = ServerConfiguration(directory: scratch.url)
            configuration.connectionsMax = 3
            try await RunningServer.run(configuration) { port in
                for _ in 0..<3 {
                    var served: [RawConnection] = []
                    for _ in 0..<3 {
                        let connection = try RawConnection(port: port)
                        try await connection.send(Self.request)
                        let answer = try await Self.answer(connection)
                        #expect(answer.hasPrefix("HTTP/1.1 200"))
                        served.append(connection)
                    }
                    let waiting = try RawConnection(port: port)
                    try await waiting.send(Self.request)
                    // All who are in are still served, one after the other; nobody else is.
                    for connection in served {
                        try await connection.send(Self.request)
                        let answer = try await Self.answer(connection)
                        #expect(answer.hasPrefix("HTTP/1.1 200"))
                    }
                    #expect(!waiting.hasBytes)
                    served.removeFirst().end()
                    let late = try await Self.answer(waiting)
                    #expect(late.hasPrefix("HTTP/1.1 200"))
                    waiting.end()
                    for connection in served { connection.end() }
                }
            }
        }
    }

    @Test func `ends a connection that says nothing, or never to the end`() async throws {
        try await withScratchDirectory("connections") { scratch in
            var configuration = ServerConfiguration(directory: scratch.url)
            configuration.idleTimeout = .seconds(1)
            try await RunningServer.run(configuration, endsIdle: true) { port in
                let texts = [
                    "", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ",
                    "POST /tables/t HTTP/1.1\r\nHost: localhost\r\nZUMO-API-VERSION: 2.0.0\r\n"
                        + "Content-Length: 100\r\n\r\n{\"id\":",
                ]
                for text in texts {
                    let connection = try RawConnection(port: port)
                    try await connection.send(Array(text.utf8))
                    // Waits as long as it takes for the server to give up.
                    let rest = try await connection.receiveRest()
                    #expect(!String(decoding: rest, as: UTF8.self).hasPrefix("HTTP/1.1 2"))
                    connection.end()
                }
            }
        }
    }
}
