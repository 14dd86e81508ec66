/// The sums of an index by the first elements of its keys, in the largest size.
struct Grouping {
    let bench: Bench
    let caseName: String
    /// How many elements make a group.
    let level: UInt
    let target: Target
    /// What must come out.
    let expected: (PlaceAmounts) -> AnswerSums
    /// How SQLite is asked for it.
    let ask: (GRDBPlaces) throws -> AnswerSums

    func comparisons() async throws -> [Comparison] {
        let count = bench.size.indexCounts.large
        let peers = try await bench.indexed.peers(count)
        let expected = expected(peers.amounts)
        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) {
                    try await Stopwatch.steadyRate { _ in
                        try BenchmarkError.check(
                            try await peers.settle.groups(level: level), is: expected,
                            "Settle's groups")
                    }
                },
                Contender(name: GRDBPeer.name) {
                    try peers.grdb.withPlaces { places in
                        try Stopwatch.steadyRate { _ in
                            try BenchmarkError.check(
                                ask(places), is: expected, "GRDB's groups")
                        }
                    }
                },
            ], repetitions: bench.size.repetitions)
        return [
            Comparison(
                caseName, peer: GRDBPeer.name, unit: "queries/s", target: target,
                settle: contest[SettlePeer.name], peer: contest[GRDBPeer.name],
                remark: "GROUP BY over its index, \(count) rows in \(expected.count) groups")
        ]
    }
}
