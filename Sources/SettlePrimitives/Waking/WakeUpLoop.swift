import Synchronization

/// Runs something again and again, never twice at once, as often as there is a reason to.
///
/// Reasons that come while it runs are taken together: it runs once more when it is done. The lock
/// guards the state.
package final class WakeUpLoop: Sendable {
    private let state = Lock(WakeUpState())
    private let body: @Sendable () async -> Void

    /// - Parameter body: What to run.
    package init(_ body: @escaping @Sendable () async -> Void) {
        self.body = body
    }

    /// There is a reason to run; returns at once.
    package func wake() {
        let begins = state.withLock { state in
            state.request()
            return state.begin()
        }
        guard begins else { return }
        Task { [self] in
            var runsAgain = true
            while runsAgain {
                await body()
                runsAgain = state.withLock { state in
                    state.finish()
                    return state.begin()
                }
            }
        }
    }

    /// Lets the run that is under way be the last.
    package func end() {
        state.withLock { $0.end() }
    }
}
