import SettlePrimitives
import Synchronization

/// A latest-value buffer for one reader: a newer value replaces one that was not taken.
///
/// Values that the reader does not get to are conflated; the last one is always delivered. The lock guards the
/// state; nobody is woken while it is held.
final class LatestValueBuffer<Content: Sendable>: Sendable {
    private struct State {
        var content: Content?
        var reader: CheckedContinuation<Content?, Never>?
        var hasEnded = false
    }
    private let state = Lock(State())

    /// Puts an answer in the place of the one that nobody has taken.
    func put(_ content: Content) {
        let reader = state.withLock { state -> CheckedContinuation<Content?, Never>? in
            if state.hasEnded { return nil }
            guard let reader = state.reader else {
                state.content = content
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: content)
    }

    /// Lets the reader know that nothing comes any more; what was not taken is dropped.
    func end() {
        let reader = state.withLock { state in
            state.hasEnded = true
            state.content = nil
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// True once ``end()`` was called.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Waits for an answer and takes it.
    ///
    /// - Precondition: Nobody else waits.
    /// - Returns: The newest answer; nil when there are no more, or when the task is cancelled.
    func take() async -> Content? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Content?? in
                    precondition(state.reader == nil, "A latest-value buffer has one reader.")
                    if state.hasEnded || Task.isCancelled { return .some(nil) }
                    if let content = state.content {
                        state.content = nil
                        return content
                    }
                    state.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}
