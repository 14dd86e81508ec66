import NIOCore

/// Cuts the bytes of a connection into whole HTTP/1.1 messages.
///
/// By `Content-Length`, and by the last chunk where an answer comes in chunks; that is all that the
/// clients and the server of these tests send.
struct HTTPMessages {
    private var source: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let areRequests: Bool
    private var unread = ByteBuffer()

    init(
        _ source: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, areRequests: Bool
    ) {
        self.source = source
        self.areRequests = areRequests
    }

    /// The next message; nil when the connection was closed at the end of one, or within.
    mutating func next() async throws -> ByteBuffer? {
        while true {
            if let length = length(), let message = unread.readSlice(length: length) {
                return message
            }
            guard var more = try await source.next() else { return nil }
            unread.writeBuffer(&more)
        }
    }

    /// How many bytes the first message has; nil when that cannot be told yet.
    private func length() -> Int? {
        let bytes = unread.readableBytesView
        guard let headLength = Self.headLength(in: bytes) else { return nil }
        let text = String(decoding: bytes.prefix(headLength), as: UTF8.self).lowercased()
        var bodyLength = 0
        for line in text.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map {
                $0.trimmingPrefix { $0 == " " }
            }
            guard parts.count == 2 else { continue }
            if parts[0] == "content-length" { bodyLength = Int(parts[1]) ?? 0 }
            if parts[0] == "transfer-encoding", parts[1] == "chunked" {
                return Self.end(of: "\r\n0\r\n\r\n", in: bytes).map { $0 - bytes.startIndex }
            }
        }
        let isWhole = bytes.count >= headLength + bodyLength
        return isWhole ? headLength + bodyLength : nil
    }

    /// How many bytes come before the body; nil when they are not all there.
    static func headLength(in bytes: ByteBufferView) -> Int? {
        end(of: "\r\n\r\n", in: bytes).map { $0 - bytes.startIndex }
    }

    /// Where a piece of text first ends.
    private static func end(of text: String, in bytes: ByteBufferView) -> Int? {
        let pattern = Array(text.utf8)
        guard bytes.count >= pattern.count else { return nil }
        for start in bytes.startIndex...(bytes.endIndex - pattern.count)
        where bytes[start..<start + pattern.count].elementsEqual(pattern) {
            return start + pattern.count
        }
        return nil
    }
}
