import Allocations

/// JSON text to a document in memory, beside JSONSerialization.
enum JSONToPacked: BenchmarkCase {
    static let name = "json-to-packed"
    static let summary = "JSON text to packed document"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let documents = bench.documents
        let foundation = FoundationPeer(documents)
        let memberCount = try foundation.parse()
        try BenchmarkError.check(
            memberCount, is: documents.count * 7, "The members that JSONSerialization found")
        try bench.check(
            SettlePeer.sums(of: documents.texts), in: "the packed documents", documents)

        let contest = try await Contest(
            [
                Contender(name: SettlePeer.name) {
                    try Stopwatch.rate(of: documents.count) { try parse(documents) }
                },
                Contender(name: FoundationPeer.name) {
                    try Stopwatch.rate(of: documents.count) {
                        try BenchmarkError.check(foundation.parse(), is: memberCount, "Members")
                    }
                },
            ], repetitions: bench.size.repetitions)
        return [
            Comparison(
                name, peer: FoundationPeer.name, unit: "documents/s", target: .atLeast(8),
                settle: contest[SettlePeer.name], peer: contest[FoundationPeer.name],
                remark: try allocations(documents))
        ]
    }

    private static func parse(_ documents: DocumentSet) throws {
        // Something of each document is looked at, so that none is optimised away.
        try BenchmarkError.check(
            SettlePeer.parse(documents.texts), is: documents.identifiers.count * 11,
            "The bytes of the identifiers")
    }

    /// How often Settle asks for memory, said for the table; nil where that is not counted.
    private static func allocations(_ documents: DocumentSet) throws -> String? {
        guard allocations_are_counted() != 0 else { return nil }
        let before = allocations_count()
        try parse(documents)
        let count = Double(allocations_count() - before) / Double(documents.count)
        return "\(Figures.short(count)) allocations a document (target: at most 1)"
    }
}
