import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// A connection of HTTP/1: the framework's, with what HTTP says of connections as a whole, and with
/// bodies that come packed.
struct TableChannel: HTTPChannelHandler {
    typealias Value = HTTP1Channel.Value

    private let base: HTTP1Channel
    /// The most bytes that a packed body may unpack to, whatever it is for.
    private let unpackedBytesMax: Int

    init(_ base: HTTP1Channel, unpackedBytesMax: Int) {
        self.base = base
        self.unpackedBytesMax = unpackedBytesMax
    }

    var responder: HTTPChannelHandler.Responder { base.responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { [unpackedBytesMax] value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(
                type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandlers(
                [
                    ConnectionHandler(), PackedBodyHandler(),
                    NIOHTTPRequestDecompressor(limit: .size(unpackedBytesMax)),
                ], position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
