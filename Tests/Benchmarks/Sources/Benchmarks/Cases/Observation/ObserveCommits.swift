import Settle

/// Many commits of one document each under one observer, until it was told of the last.
///
/// Settle brings the result up to date from the rows that changed; GRDB asks again.
enum ObserveCommits: BenchmarkCase {
    static let name = "observe-10000"
    static let summary = "10,000 commits of one document under one observer"

    private static let rowLimit = 50
    private static let relaxed = "settle-relaxed"
    private static let page = "settle-page"
    private static let grdbRelaxed = "grdb-relaxed"
    private static let grdbPool = "grdb-pool"
    private static let grdbPage = "grdb-page"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let (all, fewer) = bench.size.followedCounts
        let durable = Following(bench, isDurable: true, count: all)
        let loose = Following(bench, isDurable: false, count: all)
        let first = Following(bench, rowLimit: rowLimit, isDurable: false, count: all)
        // GRDB's queue asks again within each commit: the rate is the same for fewer.
        let fewerDurable = Following(bench, isDurable: true, count: fewer)
        let fewerLoose = Following(bench, isDurable: false, count: fewer)
        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) { try await durable.settle() },
                Contender(name: GRDBPeer.name) { try await fewerDurable.grdb(isPool: false) },
                Contender(name: relaxed) { try await loose.settle() },
                Contender(name: grdbRelaxed) { try await fewerLoose.grdb(isPool: false) },
                Contender(name: grdbPool) { try await loose.grdb(isPool: true) },
                Contender(name: page) { try await first.settle() },
                Contender(name: grdbPage) { try await first.grdb(isPool: false) },
            ], repetitions: bench.size.importRepetitions)
        for name in [SettlePeer.name, GRDBPeer.name] {
            try bench.checkFlushes(contest[name], of: name, leastFlushes: 1)
        }
        let queue = "\(durable.rowCount) rows, asked again by a DatabaseQueue; \(fewer) commits"
        return [
            comparison(
                contest, SettlePeer.name, GRDBPeer.name, .atLeast(12), "durable; \(queue)"),
            comparison(contest, relaxed, grdbRelaxed, .atLeast(20), "relaxed; \(queue)"),
            comparison(
                contest, relaxed, grdbPool, nil,
                "relaxed; a DatabasePool, which leaves out results"),
            comparison(
                contest, page, grdbPage, nil,
                "relaxed; the first \(rowLimit) rows, a DatabaseQueue"),
        ]
    }

    private static func comparison(
        _ contest: Contest, _ settle: String, _ peer: String, _ target: Target?, _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "commits/s", target: target, settle: contest[settle],
            peer: contest[peer], remark: remark)
    }
}
