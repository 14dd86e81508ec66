/// How long after a commit of one document the handler of an observer of all rows is called.
enum ObserveLatency: BenchmarkCase {
    static let name = "observe-latency"
    static let summary = "a durable commit of one document until its observer's handler is called"

    private static let unobserved = "unobserved"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let count = bench.size.indexCounts.middle
        let singles = SingleInsertion(bench, bench.documents.prefix(bench.size.singleCount))
        var insertions: [Outcome] = []
        let contest = try await ObservedPlaces.with(count, bench) { filled in
            var numbers = RandomNumbers(seed: 1)
            func picks() -> [String] {
                (0..<bench.size.observedCount).map { _ in
                    DocumentGenerator.identifier(numbers.number(below: count))
                }
            }
            return try await CommitContest(
                [
                    CommitContender(name: SettlePeer.name) {
                        try await filled.settle.raiseSingly(
                            picks(), observing: SettlePeer.allRowsQuery)
                    },
                    CommitContender(name: unobserved) {
                        insertions.append(try await singles.settle(tasks: 1).microseconds)
                        return try await filled.settle.raiseSingly(picks(), observing: nil)
                    },
                ], bench)
        }
        let beyond = contest.outcomes(SettlePeer.name, \.beyond)
        let commits = contest.outcomes(unobserved, \.commit)
        return [
            comparison(
                "self", beyond, insertions, .atMost(1),
                "beyond the commit, 0 if the handler was first; a commit of single-durable"),
            comparison(
                "whole", contest.outcomes(SettlePeer.name, \.whole), commits, nil,
                "from the beginning of the commit; the same commit, unobserved"),
        ]
    }

    private static func comparison(
        _ peer: String, _ settle: [Outcome], _ others: [Outcome], _ target: Target?,
        _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "µs", isHigherBetter: false, target: target, settle: settle,
            peer: others, remark: remark)
    }
}
