/// The bytes on the disk after all documents were stored in one transaction.
enum FileSize: BenchmarkCase {
    static let name = "file-size"
    static let summary = "bytes on disk for all documents"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await FilledPeers.with(bench) { peers in
            let settle = [Outcome(value: Double(try peers.settle.byteCount()))]
            let sizes: [(String, Int, Target?, String)] = [
                ("json", bench.documents.byteCount, .atMost(1.2), "the JSON texts alone"),
                (FloorPeer.name, try peers.floor.byteCount(), nil, "the files of LMDB"),
                (GRDBPeer.name, try peers.grdb.byteCount(), nil, "after a checkpoint"),
                (
                    Insertion.appendingFloor, try await appendedByteCount(bench, peers.input), nil,
                    "the floor with MDB_APPEND"
                ),
            ]
            return sizes.map { peer, size, target, remark in
                Comparison(
                    name, peer: peer, unit: "bytes", isHigherBetter: false, target: target,
                    settle: settle, peer: [Outcome(value: Double(size))], remark: remark)
            }
        }
    }

    private static func appendedByteCount(
        _ bench: Bench, _ input: FloorPeer.Input
    ) async throws -> Int {
        try await bench.scratch.withFolder { folder in
            let peer = try FloorPeer(in: folder)
            defer { peer.close() }
            try peer.insert(input, batch: input.count, appends: true)
            return try peer.byteCount()
        }
    }
}
