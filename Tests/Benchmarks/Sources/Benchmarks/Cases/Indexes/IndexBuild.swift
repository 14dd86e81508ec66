/// An index over documents that are there, by declaration.
enum IndexBuild: BenchmarkCase {
    static let name = "index-build"
    static let summary = "an index [type, address.city] -> amount, declared, over all documents"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let building = IndexBuilding(bench)
        let contest = try await FilledPeers.with(bench) { peers in
            try await bench.scratch.withFolder { folder in
                let rows = try FloorPeer(in: folder)
                defer { rows.close() }
                return try await Contest(
                    [
                        Contender(name: SettlePeer.name) {
                            try await building.settle(peers.settle, SettleIndexes.places)
                        },
                        Contender(name: GRDBPeer.name) { try building.grdb(peers.grdb) },
                        Contender(name: FloorPeer.name) {
                            try building.floor(rows, of: peers.floor)
                        },
                    ], repetitions: bench.size.repetitions)
            }
        }
        return [
            comparison(contest, GRDBPeer.name, .atLeast(1.5), "CREATE INDEX on json_extract"),
            comparison(
                contest, FloorPeer.name, .atLeast(0.5), "byte search, sort, MDB_APPEND; rows alone"),
        ]
    }

    private static func comparison(
        _ contest: Contest, _ peer: String, _ target: Target, _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "documents/s", target: target,
            settle: contest[SettlePeer.name], peer: contest[peer], remark: remark)
    }
}
