/// The bytes on the disk that an index takes.
enum IndexSize: BenchmarkCase {
    static let name = "index-size"
    static let summary = "bytes on disk for the rows and summaries of an index"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let peers = try await bench.indexed.peers(bench.size.indexCounts.middle)
        let settle = try peers.settle.placesByteCount()
        let with = try peers.grdb.usedByteCount()
        try peers.grdb.dropIndex()
        let grdb = try with - peers.grdb.usedByteCount()
        try peers.grdb.createIndex()
        return [
            comparison(GRDBPeer.name, settle.rows, grdb, .atMost(1.5), "the pages of its index"),
            comparison(
                "grdb-all", settle.all, grdb, nil, "and what Settle needs to change documents"),
            comparison(
                FloorPeer.name, settle.rows, try peers.floor.tableByteCount(), nil,
                "its rows, appended"),
        ]
    }

    private static func comparison(
        _ peer: String, _ settle: Int, _ bytes: Int, _ target: Target?, _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "bytes", isHigherBetter: false, target: target,
            settle: [Outcome(value: Double(settle))], peer: [Outcome(value: Double(bytes))],
            remark: remark)
    }
}
