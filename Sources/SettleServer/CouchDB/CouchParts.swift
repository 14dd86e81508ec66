import Foundation
import Settle

/// An answer in pieces that are read when they are sent: texts, and contents of attachments.
struct CouchParts: Sendable {
    private enum Piece: Sendable {
        case text([UInt8])
        case content(DocumentAttachment, Range<Int>)
    }

    private var pieces: [Piece] = []
    /// How many bytes all of it has.
    private(set) var length = 0

    /// What is made whole in memory before it is sent.
    private static let wholeBytesMax = 1 << 20

    mutating func append(_ text: [UInt8]) {
        pieces.append(.text(text))
        length += text.count
    }

    mutating func append(_ text: String) { append(Array(text.utf8)) }

    /// Appends other pieces.
    mutating func append(_ others: CouchParts) {
        pieces += others.pieces
        length += others.length
    }

    /// Appends a part of a content, by default all of it.
    mutating func append(_ attachment: DocumentAttachment, in range: Range<Int>? = nil) {
        let range = range ?? 0..<attachment.length
        pieces.append(.content(attachment, range))
        length += range.count
    }

    /// All bytes of the texts.
    var text: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(length)
        for case .text(let piece) in pieces { text += piece }
        return text
    }

    /// Hands on all bytes, in constant memory.
    ///
    /// - Throws: ``DatabaseError`` when a content is damaged or went meanwhile, before all of it was handed on as
    ///   good; what `body` throws.
    func forEach(_ body: ([UInt8]) async throws -> Void) async throws {
        for piece in pieces {
            switch piece {
            case .text(let text): try await body(text)
            case .content(let attachment, let range):
                var left = range.count
                for try await chunk in attachment.chunks(from: range.lowerBound) where left > 0 {
                    let bytes = Array(chunk.prefix(left))
                    left -= bytes.count
                    if !bytes.isEmpty { try await body(bytes) }
                }
            }
        }
    }

    /// The answer: whole when it is small.
    func response(_ status: Int, type: String) async throws -> CouchResponse {
        guard length <= Self.wholeBytesMax else {
            return CouchResponse(status, .parts(self), type: type)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        try await forEach { bytes += $0 }
        return CouchResponse(status, .bytes(bytes), type: type)
    }
}
