import Settle

/// The changes of all documents with the documents, beside a plain scan of the same documents.
enum Feed: BenchmarkCase {
    static let name = "feed"
    static let summary = "all changes with documents, two members"

    private static let documentScan = "documents"
    private static let viewScan = "views"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let expected = bench.documents.scanSums
        let contest = try await bench.scratch.withFolder { folder in
            let settle = try await SettlePeer(in: folder)
            try await settle.insert(bench.documents.texts, batch: bench.documents.count)
            let contest = try await Contest(
                [
                    Contender(name: SettlePeer.name) {
                        try await Stopwatch.rate(of: expected.count) {
                            try BenchmarkError.check(
                                await settle.followChanges(), is: expected, "What the feed told")
                        }
                    },
                    Contender(name: documentScan) {
                        try Stopwatch.rate(of: expected.count) {
                            try BenchmarkError.check(
                                settle.scanDocuments(), is: expected, "What was scanned")
                        }
                    },
                    Contender(name: viewScan) {
                        try Stopwatch.rate(of: expected.count) {
                            try BenchmarkError.check(
                                settle.scan(), is: expected, "What was scanned in place")
                        }
                    },
                ], repetitions: bench.size.repetitions)
            await settle.close()
            return contest
        }
        return [
            comparison(
                contest, documentScan, "self", .atLeast(0.5),
                "a plain scan that makes the documents, one snapshot"),
            comparison(
                contest, viewScan, viewScan, nil, "a plain scan in place, no document is made"),
        ]
    }

    private static func comparison(
        _ contest: Contest, _ contender: String, _ peer: String, _ target: Target?,
        _ remark: String
    ) -> Comparison {
        Comparison(
            name, peer: peer, unit: "documents/s", target: target,
            settle: contest[SettlePeer.name], peer: contest[contender], remark: remark)
    }
}
