import TestSupport

/// A clock on which no wait takes any time: whoever sleeps finds that it has become later.
///
/// It only moves when somebody sleeps on it, so what it says tells how long was waited.
final class LeapingClock: Clock, Sendable {
    typealias Instant = ManualClock.Instant

    private let hands = ManualClock()

    var now: Instant { hands.now }
    var minimumResolution: Duration { hands.minimumResolution }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        hands.advance(by: max(.zero, hands.now.duration(to: deadline)))
        await Task.yield()
    }
}
