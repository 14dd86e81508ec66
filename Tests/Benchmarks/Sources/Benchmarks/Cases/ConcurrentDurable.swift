/// Sixteen callers store documents at once, each waiting until its own is on the disk.
enum ConcurrentDurable: BenchmarkCase {
    static let name = "single-durable-16"
    static let summary = "one durable insert a call, 16 concurrent callers"

    private static let taskCount = 16
    private static let single = "single"
    private static let concurrentGRDB = "grdb-16"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        // As many for sixteen as take about as long as those of one caller.
        let one = SingleInsertion(bench, bench.documents.prefix(bench.size.singleCount))
        let many = SingleInsertion(bench, bench.documents.prefix(bench.size.concurrentCount))
        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) { try await many.settle(tasks: taskCount) },
                Contender(name: single) { try await one.settle(tasks: 1) },
                Contender(name: GRDBPeer.name) { try await one.grdb(tasks: 1) },
                Contender(name: concurrentGRDB) { try await one.grdb(tasks: taskCount) },
            ], repetitions: bench.size.durableRepetitions)
        // A commit can serve no more callers than there are.
        try bench.checkFlushes(
            contest[SettlePeer.name], of: SettlePeer.name, leastFlushes: 1 / Double(taskCount))
        for name in [single, GRDBPeer.name, concurrentGRDB] {
            try bench.checkFlushes(contest[name], of: name, leastFlushes: 1)
        }
        return [
            comparison(contest, single, "self", .atLeast(6), "one caller"),
            comparison(contest, GRDBPeer.name, GRDBPeer.name, .atLeast(5), "one caller"),
            comparison(
                contest, concurrentGRDB, concurrentGRDB, nil, "16 tasks that share GRDB's queue"),
        ]
    }

    private static func comparison(
        _ contest: Contest, _ contender: String, _ peer: String, _ target: Target?,
        _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "documents/s", target: target,
            settle: contest[SettlePeer.name], peer: contest[contender], remark: remark)
    }
}
