import NIOCore
import SettlePrimitives
import Synchronization

/// The connections of a server, and which of them have ended.
///
/// The framework says nothing of a client that hangs up while its request is being answered; here who works
/// for it is told.
final class Connections: Sendable {
    private let open = Lock<[ObjectIdentifier: Connection]>([:])

    /// A handler for a new connection, which keeps track of it.
    func handler() -> any RemovableChannelHandler { HangUpHandler(self) }

    /// The connection of a channel; nil when it is none of the server's, or closed.
    func connection(of channel: any Channel) -> Connection? {
        open.withLock { $0[ObjectIdentifier(channel)] }
    }

    fileprivate func add(_ channel: any Channel) -> Connection {
        let connection = Connection(channel)
        open.withLock { $0[ObjectIdentifier(channel)] = connection }
        return connection
    }

    fileprivate func remove(_ channel: any Channel) {
        open.withLock { $0[ObjectIdentifier(channel)] = nil }
    }
}

/// One connection of a client.
final class Connection: Sendable {
    private struct State {
        var hasEnded = false
        var works: [Int: @Sendable () -> Void] = [:]
        var number = 0
    }

    private let channel: any Channel
    private let state = Lock(State())

    fileprivate init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Closes the connection, whatever is under way on it.
    func close() { channel.close(promise: nil) }

    /// Waits until the connection has taken what was handed to it before, and knows whether there is room for more.
    ///
    /// - Throws: When its event loop has ended.
    func catchUp() async throws { try await channel.eventLoop.submit {}.get() }

    /// Does something for the client, and cancels it when the client hangs up.
    ///
    /// - Parameter body: What to do.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await body() }
        let number = state.withLock { state -> Int? in
            guard !state.hasEnded else { return nil }
            state.number += 1
            state.works[state.number] = { task.cancel() }
            return state.number
        }
        if number == nil { task.cancel() }
        defer { if let number { state.withLock { _ = $0.works.removeValue(forKey: number) } } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    fileprivate func end() {
        let works = state.withLock { state in
            state.hasEnded = true
            defer { state.works = [:] }
            return Array(state.works.values)
        }
        for cancel in works { cancel() }
    }
}

/// Notices that a client has hung up.
///
/// A client that only ends its own half of a connection may still wait for the answer, which looks the same as
/// having gone; so that end counts some seconds later.
private final class HangUpHandler: ChannelInboundHandler, RemovableChannelHandler {
    // What is read goes by as it is.
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private let connections: Connections
    private var connection: Connection?

    /// How long the answer to a client goes on that sends no more.
    private static let halfClosedMax = TimeAmount.seconds(2)

    init(_ connections: Connections) {
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        connection = connections.add(context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context.channel) }

    func channelInactive(context: ChannelHandlerContext) {
        end(context.channel)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent, let connection {
            context.eventLoop.scheduleTask(in: Self.halfClosedMax) { connection.end() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func end(_ channel: any Channel) {
        connection?.end()
        connection = nil
        connections.remove(channel)
    }
}
