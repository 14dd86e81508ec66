/// The same index by a closure that reads values of any type.
enum IndexBuildClosure: BenchmarkCase {
    static let name = "index-build-closure"
    static let summary = "the same index by a closure, dynamic values"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        [
            try await IndexBuilding(bench).comparison(
                name, SettleIndexes.placesByClosure, target: .atLeast(0.35))
        ]
    }
}
