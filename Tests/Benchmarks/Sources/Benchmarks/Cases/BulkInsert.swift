/// All documents from JSON text to the disk, in one transaction.
enum BulkInsert: BenchmarkCase {
    static let name = "bulk-insert"
    static let summary = "JSON text to disk, all in one transaction"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let contest = try await Insertion(bench).contest(batch: bench.documents.count)
        return [
            comparison(contest, FloorPeer.name, .atLeast(0.4)),
            comparison(contest, GRDBPeer.name, .atLeast(1.5)),
            comparison(
                contest, Insertion.appendingFloor, nil, "the floor with MDB_APPEND"),
        ]
    }

    private static func comparison(
        _ contest: Contest, _ peer: String, _ target: Target?, _ remark: String? = nil
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "documents/s", target: target,
            settle: contest[SettlePeer.name], peer: contest[peer], remark: remark)
    }
}
