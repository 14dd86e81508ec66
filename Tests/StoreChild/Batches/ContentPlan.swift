package import Foundation
import TestSupport

/// The content of an attachment: told by two numbers, so that a test can tell it without keeping it.
package struct ContentPlan: Sendable, Hashable {
    /// The name of the attachment.
    package static let name = "content"
    /// The kind of content it is.
    package static let type = "application/octet-stream"

    /// What the bytes are made from; few, so that documents share contents.
    package let seed: UInt64
    /// How many bytes there are.
    package let length: Int

    /// The content that a document of a batch has; mostly none.
    static func random(
        _ profile: BatchPlan.Profile, using generator: inout SeededGenerator
    ) -> ContentPlan? {
        switch profile {
        case .mixed:
            guard Int.random(in: 0..<12, using: &generator) == 0 else { return nil }
            let lengths = [0, 1, 1_000, 65_536, 65_537, 150_000]
            return ContentPlan(
                seed: UInt64.random(in: 0..<4, using: &generator),
                length: lengths.randomElement(using: &generator) ?? 0)
        case .contents:
            guard Int.random(in: 0..<5, using: &generator) != 0 else { return nil }
            return ContentPlan(
                seed: UInt64.random(in: 0..<4, using: &generator),
                length: Int.random(in: 2...6, using: &generator) * 1_000_000)
        }
    }

    /// Whether it is brought in piece by piece before its batch, and not with it.
    package var isStreamed: Bool { length >= 1_000_000 }

    /// The bytes in pieces.
    package var pieces: AsyncStream<Data> {
        let data = data
        return AsyncStream { continuation in
            for start in stride(from: 0, to: data.count, by: Self.pieceLength) {
                continuation.yield(data[start..<min(start + Self.pieceLength, data.count)])
            }
            continuation.finish()
        }
    }

    private static let pieceLength = 300_000

    /// The bytes.
    package var data: Data {
        var generator = SeededGenerator(seed: seed)
        // A prime length, so that no two chunks of the store are equal.
        let block = (0..<1_021).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        var data = Data(capacity: length + block.count)
        while data.count < length { data.append(contentsOf: block) }
        return data.prefix(length)
    }
}
