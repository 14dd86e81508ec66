/// Whole documents into Swift structs, beside JSONDecoder; both from memory.
enum CodableRead: BenchmarkCase {
    static let name = "codable-read"
    static let summary = "a whole document into a struct"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        // A part is enough: JSONDecoder alone takes seconds for all of them.
        let documents = bench.documents.prefix(bench.size.documentCount / 5)
        let expected = documents.scanSums
        let foundation = FoundationPeer(documents)
        let packed = try documents.texts.map { try SettlePeer.document($0) }
        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) {
                    try Stopwatch.rate(of: documents.count) {
                        try BenchmarkError.check(
                            SettlePeer.decode(packed), is: expected, "What Settle decoded")
                    }
                },
                Contender(name: FoundationPeer.name) {
                    try Stopwatch.rate(of: documents.count) {
                        try BenchmarkError.check(
                            foundation.decode(), is: expected, "What JSONDecoder decoded")
                    }
                },
            ], repetitions: bench.size.repetitions)
        return [
            Comparison(
                name, peer: FoundationPeer.name, unit: "documents/s", target: .atLeast(4),
                settle: contest[SettlePeer.name], peer: contest[FoundationPeer.name])
        ]
    }
}
