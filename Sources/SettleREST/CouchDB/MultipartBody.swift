import Foundation
import Settle
import SettlePrimitives
import SettleTableProtocol
import Synchronization

/// A revision and the contents of its attachments behind it, made while they are sent.
///
/// > Source: RFC 2387; CouchDB finds a content by the name in the head of its part.
struct MultipartBody: Sendable {
    private enum Piece: Sendable {
        case text([UInt8])
        case content(DocumentAttachment)

        var length: Int {
            switch self {
            case .text(let text): text.count
            case .content(let attachment): attachment.length
            }
        }
    }

    private let pieces: [Piece]
    /// What stands in `Content-Type`.
    let type: String

    /// A body.
    ///
    /// - Parameters:
    ///   - text: The text of the revision.
    ///   - attachments: Those whose contents follow, in the order in which the text names them.
    ///   - boundary: What parts are told apart by.
    init(
        _ text: [UInt8], _ attachments: [DocumentAttachment],
        boundary: String = Multipart.newBoundary()
    ) {
        type = "multipart/related; boundary=\"\(boundary)\""
        var pieces = [
            Piece.text(Array("--\(boundary)\r\nContent-Type: application/json\r\n\r\n".utf8) + text)
        ]
        for attachment in attachments {
            let contentType = attachment.contentType.filter { !$0.isNewline }
            let head =
                "\r\n--\(boundary)\r\nContent-Disposition: attachment; filename="
                + "\(Multipart.quoted(attachment.name))\r\nContent-Type: \(contentType)\r\n"
                + "Content-Length: \(attachment.length)\r\n\r\n"
            pieces += [.text(Array(head.utf8)), .content(attachment)]
        }
        self.pieces = pieces + [.text(Array("\r\n--\(boundary)--".utf8))]
    }

    /// How many bytes it has.
    var length: Int { pieces.reduce(0) { $0 + $1.length } }

    /// The bytes, in constant memory.
    var body: HTTPBody {
        HTTPBody(length: length) { [pieces] in
            let place = Place()
            return AsyncThrowingStream { try await Self.next(of: pieces, at: place) }
        }
    }

    /// How far a body was made; the closure of a stream is called by one task at a time.
    private final class Place: Sendable {
        private let state = Lock((piece: 0, offset: 0))

        var current: (piece: Int, offset: Int) { state.withLock { $0 } }

        func advance(by count: Int) {
            state.withLock { $0.offset += count }
        }

        func advance() {
            state.withLock { $0 = ($0.piece + 1, 0) }
        }
    }

    private static func next(of pieces: [Piece], at place: Place) async throws -> [UInt8]? {
        while true {
            let (index, offset) = place.current
            guard index < pieces.count else { return nil }
            switch pieces[index] {
            case .text(let text):
                place.advance()
                return text
            case .content(let attachment):
                var chunks = attachment.chunks(from: offset).makeAsyncIterator()
                if offset < attachment.length, let chunk = try await chunks.next(), !chunk.isEmpty {
                    place.advance(by: chunk.count)
                    return [UInt8](chunk)
                }
                place.advance()
            }
        }
    }
}
