import Foundation
import Synchronization
import Testing

/// Runs the worlds of many seeds, some at a time, and reports those in which something is wrong.
final class SeededRuns: Sendable {
    private struct State {
        var next: Int
        var failed: [Int: String] = [:]
    }

    /// How many seeds run at a time.
    private static let laneCount = 2
    /// How many schedules are printed: they are long, and the first failures tell enough.
    private static let reportCountMax = setting("SETTLE_SIMULATION_REPORTS", 3)

    private let seeds: Range<Int>
    private let founding: TableFounding
    private let state: Mutex<State>

    /// Runs of as many seeds as a variable of the environment says, from one that another names.
    init(
        countedBy countName: String, unlessGiven count: Int, beginningAt firstName: String,
        _ founding: @escaping TableFounding
    ) {
        let first = Self.setting(firstName, 1)
        seeds = first..<first + max(1, Self.setting(countName, count))
        self.founding = founding
        state = Mutex(State(next: first))
    }

    private static func setting(_ name: String, _ unlessGiven: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? unlessGiven
    }

    /// Runs all seeds, and records an issue for each of the first that fail.
    ///
    /// - Returns: The failed seeds, each with the first thing that is wrong.
    func failures() async -> [String] {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.laneCount {
                group.addTask {
                    while let seed = self.take() {
                        guard let report = await self.problems(of: seed) else { continue }
                        if self.fail(seed, report) { Issue.record("\(report)") }
                    }
                }
            }
        }
        return state.withLock { state in
            state.failed.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        }
    }

    private func take() -> Int? {
        state.withLock { state in
            guard seeds.contains(state.next) else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Notes a failure; true when its schedule is worth printing.
    private func fail(_ seed: Int, _ report: String) -> Bool {
        let lines = report.split(separator: "\n", maxSplits: 2)
        return state.withLock { state in
            state.failed[seed] = lines.count > 1 ? String(lines[1]) : report
            return state.failed.count <= Self.reportCountMax
        }
    }

    /// What is wrong after a seed, with its schedule; nil when nothing is.
    private func problems(of seed: Int) async -> String? {
        let world: SimulatedWorld
        do {
            world = try await SimulatedWorld(seed: UInt64(seed), founding)
        } catch {
            return "Seed \(seed) could not begin: \(error)"
        }
        var report: String?
        do {
            let problems = try await world.run(stepCount: 30)
            if !problems.isEmpty {
                report =
                    "Seed \(seed):\n\(problems.joined(separator: "\n"))\n\(world.journal.text)"
            }
        } catch {
            report = "Seed \(seed) threw \(error)\n\(world.journal.text)"
        }
        do {
            try await world.close()
        } catch {
            report = report ?? "Seed \(seed) did not end: \(error)\n\(world.journal.text)"
        }
        return report
    }
}
