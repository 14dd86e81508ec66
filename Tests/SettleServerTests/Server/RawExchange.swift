import Foundation
import Settle
import Testing

/// A request written byte by byte, and what came back until the server closed.
struct RawExchange {
    /// The status of the first answer; 0 when there is none.
    let status: Int
    /// The headers of the first answer, with their names in lower case.
    let headers: [String: String]
    /// Everything behind the headers of the first answer.
    let rest: String
    /// All of it.
    let text: String

    var json: JSONValue? { try? JSONValue(jsonText: rest) }

    init(_ bytes: [UInt8]) {
        text = String(decoding: bytes, as: UTF8.self)
        let halves = text.split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = (halves.first ?? "").split(separator: "\r\n")
        rest = halves.count == 2 ? String(halves[1]) : ""
        status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        headers = Dictionary(
            lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (
                    parts[0].lowercased(),
                    parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
                )
            }, uniquingKeysWith: { $0 + ", " + $1 })
    }

    /// Sends a request as it is and reads until the server closes.
    static func send(_ bytes: [UInt8], to port: Int) async throws -> RawExchange {
        let connection = try RawConnection(port: port)
        try await connection.send(bytes)
        let answer = RawExchange(try await connection.receiveRest())
        connection.end()
        return answer
    }

    /// Sends a request that asks the server to close.
    ///
    /// - Parameters:
    ///   - line: The method and the target.
    ///   - headers: The headers, each as it is sent; `Host: localhost` when there is none.
    ///   - body: The body.
    ///   - port: Where the server listens.
    /// - Returns: What came back.
    /// - Throws: When nobody listens.
    static func send(
        _ line: String, _ headers: [String] = [], _ body: [UInt8] = [], to port: Int
    ) async throws -> RawExchange {
        var lines = ["\(line) HTTP/1.1", "Connection: close"] + headers
        if !headers.contains(where: { $0.lowercased().hasPrefix("host:") }) {
            lines.append("Host: localhost")
        }
        if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
        return try await send(
            Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body, to: port)
    }
}
