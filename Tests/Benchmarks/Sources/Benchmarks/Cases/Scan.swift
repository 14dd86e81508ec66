/// All documents in their order, two members of each.
enum Scan: BenchmarkCase {
    static let name = "scan"
    static let summary = "all documents, two members"

    private static let searchingFloor = "floor-fields"
    private static let addingGRDB = "grdb-sql"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let documents = bench.documents
        let byteCount = documents.byteCount
        let contest = try await FilledPeers.with(bench) { peers in
            try await Contest(
                [
                    Contender(name: SettlePeer.name) {
                        try rate(bench) { try peers.settle.scan() }
                    },
                    Contender(name: FloorPeer.name) {
                        try Stopwatch.rate(of: documents.count) {
                            let found = try peers.floor.scan()
                            try BenchmarkError.check(
                                [found.count, found.bytes], is: [documents.count, byteCount],
                                "The documents and bytes of the floor")
                        }
                    },
                    Contender(name: GRDBPeer.name) { try rate(bench) { try peers.grdb.scan() } },
                    Contender(name: addingGRDB) { try rate(bench) { try peers.grdb.scanInSQL() } },
                    Contender(name: searchingFloor) {
                        try rate(bench) { try peers.floor.scanFields() }
                    },
                ], repetitions: bench.size.repetitions)
        }
        return [
            comparison(contest, GRDBPeer.name, .atLeast(8), "json_extract, a row a document"),
            comparison(contest, FloorPeer.name, nil, "no member is looked at"),
            comparison(contest, addingGRDB, nil, "json_extract, added up by SQLite"),
            comparison(contest, searchingFloor, nil, "the floor, members by byte search"),
        ]
    }

    private static func rate(_ bench: Bench, _ scan: () throws -> FieldSums) throws -> Outcome {
        let expected = bench.documents.scanSums
        return try Stopwatch.rate(of: expected.count) {
            try BenchmarkError.check(scan(), is: expected, "What was scanned")
        }
    }

    private static func comparison(
        _ contest: Contest, _ peer: String, _ target: Target?, _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "documents/s", target: target,
            settle: contest[SettlePeer.name], peer: contest[peer], remark: remark)
    }
}
