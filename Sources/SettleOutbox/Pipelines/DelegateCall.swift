import SettlePrimitives
import Synchronization

/// One call of a delegate.
///
/// The lock guards the state, and nothing is called or resumed while it is held.
final class DelegateCall: Sendable {
    /// Why nobody waits for a call any more.
    enum End {
        /// It has returned.
        case returned
        /// It closes the outbox, so it goes on for as long as that waits for others.
        case closes
    }

    private struct State {
        var task: Task<Void, Never>?
        var end: End?
        var waiters: [CheckedContinuation<End, Never>] = []
    }
    private let state = Lock(State())

    /// Notes the task that the call is.
    func run(as task: Task<Void, Never>) {
        state.withLock { $0.task = task }
    }

    func cancel() {
        state.withLock { $0.task }?.cancel()
    }

    /// Lets those go on that wait for the call; the first end is the one that counts.
    func end(_ end: End) {
        let waiters = state.withLock { state in
            if state.end != nil { return [CheckedContinuation<End, Never>]() }
            state.end = end
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: end) }
    }

    /// Waits for the end, and says which it was.
    func wait() async -> End {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state in
                if state.end == nil { state.waiters.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }
}
