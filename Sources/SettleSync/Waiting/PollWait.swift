import SettlePrimitives
import Synchronization

/// A wait that can be cut short.
final class PollWait: Sendable {
    private struct State {
        var isInterrupted = false
        var sleep: Task<Void, Never>?
    }

    private let state = Lock(State())

    /// Waits for `duration`; shorter when the task is cancelled, or when an interruption came
    /// since the last wait.
    ///
    /// - Returns: Whether there was an interruption.
    @discardableResult
    func wait(_ duration: Duration, on clock: any Clock<Duration>) async -> Bool {
        let sleep = Task {
            do {
                try await clock.sleep(for: duration)
            } catch {
                // Cut short, which is what was wanted.
            }
        }
        let isInterrupted = state.withLock { state in
            if !state.isInterrupted { state.sleep = sleep }
            return state.isInterrupted
        }
        if isInterrupted { sleep.cancel() }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        return state.withLock { state in
            defer {
                state.isInterrupted = false
                state.sleep = nil
            }
            return state.isInterrupted
        }
    }

    /// Forgets an interruption that came since the last wait.
    func forget() {
        state.withLock { $0.isInterrupted = false }
    }

    /// Ends the wait, or the next one.
    func interrupt() {
        let sleep = state.withLock { state in
            state.isInterrupted = true
            return state.sleep
        }
        sleep?.cancel()
    }
}
