import Foundation
import Testing

/// Two and three devices that edit the same entities offline, with clocks that differ, restarts and lost requests.
///
/// `SETTLE_ENTITY_SEEDS` says how many seeds are tried, `SETTLE_ENTITY_FIRST_SEED` where they begin.
@Suite(.serialized) struct `Simulation of entities` {
    private static func setting(_ name: String, _ unlessGiven: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? unlessGiven
    }

    @Test(.timeLimit(.minutes(60)))
    func `all stores are equal in the end, and every value ever written is in the history of all`()
        async throws
    {
        let first = Self.setting("SETTLE_ENTITY_FIRST_SEED", 1)
        let last = first + Self.setting("SETTLE_ENTITY_SEEDS", 500)
        let failures = await withTaskGroup(of: [String].self) { group in
            for lane in 0..<2 {
                group.addTask {
                    var failures: [String] = []
                    for seed in stride(from: first + lane, to: last, by: 2) where failures.count < 3
                    {
                        if let failure = await Self.failure(of: UInt64(seed)) {
                            failures.append(failure)
                        }
                    }
                    return failures
                }
            }
            return await group.reduce(into: [String]()) { $0 += $1 }
        }
        for failure in failures { Issue.record("\(failure)") }
    }

    @Test(arguments: Mutant.allCases)
    func `finds what is broken, within few seeds`(mutant: Mutant) async throws {
        for seed in 1...Self.mutantSeedCount {
            if await Self.failure(of: UInt64(seed), mutant) != nil { return }
        }
        Issue.record("\(mutant) was not found.")
    }

    /// How many seeds are tried, at most, to find a mutant.
    private static let mutantSeedCount = 60

    private static func failure(of seed: UInt64, _ mutant: Mutant? = nil) async -> String? {
        do {
            let world = try await SimulatedWorld(seed: seed, mutant)
            do {
                let problems = try await world.run(stepCount: 40)
                await world.close()
                if problems.isEmpty { return nil }
                return "Seed \(seed):\n\(problems.joined(separator: "\n"))\n\(world.journal)"
            } catch {
                await world.close()
                return "Seed \(seed) threw \(error)\n\(world.journal)"
            }
        } catch {
            return "Seed \(seed) could not begin: \(error)"
        }
    }
}
