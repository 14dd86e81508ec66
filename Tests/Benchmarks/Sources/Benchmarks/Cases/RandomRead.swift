/// Documents by identifier in random order, three members of each, all in one read.
enum RandomRead: BenchmarkCase {
    static let name = "random-read"
    static let summary = "by identifier, three members"

    private static let searchingFloor = "floor-fields"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let documents = bench.documents
        let picks = documents.picks(bench.size.readCount)
        let expected = documents.readSums(picks)
        let fewer = Array(picks.prefix(picks.count / 10))
        let fewerExpected = documents.readSums(fewer)
        let byteCount = picks.reduce(0) { $0 + documents.texts[$1].count }
        let contest = try await FilledPeers.with(bench) { peers in
            try await Contest(
                [
                    Contender(name: SettlePeer.name) {
                        try rate(expected) { try peers.settle.read(documents.identifiers, picks) }
                    },
                    Contender(name: FloorPeer.name) {
                        try Stopwatch.rate(of: picks.count) {
                            try BenchmarkError.check(
                                peers.floor.read(peers.input, picks), is: byteCount,
                                "The bytes that the floor read")
                        }
                    },
                    Contender(name: GRDBPeer.name) {
                        try rate(fewerExpected) {
                            try peers.grdb.read(documents.identifiers, fewer)
                        }
                    },
                    Contender(name: searchingFloor) {
                        try rate(expected) { try peers.floor.readFields(peers.input, picks) }
                    },
                ], repetitions: bench.size.repetitions)
        }
        return [
            comparison(contest, FloorPeer.name, .atLeast(0.45), "a bare get"),
            comparison(contest, GRDBPeer.name, .atLeast(6), "a Codable record"),
            comparison(contest, searchingFloor, nil, "the floor, members by byte search"),
        ]
    }

    private static func rate(
        _ expected: FieldSums, _ read: () throws -> FieldSums
    ) throws -> Outcome {
        try Stopwatch.rate(of: expected.count) {
            try BenchmarkError.check(read(), is: expected, "What was read at random")
        }
    }

    private static func comparison(
        _ contest: Contest, _ peer: String, _ target: Target?, _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "reads/s", target: target, settle: contest[SettlePeer.name],
            peer: contest[peer], remark: remark)
    }
}
