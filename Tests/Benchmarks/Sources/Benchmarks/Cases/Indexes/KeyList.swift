/// The rows of a hundred keys in one question, and the sum of each.
enum KeyList: BenchmarkCase {
    static let name = "keys-100"
    static let summary = "the rows of 100 keys of an index, and the sum of each"

    private static let settleValues = "settle-values"
    private static let grdbValues = "grdb-values"
    private static let settleSums = "settle-sums"
    private static let grdbSums = "grdb-sums"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let peers = try await bench.indexed.peers(bench.size.indexCounts.middle)
        var numbers = RandomNumbers(seed: 100)
        let places = Array(peers.amounts.places.shuffled(using: &numbers).prefix(100))
        let keys = GRDBKeys(places)
        let rows = peers.amounts.rows(of: places)
        let rowsByAmount = peers.amounts.rows(of: places, .amounts)
        let sums = peers.amounts.groups(of: places)
        let contest = try await Contest(
            [
                settle(SettlePeer.name, rows) { try await peers.settle.rows(of: places) },
                settle(settleValues, rows) { try await peers.settle.rowsOfValues(of: places) },
                grdb(GRDBPeer.name, peers, rowsByAmount) { try $0.rows(of: keys) },
                settle(settleSums, sums) { try await peers.settle.groups(of: places) },
                grdb(grdbSums, peers, sums) { try $0.groups(of: keys) },
            ], repetitions: bench.size.repetitions)
        return [
            Comparison(
                name, peer: GRDBPeer.name, unit: "queries/s", target: .atLeast(2.5),
                settle: contest[SettlePeer.name], peer: contest[GRDBPeer.name],
                remark: "a join with the list, \(rows.count) rows"),
            Comparison(
                name, peer: grdbValues, unit: "queries/s", target: nil,
                settle: contest[settleValues], peer: contest[GRDBPeer.name],
                remark: "beside runQuery, whose rows may be kept"),
            Comparison(
                name, peer: grdbSums, unit: "queries/s", target: .atLeast(2),
                settle: contest[settleSums], peer: contest[grdbSums],
                remark: "the sum of each key"),
        ]
    }

    private static func settle(
        _ name: String, _ expected: AnswerSums, _ ask: @escaping () async throws -> AnswerSums
    ) -> Contender {
        Contender(name: name) {
            try await Stopwatch.steadyRate { _ in
                try BenchmarkError.check(try await ask(), is: expected, "The keys of \(name)")
            }
        }
    }

    private static func grdb(
        _ name: String, _ peers: IndexedPeers, _ expected: AnswerSums,
        _ ask: @escaping (GRDBPlaces) throws -> AnswerSums
    ) -> Contender {
        Contender(name: name) {
            try peers.grdb.withPlaces { places in
                try Stopwatch.steadyRate { _ in
                    try BenchmarkError.check(ask(places), is: expected, "The keys of \(name)")
                }
            }
        }
    }
}
