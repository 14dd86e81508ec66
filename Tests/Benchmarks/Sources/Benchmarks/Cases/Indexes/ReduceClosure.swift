/// The whole range of an index reduced by a function in Swift, beside the built-in sum.
enum ReduceClosure: BenchmarkCase {
    static let name = "reduce-closure"
    static let summary = "all rows of an index by a reduce closure that counts types"

    private static let builtIn = "built-in"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let count = bench.size.indexCounts.large
        let peers = try await bench.indexed.peers(count)
        let (total, counts) = (peers.amounts.total, peers.amounts.typeCounts)
        try await peers.settle.build(SettleIndexes.types)
        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) {
                    try await Stopwatch.steadyRate { _ in
                        try BenchmarkError.check(
                            try await peers.settle.typeCounts(), is: counts, "Settle's counts")
                    }
                },
                Contender(name: builtIn) {
                    try await Stopwatch.steadyRate { _ in
                        try BenchmarkError.check(
                            try await peers.settle.sum(), is: total, "Settle's sum")
                    }
                },
            ], repetitions: bench.size.repetitions)
        try await peers.settle.remove(SettleIndexes.types)
        return [
            Comparison(
                name, peer: "self", unit: "µs", isHigherBetter: false, target: .atMost(5),
                settle: contest[SettlePeer.name].map(\.microseconds),
                peer: contest[builtIn].map(\.microseconds),
                remark: "the built-in sum, \(count) rows")
        ]
    }
}
