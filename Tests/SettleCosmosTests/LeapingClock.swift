import Synchronization

/// A clock on which each sleep is over at once, and has taken its time.
final class LeapingClock: Clock, Sendable {
    typealias Instant = ContinuousClock.Instant

    private let offset = Mutex(Duration.zero)

    var now: Instant { ContinuousClock.now.advanced(by: offset.withLock { $0 }) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let wait = now.duration(to: deadline)
        if wait > .zero { offset.withLock { $0 += wait } }
        await Task.yield()
    }
}
