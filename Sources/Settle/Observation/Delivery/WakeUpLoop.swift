import Synchronization

/// Runs something again and again, never twice at once, as often as there is a reason to.
///
/// Reasons that come while it runs are taken together: it runs once more when it is done. The lock
/// guards the machine.
final class WakeUpLoop: Sendable {
    private let machine = Mutex(ObservationStateMachine())
    private let body: @Sendable () async -> Void

    /// - Parameter body: What to run.
    init(_ body: @escaping @Sendable () async -> Void) {
        self.body = body
    }

    /// There is a reason to run.
    func wake() {
        guard machine.withLock({ $0.changed() }) == .run else { return }
        Task { [self] in
            repeat {
                await body()
            } while machine.withLock({ $0.finished() }) == .run
        }
    }

    /// Lets the pass that is under way be the last.
    func end() {
        machine.withLock { $0.end() }
    }
}
