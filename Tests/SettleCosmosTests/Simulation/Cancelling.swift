import SettleSync
import Synchronization

/// Cancels a replication after some requests.
final class Cancelling: Sendable {
    private struct State {
        var left: Int?
        var task: Task<ReplicationError?, Never>?
    }
    private let state: Mutex<State>

    /// Nothing is cancelled without a number.
    init(after count: Int?) { state = Mutex(State(left: count)) }

    func cancels(_ task: Task<ReplicationError?, Never>) { state.withLock { $0.task = task } }

    /// Counts a request.
    func count() {
        let task = state.withLock { state -> Task<ReplicationError?, Never>? in
            guard let left = state.left else { return nil }
            state.left = left - 1
            return left <= 0 ? state.task : nil
        }
        task?.cancel()
    }
}
