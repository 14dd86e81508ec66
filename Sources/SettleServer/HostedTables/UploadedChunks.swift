import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The body of an upload as pieces of content, refused as soon as there are too many bytes.
///
/// The next piece is taken from the connection when the store has dealt with the one before, so a
/// fast sender waits and memory does not grow.
struct UploadedChunks: AsyncSequence {
    typealias Element = Data

    let body: RequestBody
    let bytesMax: Int

    func makeAsyncIterator() -> Iterator {
        Iterator(body: body.makeAsyncIterator(), bytesLeft: bytesMax, bytesMax: bytesMax)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        fileprivate var bytesLeft: Int
        fileprivate let bytesMax: Int

        mutating func next() async throws -> Data? {
            guard let buffer = try await body.next() else { return nil }
            bytesLeft -= buffer.readableBytes
            guard bytesLeft >= 0 else { throw UploadedChunks.tooLong(bytesMax) }
            return Data(buffer.readableBytesView)
        }
    }

    /// The problem for content that is too long.
    static func tooLong(_ bytesMax: Int) -> Problem {
        Problem(
            .contentTooLarge,
            "This server takes attachments of at most \(bytesMax) bytes; this one is longer.")
    }
}
