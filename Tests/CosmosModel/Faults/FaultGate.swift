import Synchronization

/// Keeps requests waiting until a test opens it.
package final class FaultGate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let state = Mutex(State())

    /// A gate that is closed.
    package init() {}

    /// Waits until the gate is open.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let (mayPass, watchers) = state.withLock { state in
                state.arrivals += 1
                if !state.isOpen { state.waiting.append(continuation) }
                let due = state.watchers.filter { $0.count <= state.arrivals }
                state.watchers.removeAll { $0.count <= state.arrivals }
                return (state.isOpen, due)
            }
            if mayPass { continuation.resume() }
            for watcher in watchers { watcher.continuation.resume() }
        }
    }

    /// Waits until so many requests have come.
    package func arrivals(reach count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals < count { state.watchers.append((count, continuation)) }
                return state.arrivals >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Lets all go on that wait, and all that come.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
