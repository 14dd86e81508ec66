import Settle

/// A commit under an observer of the sum of all rows, beside one under an observer of a few rows.
enum ObserveReduce: BenchmarkCase {
    static let name = "observe-reduce"
    static let summary = "a commit of one document until the observer of the sum of all is called"

    private static let rowLimit = 50
    private static let unreduced = "rows"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let count = bench.size.indexCounts.large
        let contest = try await ObservedPlaces.with(count, bench) { filled in
            let place = filled.places[filled.places.count / 2]
            let page = SettlePeer.rowsQuery(place...place, rowLimit: rowLimit)
            // Both commit the same, and each commit changes both results.
            let identifiers = try await filled.settle.identifiers(of: page)
            var numbers = RandomNumbers(seed: 2)
            func picks() -> [String] {
                (0..<bench.size.observedCount).map { _ in numbers.element(of: identifiers) }
            }
            return try await CommitContest(
                [
                    CommitContender(name: SettlePeer.name) {
                        try await filled.settle.raiseSingly(picks(), observing: QueryByKeyRange())
                    },
                    CommitContender(name: unreduced) {
                        try await filled.settle.raiseSingly(picks(), observing: page)
                    },
                ], bench)
        }
        return [
            Comparison(
                name, peer: "self", unit: "µs", isHigherBetter: false, target: .atMost(2),
                settle: contest.outcomes(SettlePeer.name, \.whole),
                peer: contest.outcomes(unreduced, \.whole),
                remark: "commit and handler; \(rowLimit) rows of \(count) observed, not reduced")
        ]
    }
}
