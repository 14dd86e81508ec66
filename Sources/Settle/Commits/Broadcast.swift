import SettlePrimitives
import Synchronization

/// Hands the same values to everyone who follows.
package final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var streams: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var numberNext: UInt64 = 0
        var isFinished = false
    }
    private let state = Lock(State())

    /// Nobody follows yet.
    package init() {}

    /// Whether nobody follows.
    package var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

    /// Whether ``finish()`` was called.
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    /// A stream of the values from now on.
    ///
    /// - Parameters:
    ///   - policy: How many wait for a slow reader.
    ///   - first: What the stream begins with.
    /// - Returns: The stream; it ends with ``finish()``.
    package func stream(
        _ policy: AsyncStream<Value>.Continuation.BufferingPolicy, first: Value? = nil
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream<Value>.makeStream(bufferingPolicy: policy)
        if let first { continuation.yield(first) }
        let number = state.withLock { state -> UInt64? in
            if state.isFinished { return nil }
            state.numberNext += 1
            state.streams[state.numberNext] = continuation
            return state.numberNext
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
        }
        return stream
    }

    /// Hands a value to everyone.
    package func send(_ value: Value) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(value) }
    }

    /// Ends every stream, also those that are asked for later.
    package func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}
