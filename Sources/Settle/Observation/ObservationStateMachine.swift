/// When an observed query is to be run again.
///
/// Pure: each event answers with what the shell (``Observation``) has to do.
struct ObservationStateMachine: Sendable, Equatable {
    /// What the shell has to do.
    enum Action: Sendable, Equatable {
        /// Nothing.
        case wait
        /// Run the query, then report ``finished()``.
        case run
    }

    private enum State: Sendable, Equatable {
        /// The last result is up to date.
        case idle
        /// The query runs; nothing has changed since it began.
        case running
        /// The query runs, and something has changed since: it must run once more.
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

    /// A run is over and its result, if it is a new one, was delivered.
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
