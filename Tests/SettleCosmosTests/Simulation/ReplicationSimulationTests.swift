import Foundation
import Testing

/// Databases and a collection, with splits, lost requests and responses, throttling and restarts.
///
/// `SETTLE_COSMOS_SEEDS` and `SETTLE_COSMOS_FIRST_SEED` say which seeds are tried.
@Suite(.serialized) struct `Simulation of replication with a collection` {
    private static func setting(_ name: String, _ unlessGiven: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? unlessGiven
    }

    /// What is wrong after a seed, with its journal; nil when nothing is.
    private func report(
        of seed: Int, _ breakage: ReplicatedWorld.Breakage = .none
    ) async throws -> String? {
        let world = try await ReplicatedWorld(seed: UInt64(seed), breakage: breakage)
        for _ in 0..<40 { try await world.step() }
        try await world.calm()
        let problems = try await world.problems()
        await world.close()
        if problems.isEmpty { return nil }
        let journal = await world.journal
        return "Seed \(seed):\n\((problems + journal).joined(separator: "\n"))"
    }

    @Test(.timeLimit(.minutes(60)))
    func `converges and loses nothing`() async throws {
        let first = Self.setting("SETTLE_COSMOS_FIRST_SEED", 1)
        let seeds = first..<first + max(1, Self.setting("SETTLE_COSMOS_SEEDS", 100))
        try await withThrowingTaskGroup(of: String?.self) { group in
            var waiting = seeds.makeIterator()
            for _ in 0..<6 {
                if let seed = waiting.next() { group.addTask { try await report(of: seed) } }
            }
            var failed = 0
            for try await report in group {
                if let report {
                    failed += 1
                    if failed <= 2 { Issue.record("\(report)") }
                }
                if let seed = waiting.next() {
                    group.addTask { try await self.report(of: seed) }
                }
            }
            #expect(failed == 0)
        }
    }

    @Test func `notices writes that depend on no version`() async throws {
        for seed in 1...60 {
            if try await report(of: seed, .unconditionalWrites) != nil { return }
        }
        Issue.record("Writes without a version were not noticed.")
    }
}
