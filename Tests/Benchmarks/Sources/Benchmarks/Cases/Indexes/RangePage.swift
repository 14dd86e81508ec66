/// Fifty rows with their values from a key on that is chosen at random.
enum RangePage: BenchmarkCase {
    static let name = "range-50"
    static let summary = "50 rows of an index with values, random start"

    private static let rowLimit = 50
    private static let valueSettle = "settle-values"
    private static let valueGRDB = "grdb-values"
    private static let identifiedSettle = "settle-id"
    private static let identifiedGRDB = "grdb-id"
    private static let separateGRDB = "grdb-read"
    private static let identifierBytes = DocumentGenerator.identifier(0).utf8.count

    /// Something to ask for, and what must come out.
    private struct Question {
        let start: Place
        let expected: AnswerSums

        init(
            _ start: Place, _ amounts: PlaceAmounts, _ order: PlaceAmounts.Order,
            readsIdentifiers: Bool
        ) {
            self.start = start
            expected = amounts.page(
                from: start, rowLimit: RangePage.rowLimit, order,
                identifierBytes: readsIdentifiers ? RangePage.identifierBytes : 0)
        }

        func check(_ found: AnswerSums, of engine: String) throws {
            try BenchmarkError.check(found, is: expected, "The page of \(engine) from \(start)")
        }
    }

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let peers = try await bench.indexed.peers(bench.size.indexCounts.middle)
        var numbers = RandomNumbers(seed: 50)
        let starts = peers.amounts.places.shuffled(using: &numbers)
        let contest = try await Contest(
            [
                settle(SettlePeer.name, peers, starts) {
                    try await $0.page(from: $1, rowLimit: rowLimit)
                },
                settle(valueSettle, peers, starts) {
                    try await $0.pageOfValues(from: $1, rowLimit: rowLimit)
                },
                grdb(GRDBPeer.name, peers, starts) {
                    try $0.page(from: $1, rowLimit: rowLimit)
                },
                separateGRDB(peers, starts),
                settle(identifiedSettle, peers, starts, readsIdentifiers: true) {
                    try await $0.page(from: $1, rowLimit: rowLimit, readsIdentifiers: true)
                },
                grdb(identifiedGRDB, peers, starts, readsIdentifiers: true) {
                    try $0.pageWithIdentifiers(from: $1, rowLimit: rowLimit)
                },
            ], repetitions: bench.size.repetitions)
        return [
            comparison(
                contest, SettlePeer.name, GRDBPeer.name, .atLeast(1.5),
                "by its index alone, all in one read, without identifiers"),
            Comparison(
                name, peer: valueGRDB, unit: "queries/s", target: nil,
                settle: contest[valueSettle], peer: contest[GRDBPeer.name],
                remark: "beside runQuery, whose rows may be kept"),
            comparison(
                contest, SettlePeer.name, separateGRDB, nil,
                "the same, each question a read of its own as in Settle"),
            comparison(
                contest, identifiedSettle, identifiedGRDB, nil, "identifiers are read too"),
        ]
    }

    private static func questions(
        _ starts: [Place], _ peers: IndexedPeers, _ order: PlaceAmounts.Order,
        readsIdentifiers: Bool = false
    ) -> [Question] {
        starts.map { Question($0, peers.amounts, order, readsIdentifiers: readsIdentifiers) }
    }

    private static func settle(
        _ name: String, _ peers: IndexedPeers, _ starts: [Place], readsIdentifiers: Bool = false,
        _ ask: @escaping (SettlePeer, Place) async throws -> AnswerSums
    ) -> Contender {
        let questions = questions(
            starts, peers, .identifiers, readsIdentifiers: readsIdentifiers)
        return Contender(name: name) {
            try await Stopwatch.steadyRate { number in
                let question = questions[number % questions.count]
                try question.check(try await ask(peers.settle, question.start), of: name)
            }
        }
    }

    private static func grdb(
        _ name: String, _ peers: IndexedPeers, _ starts: [Place], readsIdentifiers: Bool = false,
        _ ask: @escaping (GRDBPlaces, Place) throws -> AnswerSums
    ) -> Contender {
        let questions = questions(starts, peers, .amounts, readsIdentifiers: readsIdentifiers)
        return Contender(name: name) {
            try peers.grdb.withPlaces { places in
                try Stopwatch.steadyRate { number in
                    let question = questions[number % questions.count]
                    try question.check(ask(places, question.start), of: name)
                }
            }
        }
    }

    private static func separateGRDB(_ peers: IndexedPeers, _ starts: [Place]) -> Contender {
        let questions = questions(starts, peers, .amounts)
        return Contender(name: separateGRDB) {
            try Stopwatch.steadyRate { number in
                let question = questions[number % questions.count]
                let found = try peers.grdb.withPlaces {
                    try $0.page(from: question.start, rowLimit: rowLimit)
                }
                try question.check(found, of: separateGRDB)
            }
        }
    }

    private static func comparison(
        _ contest: Contest, _ settle: String, _ peer: String, _ target: Target?, _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "queries/s", target: target, settle: contest[settle],
            peer: contest[peer], remark: remark)
    }
}
