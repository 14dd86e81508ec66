import Foundation
import Synchronization
import Testing

/// Devices, a table server and a network on which everything goes wrong, by seeds.
///
/// `SETTLE_SIMULATION_SEEDS` and `SETTLE_SIMULATION_FIRST_SEED` say which seeds are tried,
/// `SETTLE_SIMULATION_REPORTS` how many schedules are printed.
@Suite(.serialized) struct `Simulation over HTTP` {
    private static func setting(_ name: String, _ unlessGiven: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? unlessGiven
    }

    private static let seedCount = setting("SETTLE_SIMULATION_SEEDS", 500)
    private static let firstSeed = setting("SETTLE_SIMULATION_FIRST_SEED", 1)
    /// How many seeds run at a time.
    private static let laneCount = 2
    /// How many schedules are printed: they are long, and the first failures tell enough.
    private static let reportCountMax = setting("SETTLE_SIMULATION_REPORTS", 3)

    /// Hands out the seeds and collects those that failed.
    private final class Seeds: Sendable {
        private struct State {
            var next = firstSeed
            var failed: [Int: String] = [:]
        }

        private let state = Mutex(State())

        /// The failed seeds, each with the first thing that is wrong.
        var failures: [String] {
            state.withLock { state in
                state.failed.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            }
        }

        func take() -> Int? {
            state.withLock { state in
                guard state.next < firstSeed + seedCount else { return nil }
                defer { state.next += 1 }
                return state.next
            }
        }

        /// Notes a failure; true when its schedule is worth printing.
        func fail(_ seed: Int, _ report: String) -> Bool {
            let lines = report.split(separator: "\n", maxSplits: 2)
            return state.withLock { state in
                state.failed[seed] = lines.count > 1 ? String(lines[1]) : report
                return state.failed.count <= reportCountMax
            }
        }
    }

    @Test(.timeLimit(.minutes(600)))
    func `converges, loses nothing and repeats nothing`() async throws {
        let seeds = Seeds()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.laneCount {
                group.addTask {
                    while let seed = seeds.take() {
                        guard let report = await Self.problems(of: seed) else { continue }
                        if seeds.fail(seed, report) { Issue.record("\(report)") }
                    }
                }
            }
        }
        let failures = seeds.failures
        #expect(
            failures.isEmpty,
            "\(failures.count) of \(Self.seedCount) failed:\n\(failures.joined(separator: "\n"))")
    }

    /// What is wrong after a seed, with its schedule; nil when nothing is.
    private static func problems(of seed: Int) async -> String? {
        do {
            let world = try await SimulatedWorld(seed: UInt64(seed))
            do {
                let problems = try await world.run(stepCount: 30)
                if problems.isEmpty { return nil }
                return "Seed \(seed):\n\(problems.joined(separator: "\n"))\n\(world.journal.text)"
            } catch {
                return "Seed \(seed) threw \(error)\n\(world.journal.text)"
            }
        } catch {
            return "Seed \(seed) could not begin: \(error)"
        }
    }
}
