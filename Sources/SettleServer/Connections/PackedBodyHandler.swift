import NIOCore
import NIOHTTP1

/// Hands packed bodies on piece by piece, each when there is room for what it unpacks to.
///
/// One kilobyte may unpack to a megabyte, and the unpacking behind this handler does not wait. So it
/// gets a small piece at a time, and the next when its reader asks for more: what one connection has
/// unpacked and not read stays below half a megabyte, however much is packed. The pieces are so small, since
/// the threads that unpack are those of all connections.
final class PackedBodyHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What came and was not handed on.
    private enum Waiting {
        case part(HTTPServerRequestPart)
        case error(any Error)
        case event(Any)
    }

    /// The most bytes that are unpacked at once; DEFLATE makes of each at most 1,032.
    private static let pieceBytesMax = 64

    private var waiting = CircularBuffer<Waiting>()
    /// Whether the body that comes is packed.
    private var isPacked = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        var waits = !waiting.isEmpty
        switch part {
        case .head(var head):
            BodyCoding.normalize(&head.headers)
            isPacked = BodyCoding.isPacked(head.headers)
            part = .head(head)
        case .body: waits = waits || isPacked
        case .end: break
        }
        if waits {
            waiting.append(.part(part))
        } else {
            context.fireChannelRead(wrapInboundOut(part))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard waiting.isEmpty else { return waiting.append(.error(error)) }
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The end of what the client sends comes after what it sent.
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent, !waiting.isEmpty else {
            return context.fireUserInboundEventTriggered(event)
        }
        waiting.append(.event(event))
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !waiting.isEmpty {
            // Without it, who reads the body would take what it has for all of it.
            let errors = waiting.lazy.compactMap { waiting -> (any Error)? in
                if case .error(let error) = waiting { error } else { nil }
            }
            let error = errors.first ?? ChannelError.eof
            waiting.removeAll()
            context.fireErrorCaught(error)
        }
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        guard let first = waiting.popFirst() else { return context.read() }
        handOn(first, context)
        context.fireChannelReadComplete()
        // As after a read of the connection, the next one is asked for, and held up where there is no
        // room.
        let channel = context.channel
        context.eventLoop.execute { channel.read() }
    }

    private func handOn(_ first: Waiting, _ context: ChannelHandlerContext) {
        switch first {
        case .part(.body(var buffer)):
            let count = min(buffer.readableBytes, Self.pieceBytesMax)
            guard let piece = buffer.readSlice(length: count) else { return }
            if buffer.readableBytes > 0 { waiting.prepend(.part(.body(buffer))) }
            context.fireChannelRead(wrapInboundOut(.body(piece)))
        case .part(let part): context.fireChannelRead(wrapInboundOut(part))
        case .error(let error): context.fireErrorCaught(error)
        case .event(let event): context.fireUserInboundEventTriggered(event)
        }
    }
}

@available(*, unavailable)
extension PackedBodyHandler: Sendable {}
