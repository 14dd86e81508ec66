import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// Stands between clients and a server on loopback, and does to their connections what networks do.
///
/// It knows just enough of HTTP to tell where a request and an answer end, so that a fault befalls
/// one request and a seed does the same again, whatever packets the system makes of the bytes.
final class FaultProxy: Sendable {
    /// What befalls a request.
    enum Fault: CaseIterable, Sendable {
        /// The connection is cut and the server hears nothing.
        case cutBefore
        /// The server does the work; the connection is cut in the place of its answer.
        case cutAfter
        /// The connection is cut in the middle of the answer's body.
        case cutInside
        /// The server hears nothing, and the connection stays open without a byte.
        case stalledBefore
        /// The server does the work, and the connection stays open without a byte.
        case stalledAfter
        /// The connection stays open in the middle of the answer's body.
        case stalledInside
        /// The request and the answer travel byte by byte.
        case slow
        /// The server gets the request twice at once, and its first answer counts.
        case duplicated
    }

    private struct State {
        var script: [Fault?]
        var random: SeededGenerator
        var faultsPercent: Int
        var counts: [Fault: Int] = [:]
        var serverPort = 0
    }

    private let state: Mutex<State>

    /// A proxy that lets so many of 100 requests have a fault.
    init(seed: UInt64 = 0, faultsPercent: Int = 0) {
        state = Mutex(
            State(
                script: [], random: SeededGenerator(seed: seed), faultsPercent: faultsPercent))
    }

    /// How often each fault befell a request.
    var counts: [Fault: Int] { state.withLock { $0.counts } }

    /// What befalls the next requests; nothing goes wrong after them.
    func follow(_ script: [Fault?]) {
        state.withLock { state in
            state.script = script
            state.faultsPercent = 0
        }
    }

    /// Nothing goes wrong from now on.
    func calmDown() { follow([]) }

    /// Where requests go from now on.
    func forward(to port: Int) {
        state.withLock { $0.serverPort = port }
    }

    /// Stands there for as long as `body` runs, which gets the proxy's port.
    func run<R: Sendable>(_ body: @escaping @Sendable (Int) async throws -> R) async throws -> R {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel)
                }
            }
        guard let port = server.channel.localAddress?.port else {
            preconditionFailure("A bound channel has a port.")
        }
        return try await server.executeThenClose { connections in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await withDiscardingTaskGroup { relays in
                        do {
                            for try await connection in connections {
                                relays.addTask { await self.relay(connection) }
                            }
                        } catch {
                            // The proxy is taken away while it waits.
                        }
                        relays.cancelAll()
                    }
                }
                let result = try await body(port)
                group.cancelAll()
                return result
            }
        }
    }

    private func nextFault() -> Fault? {
        state.withLock { state in
            var fault: Fault?
            if !state.script.isEmpty {
                fault = state.script.removeFirst()
            } else if state.random.next() % 100 < UInt64(state.faultsPercent) {
                fault = Fault.allCases.randomElement(using: &state.random)
            }
            if let fault { state.counts[fault, default: 0] += 1 }
            return fault
        }
    }

    // MARK: One connection

    private enum Cut: Error {
        case connection
    }

    /// Answers the requests of a connection, one after the other, until somebody ends it.
    private func relay(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async {
        do {
            try await client.executeThenClose { inbound, outbound in
                var requests = HTTPMessages(inbound.makeAsyncIterator(), areRequests: true)
                while let request = try await requests.next() {
                    try await answer(request, to: outbound, &requests)
                }
            }
        } catch {
            // Cut by a fault, by the client or by the server: closing is all there is to do.
        }
    }

    private func answer(
        _ request: ByteBuffer, to client: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ rest: inout HTTPMessages
    ) async throws {
        let fault = nextFault()
        switch fault {
        case .cutBefore: throw Cut.connection
        case .stalledBefore: return try await stall(&rest)
        default: break
        }
        let answer: ByteBuffer
        if fault == .duplicated {
            async let second = try? ask(request)
            answer = try await ask(request)
            _ = await second
        } else {
            answer = try await ask(request, isSlow: fault == .slow)
        }
        switch fault {
        case .cutAfter: throw Cut.connection
        case .stalledAfter: try await stall(&rest)
        case .cutInside:
            try await client.write(Self.half(answer))
            throw Cut.connection
        case .stalledInside:
            try await client.write(Self.half(answer))
            try await stall(&rest)
        case .slow: try await Self.write(answer, slowlyTo: client)
        default: try await client.write(answer)
        }
    }

    /// Does nothing until the client has had enough.
    private func stall(_ rest: inout HTTPMessages) async throws {
        while try await rest.next() != nil {}
        throw Cut.connection
    }

    /// Asks the server, on a connection for this request alone.
    private func ask(_ request: ByteBuffer, isSlow: Bool = false) async throws -> ByteBuffer {
        let port = state.withLock { $0.serverPort }
        let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await server.executeThenClose { inbound, outbound in
            if isSlow {
                try await Self.write(request, slowlyTo: outbound)
            } else {
                try await outbound.write(request)
            }
            var answers = HTTPMessages(inbound.makeAsyncIterator(), areRequests: false)
            guard let answer = try await answers.next() else { throw Cut.connection }
            return answer
        }
    }

    /// An answer up to the middle of its body.
    ///
    /// Not of its head: Foundation for Linux stops the whole process with "Transfer completed, but
    /// there's no response" then.
    private static func half(_ buffer: ByteBuffer) -> ByteBuffer {
        let bytes = buffer.readableBytesView
        let head = HTTPMessages.headLength(in: bytes) ?? bytes.count
        let length = head + (bytes.count - head) / 2
        return buffer.getSlice(at: buffer.readerIndex, length: length) ?? buffer
    }

    private static func write(
        _ buffer: ByteBuffer, slowlyTo writer: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        var rest = buffer
        while let byte = rest.readSlice(length: 1) { try await writer.write(byte) }
    }
}
