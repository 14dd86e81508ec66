import Foundation
import TestSupport
import Testing

@testable import SettleInspector

@Suite struct `A form with files` {
    private static let type = "multipart/form-data; boundary=\"--x\""
    private static let delimiter = "\r\n----x"

    private struct Part: Equatable {
        var name: String
        var fileName: String?
        var type: String?
        var content: [UInt8]
    }

    /// Parts whose contents look like delimiters, and their bytes as a browser sends them.
    private func randomForm(_ random: inout SeededGenerator) -> (parts: [Part], bytes: [UInt8]) {
        let pieces: [[UInt8]] = [
            Array("\r\n".utf8), Array("\r\n----".utf8), Array("--".utf8), [13], [10], [0],
            Array("----x".utf8), Array("text".utf8), [255, 254],
        ]
        let names = ["a", "file", "two words", "a;b", "x=y", "é"]
        var parts: [Part] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            var content: [UInt8] = []
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                content += pieces.randomElement(using: &random) ?? []
            }
            // No content has the delimiter in it: that is what a browser chooses it for.
            while let range = content.firstRange(of: Array(Self.delimiter.utf8)) {
                content.removeSubrange(range)
            }
            // One that ends with a part of it could make it with what follows.
            content.append(UInt8(ascii: "."))
            parts.append(
                Part(
                    name: names.randomElement(using: &random) ?? "",
                    fileName: Bool.random(using: &random)
                        ? names.randomElement(using: &random).map { "\($0)\"\u{301}.png" } : nil,
                    type: Bool.random(using: &random) ? "image/png" : nil, content: content))
        }
        var bytes: [UInt8] = []
        for part in parts {
            bytes += Self.delimiter.dropFirst(bytes.isEmpty ? 1 : 0).utf8
            bytes += "\r\nContent-Disposition: form-data; name=\"\(part.name)\"".utf8
            if let name = part.fileName {
                bytes += "; filename=\"\(name.replacing("\"", with: "%22"))\"".utf8
            }
            if let type = part.type { bytes += "\r\nContent-Type: \(type)".utf8 }
            bytes += "\r\n\r\n".utf8
            bytes += part.content
        }
        bytes += Self.delimiter.dropFirst(bytes.isEmpty ? 1 : 0).utf8
        bytes += "--".utf8
        if Bool.random(using: &random) { bytes += "\r\n".utf8 }
        return (parts, bytes)
    }

    /// Bytes in pieces, as they come from a connection.
    private func pieces(
        _ bytes: [UInt8], _ random: inout SeededGenerator
    ) -> AsyncStream<[UInt8]> {
        var rest = bytes[...]
        var pieces: [[UInt8]] = []
        let most = [1, 7, 100, 10_000].randomElement(using: &random) ?? 1
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 0...most, using: &random))
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return AsyncStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
    }

    private func parts(of stream: AsyncStream<[UInt8]>, type: String = type) async throws -> [Part]
    {
        let reader = try MultipartReader(contentType: type, stream)
        var found: [Part] = []
        while let part = try await reader.nextPart() {
            var content: [UInt8] = []
            while let chunk = try await reader.nextChunk() {
                #expect(!chunk.isEmpty)
                content += chunk
            }
            found.append(
                Part(
                    name: part.name, fileName: part.fileName, type: part.contentType,
                    content: content))
        }
        return found
    }

    @Test func `comes out as it was, in whatever pieces it comes`() async throws {
        var random = SeededGenerator()
        for _ in 0..<300 {
            let (expected, bytes) = randomForm(&random)
            let found = try await parts(of: pieces(bytes, &random))
            #expect(found == expected, "\(random)")
        }
    }

    @Test func `that is cut off is an error`() async throws {
        var random = SeededGenerator()
        for _ in 0..<20 {
            let (expected, bytes) = randomForm(&random)
            if expected.isEmpty { continue }
            let end = bytes.count - (bytes.suffix(2) == [13, 10] ? 4 : 2)
            for _ in 0..<20 {
                let cut = Int.random(in: 0..<end, using: &random)
                let stream = pieces(Array(bytes[..<cut]), &random)
                await #expect(throws: MalformedForm.self, "\(cut) \(random)") {
                    _ = try await parts(of: stream)
                }
            }
        }
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=" + String(repeating: "x", count: 71), "",
    ]) func `without a boundary is an error`(type: String) async throws {
        await #expect(throws: MalformedForm.self) {
            _ = try await parts(of: AsyncStream { $0.finish() }, type: type)
        }
    }

    @Test func `with an endless head is an error`() async throws {
        let head = Array("----x\r\nContent-Disposition: ".utf8)
        let stream = AsyncStream<[UInt8]> { continuation in
            continuation.yield(head)
            for _ in 0..<100 { continuation.yield(Array(repeating: 65, count: 1_000)) }
            continuation.finish()
        }
        await #expect(throws: MalformedForm.self) { _ = try await parts(of: stream) }
    }
}
