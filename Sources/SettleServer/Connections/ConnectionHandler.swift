import NIOCore
import NIOHTTP1

/// Ends a connection when HTTP says so, and puts requests in one form, whatever their version.
///
/// What the framework does of this it does for HTTP/1.1 alone, and for one spelling. A connection ends
/// after an answer when the request or the answer says so, when the request is of HTTP/1.0 and does not
/// ask to keep it, and when it would go on in another protocol. The side that sends is ended first;
/// what the client still sends is dropped until it ends its own, so that it can read the answer.
///
/// > Source: RFC 9112, 3.2 and 9.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What of a request matters to its answer.
    private struct Exchange {
        var isVersion0 = false
        var isLast = false
    }

    /// The requests whose answers have not begun, in their order.
    private var coming = CircularBuffer<Exchange>()
    private var current = Exchange()
    private var hasEnded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasEnded else { return }
        guard case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        coming.append(Self.exchange(&head, at: context.channel.localAddress))
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // There is an answer already, and nobody to read another.
        guard !hasEnded else { return }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasEnded else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            guard !(100..<200).contains(head.status.code) else {
                return context.write(data, promise: promise)
            }
            current = coming.popFirst() ?? Exchange(isLast: true)
            prepare(&head)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where current.isLast:
            hasEnded = true
            context.writeAndFlush(data, promise: promise)
            context.close(mode: .output, promise: nil)
        case .body, .end:
            context.write(data, promise: promise)
        }
    }

    private func prepare(_ head: inout HTTPResponseHead) {
        if head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "close" })
        {
            current.isLast = true
        }
        if current.isVersion0 {
            // It does not know chunks: without a length, the end of the connection ends the body.
            head.version = .http1_0
            if !head.headers.contains(name: "content-length") { current.isLast = true }
        }
        if current.isLast {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        } else if current.isVersion0 {
            head.headers.replaceOrAdd(name: "Connection", value: "keep-alive")
        }
    }

    /// Puts a request in the form that the rest of the server knows.
    private static func exchange(
        _ head: inout HTTPRequestHead, at address: SocketAddress?
    ) -> Exchange {
        var exchange = Exchange(isVersion0: head.version.minor == 0)
        let options = head.headers[canonicalForm: "connection"].map { $0.lowercased() }
        if let authority = authority(of: head.uri), head.headers["host"].count == 1 {
            // The target counts, and not the header.
            head.headers.replaceOrAdd(name: "Host", value: authority)
        }
        if exchange.isVersion0, !head.headers.contains(name: "host") {
            let own = address?.ipAddress ?? "127.0.0.1"
            head.headers.add(name: "Host", value: own.contains(":") ? "[\(own)]" : own)
        }
        let isUpgrade = head.method == .CONNECT || head.headers.contains(name: "upgrade")
        exchange.isLast =
            options.contains("close") || isUpgrade
            || exchange.isVersion0 && !options.contains("keep-alive")
        if exchange.isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        return exchange
    }

    /// The host and the port of a target that is a whole URL; nil for a path.
    private static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let start = target.firstRange(of: "://") else { return nil }
        return String(target[start.upperBound...].prefix { !"/?#".contains($0) })
    }
}

@available(*, unavailable)
extension ConnectionHandler: Sendable {}
