import Foundation
import HTTPTypes
import Settle
import TestSupport

@testable import SettleServer

/// Content for tests, with the digest it is known by.
struct TestContent: Sendable {
    let bytes: [UInt8]
    let digest: String

    init(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
        digest = DocumentAttachment(name: "x", contentType: "x/x", data: Data(bytes)).digest
    }

    /// Bytes that no two places of have in common, so that a chunk in the wrong place shows.
    init(count: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let number = generator.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        self.init(bytes: Array(bytes.prefix(count)))
    }

    /// The description as an item has it.
    func description(_ type: String = "text/plain") -> JSONValue {
        [
            "content_type": .string(type), "length": .integer(Int64(bytes.count)),
            "digest": .string(digest),
        ]
    }
}

extension TestServer {
    /// Uploads content to the table `t`.
    func put(_ content: TestContent, token: String? = nil) async throws -> Reply {
        try await send(
            .put, "/tables/t/attachments/\(content.digest)", bytes: content.bytes, token: token)
    }

    /// Asks whether the table `t` has content for the sender.
    func head(_ content: TestContent, token: String? = nil) async throws -> Int {
        try await send(.head, "/tables/t/attachments/\(content.digest)", token: token).status
    }

    /// Reads a part of an attachment of the table `t`.
    func get(
        _ path: String, range: String? = nil, token: String? = nil
    ) async throws -> Reply {
        var headers: HTTPFields = [:]
        headers[.range] = range
        return try await send(.get, "/tables/t/\(path)", headers: headers, token: token)
    }
}
