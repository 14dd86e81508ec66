/// The same index by a closure that reads members by their types.
enum IndexBuildTyped: BenchmarkCase {
    static let name = "index-build-typed"
    static let summary = "the same index by a closure, members by their types"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        [
            try await IndexBuilding(bench).comparison(
                name, SettleIndexes.placesByType, target: .atLeast(0.6))
        ]
    }
}
