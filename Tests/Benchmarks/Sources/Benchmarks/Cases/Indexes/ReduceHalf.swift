/// The sum of the middle half of the rows of an index.
enum ReduceHalf: BenchmarkCase {
    static let name = "reduce-half"
    static let summary = "the sum of the middle half of the rows"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await RangeReduction(bench: bench, caseName: name, range: \.middleHalf).comparisons()
    }
}
