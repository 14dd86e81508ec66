import SettlePrimitives
import Synchronization

/// Lets a task wait for one of several answers; those that come later are dropped.
///
/// The lock guards the state; the task goes on without it.
final class FirstResult<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case answered(Result<Value, any Error>)
        case over
    }

    private let state = Lock(State.open)

    /// Goes on with the first answer, also when it was there before.
    ///
    /// Called once.
    func wait(with continuation: CheckedContinuation<Value, any Error>) {
        let answer: Result<Value, any Error>? = state.withLock { state in
            if case .answered(let answer) = state {
                state = .over
                return answer
            }
            state = .waiting(continuation)
            return nil
        }
        if let answer { continuation.resume(with: answer) }
    }

    /// Gives an answer.
    func give(_ answer: Result<Value, any Error>) {
        let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .open:
                state = .answered(answer)
                return nil
            case .waiting(let continuation):
                state = .over
                return continuation
            case .answered, .over: return nil
            }
        }
        continuation?.resume(with: answer)
    }
}
