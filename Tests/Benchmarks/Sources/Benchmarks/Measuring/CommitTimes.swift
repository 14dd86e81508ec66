/// How long commits of one document took, and until an observer was told: medians in microseconds.
struct CommitTimes: Sendable {
    /// One commit.
    struct Sample: Sendable {
        let begun: ContinuousClock.Instant
        /// When the caller went on.
        let returned: ContinuousClock.Instant
        /// When the handler of the observer was called; nil where there is none.
        let called: ContinuousClock.Instant?
    }

    /// The commit alone, until its caller went on.
    let commit: Outcome
    /// From there until the handler was called, 0 where that was before; 0 without an observer.
    let beyond: Outcome
    /// From the beginning of the commit until the handler was called; 0 without an observer.
    let whole: Outcome

    /// Takes the medians.
    ///
    /// - Parameters:
    ///   - samples: The commits; at least one.
    ///   - flushes: How often the engine flushed for all of them; nil where that is not counted.
    init(_ samples: [Sample], flushes: UInt64?) {
        let each = flushes.map { Double($0) / Double(samples.count) }
        commit = Outcome(
            value: Self.median(samples.map { $0.returned - $0.begun }), flushes: each)
        beyond = Outcome(
            value: Self.median(
                samples.map { max(.zero, ($0.called ?? $0.returned) - $0.returned) }),
            flushes: each)
        whole = Outcome(
            value: Self.median(samples.map { ($0.called ?? $0.begun) - $0.begun }), flushes: each)
    }

    private static func median(_ durations: [Duration]) -> Double {
        durations.sorted()[durations.count / 2] / .microseconds(1)
    }
}
