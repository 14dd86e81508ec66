/// One caller stores documents, each in a relaxed commit of its own.
enum SingleRelaxed: BenchmarkCase {
    static let name = "single-relaxed"
    static let summary = "one relaxed insert a commit, one caller"

    /// The most flushes for a commit that is called relaxed: those of checkpoints, and one a second.
    private static let flushesMax = 0.1

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let singles = SingleInsertion(
            bench, bench.documents.prefix(bench.size.singleCountWithCheckpoints),
            isDurable: false)
        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) { try await singles.settle(tasks: 1) },
                Contender(name: GRDBPeer.name) { try await singles.grdb(tasks: 1) },
            ], repetitions: bench.size.repetitions)
        for name in [SettlePeer.name, GRDBPeer.name] {
            for flushes in contest[name].compactMap(\.flushes) where flushes > flushesMax {
                throw BenchmarkError("\(name) flushed \(flushes) times for each relaxed commit.")
            }
        }
        return [
            Comparison(
                name, peer: GRDBPeer.name, unit: "documents/s", target: .atLeast(2),
                settle: contest[SettlePeer.name], peer: contest[GRDBPeer.name],
                remark: "NORMAL")
        ]
    }
}
