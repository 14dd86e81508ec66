import Synchronization

/// A wait that can be cut short.
final class Rest: Sendable {
    private struct State {
        var isInterrupted = false
        var sleep: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Waits for `duration`; shorter when the task is cancelled, or when an interruption came
    /// since the last wait.
    func wait(_ duration: Duration, on clock: any Clock<Duration>) async {
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
        state.withLock { state in
            state.isInterrupted = false
            state.sleep = nil
        }
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
