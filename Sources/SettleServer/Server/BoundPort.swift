import SettlePrimitives
import Synchronization

/// The port of a server, which is known some time after the server began to run.
///
/// All state is guarded by one lock, which is never held while a waiter goes on.
final class BoundPort: Sendable {
    private struct State {
        var result: Result<Int, any Error>?
        var waiters: [Int: CheckedContinuation<Int, any Error>] = [:]
        var waiterCount = 0
    }

    private let state = Lock(State())

    /// Tells all who wait, and all who ask later; only the first result counts.
    func resolve(_ result: Result<Int, any Error>) {
        let waiters = state.withLock { state -> [CheckedContinuation<Int, any Error>] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// The port, as soon as it is known.
    ///
    /// - Throws: The error the server ended with; `CancellationError` when the task is cancelled.
    var value: Int {
        get async throws {
            let ticket = state.withLock { state in
                state.waiterCount += 1
                return state.waiterCount
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result = state.withLock { state -> Result<Int, any Error>? in
                        if let result = state.result { return result }
                        // Looked at under the lock: a cancellation from here on finds the waiter.
                        if Task.isCancelled { return .failure(CancellationError()) }
                        state.waiters[ticket] = continuation
                        return nil
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
                waiter?.resume(throwing: CancellationError())
            }
        }
    }
}
