import NIOCore
import NIOHTTP1

/// Ends a connection when HTTP says so, and puts requests in one form, whatever their version.
///
/// What the framework does of this it does for HTTP/1.1 alone, and for one spelling. A connection ends
/// after an answer when the request or the answer says so, when the request is of HTTP/1.0 and does not
/// ask to keep it, and when it would go on in another protocol. The side that sends is ended first;
/// what the client still sends is dropped until it ends its own, so that it can read the answer.
///
/// A client that waits with its body until it hears that it is wanted (`Expect: 100-continue`) hears so when there is no
/// answer within ``continueDelay``: most that are refused are refused before, and never send it.
///
/// > Source: RFC 9112, 3.2 and 9; RFC 9110, 10.1.1.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What of a request matters to its answer.
    private struct Exchange {
        var isVersion0 = false
        var isLast = false
        /// Whether its body waits for a word that it is wanted.
        var awaitsContinue = false
    }

    /// How long an answer may take before a body that waits is asked for.
    static let continueDelay = TimeAmount.milliseconds(10)

    /// The requests whose answers have not begun, in their order.
    private var coming = CircularBuffer<Exchange>()
    private var current = Exchange()
    private var hasEnded = false
    /// Whether an answer has begun and not ended.
    private var isAnswering = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasEnded else { return }
        guard case .head(var head) = unwrapInboundIn(data) else {
            // Who sends does not wait.
            if !coming.isEmpty {
                coming[coming.index(before: coming.endIndex)].awaitsContinue = false
            }
            context.fireChannelRead(data)
            return
        }
        coming.append(Self.exchange(&head, at: context.channel.localAddress))
        if coming.last?.awaitsContinue ?? false { askForBodySoon(context) }
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
            isAnswering = true
            prepare(&head)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where current.isLast:
            hasEnded = true
            context.writeAndFlush(data, promise: promise)
            context.close(mode: .output, promise: nil)
        case .end:
            isAnswering = false
            context.write(data, promise: promise)
            if coming.first?.awaitsContinue ?? false { askForBodySoon(context) }
        case .body:
            context.write(data, promise: promise)
        }
    }

    /// Asks for the body of the next request to be answered, if it still waits after a moment.
    private func askForBodySoon(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.continueDelay) {
            let (handler, context) = bound.value
            handler.askForBody(context)
        }
    }

    private func askForBody(_ context: ChannelHandlerContext) {
        // Behind an answer that is under way it is asked when that has ended.
        guard !hasEnded, !isAnswering, coming.first?.awaitsContinue ?? false else { return }
        coming[coming.startIndex].awaitsContinue = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
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
        exchange.awaitsContinue =
            !exchange.isVersion0
            && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
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
