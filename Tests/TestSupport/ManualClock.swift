import SettlePrimitives
import Synchronization

/// A clock that stands still until a test moves it.
///
/// A task that sleeps on it wakes when `advance` reaches its deadline, in the order of the
/// deadlines. `sleepers(reach:)` lets a test wait, without any real time passing on purpose, until
/// the code under test has gone to sleep.
///
/// The lock guards everything that changes; no continuation is resumed while it is held.
package final class ManualClock: Clock, Sendable {
    /// A moment: how long after the clock was made.
    package struct Instant: InstantProtocol, CustomStringConvertible {
        /// How long after the clock was made.
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        package func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        package static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }

        package var description: String { "start + \(offset)" }
    }

    private struct Sleeper {
        var order: UInt64
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        var count: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var orderNext: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        var watchers: [Watcher] = []
    }

    private let state = Lock(State())

    /// A clock that stands at zero.
    package init() {}

    package var now: Instant { state.withLock { $0.now } }

    package var minimumResolution: Duration { .nanoseconds(1) }

    /// How many tasks sleep on this clock at the moment.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Suspends the task until the clock has been moved to `deadline`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before.
    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let order = state.withLock { state in
            state.orderNext += 1
            return state.orderNext
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                register(Sleeper(order: order, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: order) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the clock on and wakes every sleeper whose deadline was reached.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "A clock only goes forward.")
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.values.filter { $0.deadline <= state.now }
            for sleeper in due { state.sleepers[sleeper.order] = nil }
            return due.sorted { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Waits until at least `count` tasks sleep on this clock.
    package func sleepers(reach count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private enum Registration {
        case cancelled, due
        case waits([Watcher])
    }

    private func register(_ sleeper: Sleeper) {
        let registration: Registration = state.withLock { state in
            // Cancelling sets the flag before it runs the handler: a handler that came too early
            // to find the sleeper is seen here.
            if Task.isCancelled { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            state.sleepers[sleeper.order] = sleeper
            let count = state.sleepers.count
            let satisfied = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return .waits(satisfied)
        }
        switch registration {
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        case .due: sleeper.continuation.resume()
        case .waits(let watchers): for watcher in watchers { watcher.continuation.resume() }
        }
    }
}
