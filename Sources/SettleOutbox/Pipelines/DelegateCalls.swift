import Foundation
import SettlePrimitives
import Synchronization

/// The calls of a pipeline's delegate: each a task, never two for one operation at a time.
///
/// The lock guards the state; nothing is called while it is held.
final class DelegateCalls: Sendable {
    /// One start of an operation.
    private struct Call {
        let task: Task<Void, Never>
        let startCount: Int
    }

    private struct State {
        /// The calls of operations that are active.
        var running: [UUID: Call] = [:]
        /// Calls that were cancelled, because their operations have ended, and go on all the same.
        var leaving: [UUID: [Call]] = [:]
    }
    private let state = Lock(State())

    /// The call that the code is part of, by its pipeline's calls.
    @TaskLocal private static var own: (calls: ObjectIdentifier, id: UUID, startCount: Int)?

    /// Begins a call, once those before for the same operation have ended.
    func begin(
        _ id: UUID, startCount: Int, _ body: @escaping @Sendable () async -> Void
    ) {
        state.withLock { state in
            leave(id, in: &state)
            let earlier = state.leaving[id, default: []].map(\.task)
            let task = Task { [weak self] in
                for task in earlier { await task.value }
                guard let calls = self.map({ ObjectIdentifier($0) }) else { return }
                await Self.$own.withValue((calls, id, startCount)) { await body() }
                self?.forget(id, startCount)
            }
            state.running[id] = Call(task: task, startCount: startCount)
        }
    }

    /// Cancels the calls of operations that are active no more.
    func cancel(_ ids: some Sequence<UUID>) {
        let tasks = state.withLock { state in ids.compactMap { leave($0, in: &state)?.task } }
        for task in tasks { task.cancel() }
    }

    /// Cancels all calls, and returns when they have ended, but for the one that asks for it.
    func stop() async {
        let own = Self.own
        let calls = state.withLock { state in
            state.running.map { ($0.key, $0.value) }
                + state.leaving.flatMap { id, calls in calls.map { (id, $0) } }
        }
        for (_, call) in calls { call.task.cancel() }
        for (id, call) in calls {
            let isOwn =
                own?.calls == ObjectIdentifier(self) && own?.id == id
                && own?.startCount == call.startCount
            if !isOwn { await call.task.value }
        }
    }

    @discardableResult
    private func leave(_ id: UUID, in state: inout State) -> Call? {
        guard let call = state.running.removeValue(forKey: id) else { return nil }
        state.leaving[id, default: []].append(call)
        return call
    }

    private func forget(_ id: UUID, _ startCount: Int) {
        state.withLock { state in
            if state.running[id]?.startCount == startCount { state.running[id] = nil }
            state.leaving[id]?.removeAll { $0.startCount == startCount }
            if state.leaving[id]?.isEmpty == true { state.leaving[id] = nil }
        }
    }
}
