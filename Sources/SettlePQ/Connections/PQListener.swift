internal import CPQ
internal import SettlePrimitives
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// What comes to a listener.
package enum PQNotification: Sendable, Equatable {
    /// Somebody has notified the channel, and this is what they said.
    case payload(String)
    /// From now on the listener hears everything; what was said before may have been missed.
    ///
    /// Comes first of all, and again each time a connection that was lost has been made anew.
    case resumed
}

/// Listens to a channel of a database (`LISTEN`), with a connection and a thread of its own.
///
/// When the connection is lost, it is made anew, as often as it takes, with pauses that grow to two
/// seconds while connections do not last.
package final class PQListener: Sendable {
    /// What comes, in order, for one reader; nothing is dropped, so it has to be read.
    ///
    /// Ends after ``close()``.
    package let notifications: AsyncStream<PQNotification>

    private let output: AsyncStream<PQNotification>.Continuation
    private let stop: StopPipe

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - endpoint: The database.
    ///   - channel: The name of the channel, in which upper and lower case differ; at most 63
    ///     bytes.
    package init(endpoint: PQEndpoint, channel: String) {
        (notifications, output) = AsyncStream.makeStream(of: PQNotification.self)
        let stop = StopPipe()
        self.stop = stop
        let loop = ListenerLoop(endpoint: endpoint, channel: channel, output: output, stop: stop)
        DedicatedThread.start(name: "settle-pq-ear") { loop.run() }
    }

    deinit {
        stop.send()
    }

    /// Ends listening; may be called more than once.
    package func close() {
        stop.send()
        output.finish()
    }
}

/// What the thread of a listener does; it holds this, and not the listener.
private struct ListenerLoop: Sendable {
    let endpoint: PQEndpoint
    let channel: String
    let output: AsyncStream<PQNotification>.Continuation
    let stop: StopPipe

    func run() {
        var milliseconds = Self.pauseMin
        while !stop.isSent {
            let begin = ContinuousClock.now
            if let connection = try? PQConnection(endpoint),
                (try? connection.listen(to: channel)) != nil
            {
                output.yield(.resumed)
                hear(connection)
            }
            // One that ended at once shows no more than one that was not come by.
            if .now - begin > .seconds(10) { milliseconds = Self.pauseMin }
            _ = SocketWait.firstReadable(of: [stop.readEnd], milliseconds: milliseconds)
            milliseconds = min(milliseconds * 2, 2_000)
        }
        output.finish()
    }

    private static let pauseMin: Int32 = 50

    /// Passes on what comes until the connection or the listener ends.
    private func hear(_ connection: PQConnection) {
        while !stop.isSent {
            while let payload = connection.nextNotification() { output.yield(.payload(payload)) }
            if connection.isBroken { return }
            _ = SocketWait.firstReadable(
                of: [stop.readEnd, connection.socket], milliseconds: -1)
            guard connection.takeInput() else { return }
        }
    }
}

extension PQConnection {
    fileprivate var socket: Int32 { PQsocket(handle) }

    fileprivate func listen(to channel: String) throws(PQError) {
        // LISTEN takes no parameters: libpq quotes the name.
        guard let quoted = PQescapeIdentifier(handle, channel, channel.utf8.count) else {
            throw PQError(
                code: .statement, message: "The name of a channel must be UTF-8 without U+0000.")
        }
        defer { PQfreemem(quoted) }
        try execute("LISTEN " + String(cString: quoted))
    }

    /// Reads what has come; false when the connection has ended.
    fileprivate func takeInput() -> Bool {
        PQconsumeInput(handle) == 1
    }

    /// What somebody has said and was not yet passed on; nil when there is nothing.
    fileprivate func nextNotification() -> String? {
        guard let notification = PQnotifies(handle) else { return nil }
        defer { PQfreemem(notification) }
        return notification.pointee.extra.map { String(cString: $0) } ?? ""
    }
}

/// A pipe whose end wakes a thread that waits for sockets.
private final class StopPipe: Sendable {
    /// Becomes readable when the stop is sent.
    let readEnd: Int32
    /// -1 once it is closed, which is how the stop is sent.
    private let writeEnd: Lock<Int32>

    init() {
        var ends: [Int32] = [-1, -1]
        let result = pipe(&ends)
        precondition(result == 0, "The system gives no pipe: error \(errno).")
        // Programs that are started must not hold it open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = Lock(ends[1])
    }

    deinit {
        send()
        close(readEnd)
    }

    var isSent: Bool { writeEnd.withLock { $0 < 0 } }

    func send() {
        let end = writeEnd.withLock { end in
            defer { end = -1 }
            return end
        }
        if end >= 0 { close(end) }
    }
}
