import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle
import SettleTableProtocol

extension TableResponse {
    /// A response that is the content of an attachment, or a part of it.
    ///
    /// - Parameters:
    ///   - attachment: The attachment.
    ///   - range: What is asked for of it.
    ///   - chunks: The content from where the range begins.
    ///   - connection: Where it is sent; nil when there is no network between.
    /// - Returns: The response.
    /// - Throws: ``Problem`` 416 when the part lies behind the end.
    static func content(
        _ attachment: AttachmentDescription, _ range: ByteRange,
        _ chunks: any AsyncSequence<Data, any Error> & Sendable, to connection: Connection?
    ) throws(Problem) -> Response {
        let length = attachment.length
        var headers: HTTPFields = [
            .eTag: EntityTag(version: attachment.digest.text).text, .acceptRanges: "bytes",
            .cacheControl: "no-cache",
            .contentType: MediaType(attachment.contentType)?.text ?? MediaType.anyBytes,
            // Nobody knows who sent it: a browser must neither guess at it nor run it.
            .contentDisposition: "attachment", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        switch range {
        case .whole:
            headers[.contentLength] = String(length)
            return Response(
                status: .ok, headers: headers,
                body: body(chunks, count: length, isWhole: true, to: connection))
        case .part(let part):
            headers[.contentLength] = String(part.count)
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
            return Response(
                status: .partialContent, headers: headers,
                body: body(
                    chunks, count: part.count, isWhole: part.count == length, to: connection))
        case .unsatisfiable:
            throw Problem(
                .rangeNotSatisfiable, "The content ends before the range that is asked for.",
                headers: [.contentRange: "bytes */\(length)", .acceptRanges: "bytes"])
        }
    }

    /// Sends content chunk by chunk, each when the connection has room for it.
    ///
    /// Of the whole, the last chunk waits until the digest of all was verified, so content that is
    /// damaged is never received whole: the connection ends before.
    private static func body(
        _ chunks: any AsyncSequence<Data, any Error> & Sendable, count: Int, isWhole: Bool,
        to connection: Connection?
    ) -> ResponseBody {
        ResponseBody(contentLength: count) { writer in
            var bytesLeft = count
            var waiting: ByteBuffer?
            // Of the whole, the end of the sequence is the verdict on the digest.
            for try await chunk in chunks {
                guard bytesLeft > 0 else {
                    if isWhole { continue } else { break }
                }
                if let waiting {
                    try await writer.write(waiting)
                    try await connection?.catchUp()
                }
                waiting = ByteBuffer(bytes: chunk.prefix(bytesLeft))
                bytesLeft -= min(bytesLeft, chunk.count)
            }
            // Content that ends too soon must not look whole either.
            guard bytesLeft == 0 else { throw ContentEnded() }
            if let waiting { try await writer.write(waiting) }
            try await writer.finish(nil)
        }
    }

    /// Content that is shorter than its description says.
    private struct ContentEnded: Error {}
}
