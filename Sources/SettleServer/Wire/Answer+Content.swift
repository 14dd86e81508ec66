import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle

extension Answer {
    /// A response that is the content of an attachment, or a part of it.
    ///
    /// - Throws: ``Refusal`` 416 when the part lies behind the end.
    static func content(
        _ attachment: DocumentAttachment, _ range: ByteRange
    ) throws(Refusal) -> Response {
        let length = attachment.length
        var headers: HTTPFields = [
            .eTag: EntityTag.header(for: attachment.digest), .acceptRanges: "bytes",
            .cacheControl: "no-cache", .contentType: mediaType(attachment.contentType),
            // Nobody knows who sent it: a browser must neither guess at it nor run it.
            .contentDisposition: "attachment", .xContentTypeOptions: "nosniff",
        ]
        switch range {
        case .whole:
            headers[.contentLength] = String(length)
            return Response(
                status: .ok, headers: headers, body: body(of: attachment, 0..<length))
        case .part(let part):
            headers[.contentLength] = String(part.count)
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
            return Response(
                status: .partialContent, headers: headers, body: body(of: attachment, part))
        case .unsatisfiable:
            throw Refusal(
                .rangeNotSatisfiable, "The content ends before the range that is asked for.",
                headers: [.contentRange: "bytes */\(length)", .acceptRanges: "bytes"])
        }
    }

    /// Sends content chunk by chunk, each when the connection has room for it.
    ///
    /// The last chunk waits until the digest of all was verified, so content that is damaged is
    /// never received whole: the connection ends before.
    private static func body(of attachment: DocumentAttachment, _ range: Range<Int>) -> ResponseBody
    {
        ResponseBody(contentLength: range.count) { writer in
            var chunks = attachment.chunks.makeAsyncIterator()
            var position = 0
            var waiting: ByteBuffer?
            while position < range.upperBound || range.upperBound == attachment.length,
                let chunk = try await chunks.next()
            {
                let part = range.clamped(to: position..<position + chunk.count)
                if !part.isEmpty {
                    if let waiting { try await writer.write(waiting) }
                    waiting = ByteBuffer(
                        bytes: chunk.dropFirst(part.lowerBound - position).prefix(part.count))
                }
                position += chunk.count
            }
            if let waiting { try await writer.write(waiting) }
            try await writer.finish(nil)
        }
    }

    /// A content type that may stand in a header; what may not is bytes of no known kind.
    private static func mediaType(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        return isPlain && halves.count >= 2 && !halves[0].isEmpty && !halves[1].isEmpty
            ? text : "application/octet-stream"
    }
}
