import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on this machine that answers byte by byte as a test tells it.
final class WireServer: Sendable {
    /// A request as it came.
    struct Asked: Sendable {
        /// The request line and the headers, without the empty line behind them.
        var head: String
        var body: [UInt8]

        var path: String {
            head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        }

        func header(_ name: String) -> String? {
            head.split(separator: "\r\n").first {
                $0.lowercased().hasPrefix(name.lowercased() + ":")
            }.map { String($0.dropFirst(name.count + 1)).trimmingPrefix(while: { $0 == " " }) }
                .map(String.init)
        }
    }

    /// The connection that a request came through.
    struct Wire: Sendable {
        fileprivate let channel: any Channel

        func send(_ text: String) { send(Array(text.utf8)) }

        func send(_ bytes: [UInt8]) {
            channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        }

        /// Closes the connection behind what was sent.
        func close() {
            channel.writeAndFlush(ByteBuffer()).whenComplete { _ in
                channel.close(promise: nil)
            }
        }

        /// Sends texts one by one with a pause before each.
        func drip(_ texts: [String], pause: TimeAmount) {
            guard let first = texts.first else { return }
            channel.eventLoop.scheduleTask(in: pause) {
                send(first)
                drip(Array(texts.dropFirst()), pause: pause)
            }
        }
    }

    private struct State {
        var asked: [Asked] = []
        var connectionCount = 0
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let server: WireServer
        private var bytes: [UInt8] = []

        init(_ server: WireServer) {
            self.server = server
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytesView
            while let asked = next() {
                server.take(asked, Wire(channel: context.channel))
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        /// The first request among the bytes, if all of it is there.
        private func next() -> Asked? {
            let end = Array("\r\n\r\n".utf8)
            guard
                let place = bytes.indices.first(where: {
                    bytes[$0...].starts(with: end)
                })
            else { return nil }
            var asked = Asked(head: String(decoding: bytes[..<place], as: UTF8.self), body: [])
            let length = asked.header("content-length").flatMap { Int($0) } ?? 0
            let start = place + end.count
            guard bytes.count >= start + length else { return nil }
            asked.body = Array(bytes[start..<(start + length)])
            bytes.removeFirst(start + length)
            return asked
        }
    }

    private let state = Mutex(State())
    private let script: @Sendable (Asked, Wire) -> Void
    private let listener = Mutex<(any Channel)?>(nil)
    private let arrival: AsyncStream<Asked>.Continuation
    /// The requests, as they arrive; for one reader.
    let arrivals: AsyncStream<Asked>

    private init(_ script: @escaping @Sendable (Asked, Wire) -> Void) {
        self.script = script
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    /// What was asked, in order.
    var asked: [Asked] { state.withLock { $0.asked } }
    /// How many connections were taken.
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    /// The port that it listens on.
    var port: Int { listener.withLock { $0?.localAddress?.port } ?? 0 }

    private func take(_ asked: Asked, _ wire: Wire) {
        state.withLock { $0.asked.append(asked) }
        script(asked, wire)
        arrival.yield(asked)
    }

    /// Listens as long as the body runs.
    static func run<Result>(
        tls: NIOSSLContext? = nil, _ script: @escaping @Sendable (Asked, Wire) -> Void,
        _ body: (WireServer) async throws -> Result
    ) async throws -> Result {
        let server = WireServer(script)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                server.state.withLock { $0.connectionCount += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLServerHandler(context: tls))
                    }
                    try channel.pipeline.syncOperations.addHandler(Reader(server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.listener.withLock { $0 = channel }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        try await group.shutdownGracefully()
        return try result.get()
    }
}

/// Answers of the usual kind.
enum WireAnswer {
    static func json(_ body: String, status: String = "200 OK", fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(fields)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static func redirection(to location: String, status: Int = 307) -> String {
        "HTTP/1.1 \(status) Elsewhere\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
    }

    static func compressed(_ body: [UInt8]) -> [UInt8] {
        Array(
            ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
                + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
    }
}
