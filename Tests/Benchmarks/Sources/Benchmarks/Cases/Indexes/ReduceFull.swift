/// The sum of all rows of an index.
enum ReduceFull: BenchmarkCase {
    static let name = "reduce-full"
    static let summary = "the sum of all rows of an index"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await RangeReduction(bench: bench, caseName: name, range: { _ in nil }).comparisons()
    }
}
