import Foundation
import SettlePrimitives
import Synchronization

/// The calls of a pipeline's delegate: each a task, never two for one operation at a time.
///
/// The lock guards the state; nothing is called while it is held.
final class DelegateCalls: Sendable {
    private struct State {
        /// The calls of operations that are active.
        var running: [UUID: DelegateCall] = [:]
        /// Calls that were cancelled, because their operations have ended, and go on all the same.
        var leaving: [UUID: [DelegateCall]] = [:]

        var all: [DelegateCall] { Array(running.values) + leaving.values.joined() }
    }
    private let state = Lock(State())

    /// The call that the code is part of, of whichever pipeline.
    @TaskLocal private static var own: DelegateCall?

    /// Begins a call, once those before for the same operation, or another of its identifier, have ended.
    ///
    /// None is begun after one that closes the outbox.
    func begin(_ id: UUID, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            leave(id, in: &state)
            let earlier = state.leaving[id, default: []]
            let call = DelegateCall()
            call.run(
                as: Task { [weak self] in
                    defer { call.end(.returned) }
                    var isClosing = false
                    for earlier in earlier {
                        if case .closes = await earlier.wait() { isClosing = true }
                    }
                    if self == nil { return }
                    if !isClosing { await Self.$own.withValue(call) { await body() } }
                    self?.forget(id, call)
                })
            state.running[id] = call
        }
    }

    /// Cancels the calls of operations that are active no more.
    func cancel(_ ids: some Sequence<UUID>) {
        let calls = state.withLock { state in ids.compactMap { leave($0, in: &state) } }
        for call in calls { call.cancel() }
    }

    /// Has nobody wait any more for the call that the code is part of, if it is one of these.
    func leaveOwn() {
        guard let own = Self.own else { return }
        let isOurs = state.withLock { state in state.all.contains { $0 === own } }
        if isOurs { own.end(.closes) }
    }

    /// Cancels all calls, and returns when they have ended, but for those that wait for that themselves.
    func stop() async {
        let calls = state.withLock { $0.all }
        for call in calls { call.cancel() }
        for call in calls { _ = await call.wait() }
    }

    @discardableResult
    private func leave(_ id: UUID, in state: inout State) -> DelegateCall? {
        guard let call = state.running.removeValue(forKey: id) else { return nil }
        state.leaving[id, default: []].append(call)
        return call
    }

    private func forget(_ id: UUID, _ call: DelegateCall) {
        state.withLock { state in
            if state.running[id] === call { state.running[id] = nil }
            state.leaving[id]?.removeAll { $0 === call }
            if state.leaving[id]?.isEmpty == true { state.leaving[id] = nil }
        }
    }
}
