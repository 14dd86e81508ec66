import Flushes

/// What one run of one engine gave.
struct Outcome: Sendable {
    /// The figure, in the unit of the case.
    let value: Double
    /// Flushes for each commit, or each insert where commits are shared; nil where none are due.
    var flushes: Double?

    /// A rate as what one thing took, in microseconds.
    var microseconds: Outcome { Outcome(value: 1e6 / value, flushes: flushes) }
}

/// An engine that takes part in a case, and how it is run once.
struct Contender {
    let name: String
    let run: () async throws -> Outcome
}

/// Runs engines against each other so that what disturbs the machine meets all of them.
struct Contest {
    /// The outcomes by contender, one for each repetition.
    let outcomes: [String: [Outcome]]

    /// Runs every contender once in each repetition, each repetition beginning with another.
    init(_ contenders: [Contender], repetitions: Int) async throws {
        var outcomes: [String: [Outcome]] = [:]
        for repetition in 0..<repetitions {
            for place in contenders.indices {
                let contender = contenders[(place + repetition) % contenders.count]
                outcomes[contender.name, default: []].append(try await contender.run())
            }
        }
        self.outcomes = outcomes
    }

    /// The outcomes of a contender of this contest.
    subscript(name: String) -> [Outcome] { outcomes[name] ?? [] }
}

/// Measures time and flushes round a piece of work.
enum Stopwatch {
    /// How many things were done in a second.
    static func rate(of count: Int, _ work: () throws -> Void) rethrows -> Outcome {
        let begun = ContinuousClock.now
        try work()
        return Outcome(value: rate(of: count, since: begun))
    }

    /// As ``rate(of:_:)``, for work that waits.
    static func rate(of count: Int, _ work: () async throws -> Void) async rethrows -> Outcome {
        let begun = ContinuousClock.now
        try await work()
        return Outcome(value: rate(of: count, since: begun))
    }

    /// How often something short can be done in a second: as often as goes into a twentieth of one.
    ///
    /// - Parameter work: What to do; takes how often it was done before.
    /// - Returns: The rate.
    /// - Throws: What `work` throws.
    static func steadyRate(_ work: (Int) throws -> Void) rethrows -> Outcome {
        let begun = ContinuousClock.now
        var count = 0
        repeat {
            try work(count)
            count += 1
        } while ContinuousClock.now - begun < steadyTime
        return Outcome(value: rate(of: count, since: begun))
    }

    /// As ``steadyRate(_:)``, for work that waits.
    static func steadyRate(_ work: (Int) async throws -> Void) async rethrows -> Outcome {
        let begun = ContinuousClock.now
        var count = 0
        repeat {
            try await work(count)
            count += 1
        } while ContinuousClock.now - begun < steadyTime
        return Outcome(value: rate(of: count, since: begun))
    }

    private static let steadyTime = Duration.milliseconds(50)

    /// As ``rate(of:_:)``, with the flushes for each of `commits`.
    static func durableRate(
        of count: Int, commits: Int, _ work: () async throws -> Void
    ) async throws -> Outcome {
        let before = flushes_count()
        var outcome = try await rate(of: count, work)
        guard flushes_are_counted() != 0 else { return outcome }
        outcome.flushes = Double(flushes_count() - before) / Double(commits)
        return outcome
    }

    private static func rate(of count: Int, since begun: ContinuousClock.Instant) -> Double {
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        return Double(count) / max(seconds, 1e-9)
    }
}
