import SettlePrimitives
import Synchronization

/// Work that goes on behind the pages, such as building an index.
///
/// All state is guarded by one lock.
final class Jobs: Sendable {
    private struct State {
        var number = 0
        var tasks: [Int: (name: String, task: Task<Void, Never>)] = [:]
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
            let task = Task { [weak self] in
                do {
                    try await work()
                } catch {
                    self?.note(FailureSentence.of(error), of: name)
                }
                self?.end(number)
            }
            state.tasks[number] = (name, task)
        }
    }

    /// Why the last job of a name failed; nil when it did not.
    func failure(of name: String) -> String? { state.withLock { $0.failures[name] } }

    /// Whether a job of a name goes on.
    func isRunning(_ name: String) -> Bool {
        state.withLock { $0.tasks.values.contains { $0.name == name } }
    }

    /// Waits for all that goes on.
    func finish() async {
        for task in state.withLock({ $0.tasks.values.map(\.task) }) { await task.value }
    }

    private func note(_ failure: String, of name: String) {
        state.withLock { $0.failures[name] = failure }
    }

    private func end(_ number: Int) {
        state.withLock { $0.tasks[number] = nil }
    }
}
