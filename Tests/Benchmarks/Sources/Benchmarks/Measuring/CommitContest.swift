/// Who commits documents one by one, and how it is run once.
struct CommitContender {
    let name: String
    let run: () async throws -> CommitTimes
}

/// Runs those that commit singly against each other, and keeps all their times.
struct CommitContest {
    private let times: [String: [CommitTimes]]

    /// - Parameters:
    ///   - contenders: Who commits.
    ///   - bench: How often.
    /// - Throws: ``BenchmarkError`` when one did not flush; what a contender throws.
    init(_ contenders: [CommitContender], _ bench: Bench) async throws {
        var times: [String: [CommitTimes]] = [:]
        let contest = try await Contest(
            contenders.map { contender in
                Contender(name: contender.name) {
                    let found = try await contender.run()
                    times[contender.name, default: []].append(found)
                    return found.commit
                }
            }, repetitions: bench.size.durableRepetitions)
        for contender in contenders {
            try bench.checkFlushes(
                contest[contender.name], of: contender.name, leastFlushes: 1)
        }
        self.times = times
    }

    /// One of the times of a contender, one for each repetition.
    func outcomes(_ name: String, _ time: KeyPath<CommitTimes, Outcome>) -> [Outcome] {
        (times[name] ?? []).map { $0[keyPath: time] }
    }
}
