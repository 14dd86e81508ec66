import Foundation
import HTTPTypes
import Settle
import Testing

@testable import SettleServer

/// A stream of server-sent events as a browser reads it: by its own hand, byte for byte.
struct EventStream {
    /// What stands between two empty lines.
    struct Block: Equatable {
        /// The fields by their names; a comment has the name "".
        var fields: [String: String] = [:]

        var item: JSONValue? {
            fields["data"].flatMap { try? JSONText.value(from: Array($0.utf8)) }
        }
    }

    let connection: RawConnection
    /// The line of the status and the headers.
    private(set) var head = ""
    private var received: [UInt8] = []
    private var text: [UInt8] = []

    /// Asks for a stream and reads up to its headers.
    ///
    /// - Throws: When the connection ends before.
    init(port: Int, _ path: String, headers: [String: String] = [:]) async throws {
        connection = try RawConnection(port: port)
        var lines = [
            "GET \(path) HTTP/1.1", "Host: localhost", "ZUMO-API-VERSION: 2.0.0",
            "Accept: text/event-stream",
        ]
        lines += headers.map { "\($0.key): \($0.value)" }
        try await connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        head = String(decoding: try await take(through: "\r\n\r\n"), as: UTF8.self)
    }

    /// The next block that has a field; others are passed over.
    ///
    /// - Throws: When the stream ends before.
    mutating func next(with name: String) async throws -> Block {
        while true {
            let block = try await next()
            if block.fields[name] != nil { return block }
        }
    }

    private mutating func next() async throws -> Block {
        while true {
            if let end = text.firstRange(of: Array("\n\n".utf8)) {
                let lines = String(decoding: text[..<end.lowerBound], as: UTF8.self)
                text.removeSubrange(..<end.upperBound)
                return Block(
                    fields: Dictionary(
                        lines.split(separator: "\n").map { line in
                            let parts = line.split(
                                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                            return (String(parts[0]), String(parts[1].dropFirst()))
                        }, uniquingKeysWith: { $1 }))
            }
            let size = String(decoding: try await take(through: "\r\n").dropLast(2), as: UTF8.self)
            let count = try #require(Int(size, radix: 16))
            try #require(count > 0, "The stream has ended.")
            text += try await take(count + 2).dropLast(2)
        }
    }

    private mutating func take(through mark: String) async throws -> [UInt8] {
        while true {
            if let range = received.firstRange(of: Array(mark.utf8)) {
                return try await take(range.upperBound)
            }
            try await receive()
        }
    }

    private mutating func take(_ count: Int) async throws -> [UInt8] {
        while received.count < count { try await receive() }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    private mutating func receive() async throws {
        let more = try await connection.receive(1 << 16)
        try #require(!more.isEmpty, "The connection has ended.")
        received += more
    }
}
