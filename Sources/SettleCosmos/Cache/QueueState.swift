import SettlePrimitives
import Synchronization

extension Cosmos {
    /// Whether writes may wait to be sent, so that a read need not look when none do.
    final class QueueState: Sendable {
        private struct State {
            var count: UInt64 = 0
            var underWayCount = 0
            var mayWait = true
            /// Whether something was queued since the queue was found empty last.
            var hasQueued = false
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

        /// Notes that something is queued by the commit that is about to be made.
        func noteQueued() { state.withLock { $0.hasQueued = true } }

        /// Notes that something was queued, or was not.
        func endQueueing() { state.withLock { $0.underWayCount -= 1 } }

        /// Notes that the queue was found empty, unless something was or is being queued since it was looked at.
        ///
        /// - Returns: Whether it is empty, and something was queued since it was found so last.
        func noteEmpty(since count: UInt64) -> Bool {
            state.withLock { state in
                guard state.count == count, state.underWayCount == 0 else { return false }
                defer { state.hasQueued = false }
                state.mayWait = false
                return state.hasQueued
            }
        }
    }
}
