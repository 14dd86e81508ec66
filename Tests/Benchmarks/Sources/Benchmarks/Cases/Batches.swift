/// All documents from JSON text to the disk, a thousand in each transaction.
enum Batches: BenchmarkCase {
    static let name = "batch-1000"
    static let summary = "JSON text to disk, durable batches of 1,000"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let contest = try await Insertion(bench).contest(batch: 1_000)
        return [(FloorPeer.name, Target.atLeast(0.4)), (GRDBPeer.name, .atLeast(1.2))].map {
            Comparison(
                name, peer: $0.0, unit: "documents/s", target: $0.1,
                settle: contest[SettlePeer.name], peer: contest[$0.0])
        }
    }
}
