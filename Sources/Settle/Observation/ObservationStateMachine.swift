/// When what is observed is to be brought up to date again.
///
/// Pure: each event answers with what the shell (``WakeUpLoop``) has to do.
struct ObservationStateMachine: Sendable, Equatable {
    /// What the shell has to do.
    enum Action: Sendable, Equatable {
        /// Nothing.
        case wait
        /// Run a pass, then report ``finished()``.
        case run
    }

    private enum State: Sendable, Equatable {
        /// The last results are up to date.
        case idle
        /// A pass runs; nothing has changed since it began.
        case running
        /// A pass runs, and something has changed since: there must be one more.
        case outdated
        case ended
    }
    private var state = State.idle

    /// True once the observation was ended.
    var isEnded: Bool { state == .ended }

    /// Something changed, or a first result is wanted.
    mutating func changed() -> Action {
        switch state {
        case .idle:
            state = .running
            return .run
        case .running, .outdated:
            state = .outdated
            return .wait
        case .ended:
            return .wait
        }
    }

    /// A pass is over, and its results were delivered as far as they are new ones.
    mutating func finished() -> Action {
        switch state {
        case .running:
            state = .idle
            return .wait
        case .outdated:
            state = .running
            return .run
        case .idle, .ended:
            return .wait
        }
    }

    /// Nobody wants results any more.
    mutating func end() {
        state = .ended
    }
}
