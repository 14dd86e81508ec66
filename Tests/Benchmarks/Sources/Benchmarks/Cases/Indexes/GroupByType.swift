/// The sum for each type.
enum GroupByType: BenchmarkCase {
    static let name = "group-1"
    static let summary = "the sums by the first element of the key, 5 groups"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        try await Grouping(
            bench: bench, caseName: name, level: 1, target: .atLeast(100),
            expected: \.typeGroups, ask: { try $0.typeGroups() }
        ).comparisons()
    }
}
