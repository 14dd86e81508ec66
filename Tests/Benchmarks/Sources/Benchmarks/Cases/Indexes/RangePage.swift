/// Fifty rows with their values from a key on that is chosen at random.
enum RangePage: BenchmarkCase {
    static let name = "range-50"
    static let summary = "50 rows of an index with values, random start"

    private static let rowLimit = 50
    private static let identifiedGRDB = "grdb-id"

    /// Something to ask for, and what must come out.
    private struct Question {
        let start: Place
        let expected: AnswerSums

        init(_ start: Place, _ amounts: PlaceAmounts, _ order: PlaceAmounts.Order) {
            self.start = start
            expected = amounts.page(from: start, rowLimit: RangePage.rowLimit, order)
        }

        func check(_ found: AnswerSums, of engine: String) throws {
            try BenchmarkError.check(found, is: expected, "The page of \(engine) from \(start)")
        }
    }

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let peers = try await bench.indexed.peers(bench.size.indexCounts.middle)
        var numbers = RandomNumbers(seed: 50)
        let starts = peers.amounts.places.shuffled(using: &numbers)
        let questions = starts.map { Question($0, peers.amounts, .identifiers) }
        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) {
                    try await Stopwatch.steadyRate { number in
                        let question = questions[number % questions.count]
                        try question.check(
                            try await peers.settle.page(from: question.start, rowLimit: rowLimit),
                            of: SettlePeer.name)
                    }
                },
                grdb(GRDBPeer.name, peers, starts) {
                    try $0.page(from: $1, rowLimit: rowLimit)
                },
                grdb(identifiedGRDB, peers, starts) {
                    try $0.pageWithIdentifiers(from: $1, rowLimit: rowLimit)
                },
            ], repetitions: bench.size.repetitions)
        return [
            comparison(
                contest, GRDBPeer.name, .atLeast(2), "by its index alone, without identifiers"),
            comparison(contest, identifiedGRDB, nil, "with identifiers, as in Settle's rows"),
        ]
    }

    private static func grdb(
        _ name: String, _ peers: IndexedPeers, _ starts: [Place],
        _ ask: @escaping (GRDBPlaces, Place) throws -> AnswerSums
    ) -> Contender {
        let questions = starts.map { Question($0, peers.amounts, .amounts) }
        return Contender(name: name) {
            try peers.grdb.withPlaces { places in
                try Stopwatch.steadyRate { number in
                    let question = questions[number % questions.count]
                    try question.check(ask(places, question.start), of: name)
                }
            }
        }
    }

    private static func comparison(
        _ contest: Contest, _ peer: String, _ target: Target?, _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "queries/s", target: target, settle: contest[SettlePeer.name],
            peer: contest[peer], remark: remark)
    }
}
