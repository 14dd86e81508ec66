import SettlePrimitives
import Synchronization

@testable import SettleSync

extension ModelServer {
    /// Waits for a change of the items of a query; nil when the task was cancelled.
    func change(_ query: PullQuery, after: Int) async -> LiveChange? {
        let number = state.withLock { state in
            state.listenCount += 1
            return state.listenCount
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> LiveChange?? in
                    // Cancelling sets the flag before it runs the handler.
                    if Task.isCancelled { return .some(nil) }
                    let listener = Listener(
                        query: query, after: after, continuation: continuation)
                    if let change = Self.change(for: listener, in: state) { return change }
                    state.listeners[number] = listener
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
            listener?.continuation.resume(returning: nil)
        }
    }

    static func change(for listener: Listener, in state: State) -> LiveChange? {
        let last = state.rows.values
            .filter {
                $0.sequence > listener.after
                    && (state.reportsLeaving || isVisible($0.item, in: listener.query))
            }
            .map(\.sequence).max()
        return last.map { LiveChange(isChanged: true, cursor: "\($0)") }
    }

    /// Tells all who listen that nothing changed.
    func tellNothingChanged() {
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            return state.listeners
        }
        for listener in listeners.values {
            listener.continuation.resume(
                returning: LiveChange(isChanged: false, cursor: "\(listener.after)"))
        }
    }

    /// Waits until somebody listens.
    func hasListener() async {
        while state.withLock({ $0.listeners.isEmpty }) { await Task.yield() }
    }
}
