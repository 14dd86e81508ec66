import Dispatch
import Synchronization

/// Runs an observed query whenever documents changed, and delivers each result that differs from
/// the one before.
///
/// Changes that arrive while the query runs, or while the handler works, are taken together: the
/// query runs once more when both are done. The last state is therefore always delivered, and a
/// slow handler is never flooded.
final class Observation: Sendable {
    private let index: String
    private let parameters: any QueryParameters
    private let handler: @Sendable (QueryResultEnumerator) -> Void
    private let queue: DispatchQueue

    private struct State {
        var machine = ObservationStateMachine()
        weak var database: Database?
        var delivered: [QueryResultRow]?
        var hasFailed = false
    }
    private let state: Mutex<State>

    init(
        _ database: Database, index: String, parameters: any QueryParameters,
        handler: @escaping @Sendable (QueryResultEnumerator) -> Void
    ) {
        self.index = index
        self.parameters = parameters
        self.handler = handler
        queue = database.completionQueue
        var state = State()
        state.database = database
        self.state = Mutex(state)
    }

    func changed() {
        perform(state.withLock { $0.machine.changed() })
    }

    func end() {
        state.withLock { $0.machine.end() }
    }

    private func perform(_ action: ObservationStateMachine.Action) {
        guard action == .run else { return }
        Task { await run() }
    }

    private func run() async {
        guard let database = state.withLock({ $0.database }) else { return end() }
        do {
            let result = try await database.runQuery(on: index, with: parameters)
            let isNew = state.withLock { state in
                defer {
                    state.delivered = result.rows
                    state.hasFailed = false
                }
                return state.hasFailed || state.delivered != result.rows
            }
            if isNew { await deliver(result) }
        } catch {
            // Told once; the next result that can be had is delivered again.
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isFirst {
                await deliver(
                    QueryResultEnumerator(
                        rows: [], startRow: parameters.startRow, error: error))
            }
        }
        perform(state.withLock { $0.machine.finished() })
    }

    private func deliver(_ result: QueryResultEnumerator) async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                if !state.withLock({ $0.machine.isEnded }) { handler(result) }
                continuation.resume()
            }
        }
    }
}
