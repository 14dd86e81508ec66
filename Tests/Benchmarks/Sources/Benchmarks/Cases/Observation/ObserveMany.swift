/// A commit under many observers of which it concerns one, beside that one alone.
enum ObserveMany: BenchmarkCase {
    static let name = "observe-500"
    static let summary = "the same with 500 observers, of which one is concerned, beside that one"

    private static let one = "one"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let count = bench.size.indexCounts.middle
        let contest = try await ObservedPlaces.with(count, bench) { filled in
            let query = SettlePeer.rowsQuery(filled.places[0]...filled.places[0])
            let others = Self.others(filled.places, count: bench.size.observerCount - 1)
            let identifiers = try await filled.settle.identifiers(of: query)
            var numbers = RandomNumbers(seed: 500)
            func picks() -> [String] {
                (0..<bench.size.observedCount).map { _ in numbers.element(of: identifiers) }
            }
            return try await CommitContest(
                [
                    CommitContender(name: SettlePeer.name) {
                        var watches: [SettleWatch] = []
                        for range in others {
                            watches.append(
                                try await filled.settle.watch(SettlePeer.rowsQuery(range)))
                        }
                        let times = try await filled.settle.raiseSingly(picks(), observing: query)
                        for watch in watches { watch.end() }
                        try BenchmarkError.check(
                            watches.map(\.callCount).max(), is: 1,
                            "The results that an observer of other rows was told of")
                        return times
                    },
                    CommitContender(name: one) {
                        try await filled.settle.raiseSingly(picks(), observing: query)
                    },
                ], bench)
        }
        return [
            Comparison(
                name, peer: "self", unit: "µs", isHigherBetter: false, target: .atMost(1.5),
                settle: contest.outcomes(SettlePeer.name, \.whole),
                peer: contest.outcomes(one, \.whole),
                remark: "commit and handler; one observer")
        ]
    }

    /// Ranges without the first place: of one place each, then of two, and so on.
    private static func others(_ places: [Place], count: Int) -> [ClosedRange<Place>] {
        let others = places.dropFirst()
        return (0..<count).map { number in
            let first = others.startIndex + number % others.count
            let last = min(first + number / others.count, others.endIndex - 1)
            return others[first]...others[last]
        }
    }
}
