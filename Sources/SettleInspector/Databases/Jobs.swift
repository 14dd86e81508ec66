import SettlePrimitives
import Synchronization

/// Work that goes on behind the pages, such as building an index.
///
/// All state is guarded by one lock.
final class Jobs: Sendable {
    private struct State {
        var number = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        /// Why the last job of a name failed.
        var failures: [String: String] = [:]
    }

    private let state = Lock(State())

    /// Starts work.
    ///
    /// - Parameters:
    ///   - name: What it is about; an older failure of that name is forgotten.
    ///   - work: The work.
    func start(_ name: String, _ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { state in
            state.number += 1
            let number = state.number
            state.failures[name] = nil
            state.tasks[number] = Task { [weak self] in
                do {
                    try await work()
                } catch {
                    self?.note(FailureSentence.of(error), of: name)
                }
                self?.end(number)
            }
        }
    }

    /// Why the last job of a name failed; nil when it did not.
    func failure(of name: String) -> String? { state.withLock { $0.failures[name] } }

    /// Waits for all that goes on.
    func finish() async {
        for task in state.withLock({ Array($0.tasks.values) }) { await task.value }
    }

    private func note(_ failure: String, of name: String) {
        state.withLock { $0.failures[name] = failure }
    }

    private func end(_ number: Int) {
        state.withLock { $0.tasks[number] = nil }
    }
}
