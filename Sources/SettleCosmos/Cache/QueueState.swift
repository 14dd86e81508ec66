import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Whether writes may wait to be sent, so that a read need not look when none do.
    final class QueueState: Sendable {
        private struct State {
            var count: UInt64 = 0
            var underWayCount = 0
            var mayWait = true
        }

        private let state = Lock(State())

        /// Whether writes may wait.
        var mayWait: Bool { state.withLock { $0.mayWait } }

        /// How often something was queued, to hand to ``noteEmpty(since:)``.
        var count: UInt64 { state.withLock { $0.count } }

        /// Notes that something is being queued, until ``endQueueing()``.
        func beginQueueing() {
            state.withLock { state in
                state.count += 1
                state.underWayCount += 1
                state.mayWait = true
            }
        }

        /// Notes that something was queued, or was not.
        func endQueueing() { state.withLock { $0.underWayCount -= 1 } }

        /// Notes that the queue was found empty, unless something was or is being queued since it was looked at.
        func noteEmpty(since count: UInt64) {
            state.withLock { state in
                if state.count == count, state.underWayCount == 0 { state.mayWait = false }
            }
        }
    }
}
