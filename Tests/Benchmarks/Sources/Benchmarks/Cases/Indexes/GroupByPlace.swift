/// The sum for each type and city.
enum GroupByPlace: BenchmarkCase {
    static let name = "group-2"
    static let summary = "the sums by both elements of the key, 250 groups"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await Grouping(
            bench: bench, caseName: name, level: 2, target: .atLeast(10),
            expected: { $0.groups(of: $0.places) }, ask: { try $0.placeGroups() }
        ).comparisons()
    }
}
