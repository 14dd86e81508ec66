import SettlePQ
import SettlePrimitives
import SettleServer
import Synchronization

/// Who wants to know of commits, and how they come to know.
///
/// A commit of this process is told at once; those of others come over a channel of PostgreSQL,
/// where each transaction that changes a table says its name.
final class ChangeSignals: Sendable {
    /// The channel on which changes are told; the payload is the name of the table.
    static let channel = "settle_changes"

    private struct State {
        var listeners: [String: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var lastNumber: UInt64 = 0
        var isClosed = false
    }

    private let state = Lock(State())

    /// A stream that has an element whenever a table may have changed.
    func stream(for table: TableName) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> UInt64? in
            guard !state.isClosed else { return nil }
            state.lastNumber += 1
            state.listeners[table.text, default: [:]][state.lastNumber] = continuation
            return state.lastNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.remove(number, of: table.text)
        }
        return stream
    }

    /// Tells of a change to a table.
    func send(_ table: String) {
        let listeners = state.withLock { Array($0.listeners[table, default: [:]].values) }
        for listener in listeners { listener.yield() }
    }

    /// Tells of a possible change to every table.
    func sendAll() {
        let listeners = state.withLock { $0.listeners.values.flatMap(\.values) }
        for listener in listeners { listener.yield() }
    }

    /// Passes on what a listener hears, until it is closed.
    func follow(_ notifications: AsyncStream<PQNotification>) async {
        for await notification in notifications {
            switch notification {
            case .payload(let table): send(table)
            // While nobody listened anything may have happened.
            case .resumed: sendAll()
            }
        }
    }

    /// Ends all streams.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return state.listeners.values.flatMap(\.values)
        }
        for listener in listeners { listener.finish() }
    }

    private func remove(_ number: UInt64, of table: String) {
        state.withLock { state in
            state.listeners[table]?[number] = nil
            if state.listeners[table]?.isEmpty == true { state.listeners[table] = nil }
        }
    }
}
