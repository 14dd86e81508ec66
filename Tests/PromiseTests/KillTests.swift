import Foundation
import Settle
import StoreChild
import TestSupport
import Testing

/// A child is killed at random moments, and the same database goes through all the rounds.
@Suite(.serialized) struct KillTests {
    @Test func `what was reported survives kills and no batch is half there`() async throws {
        try await killAmongBatches(.mixed, lanes: 3, kills: KillSettings.kills)
    }

    @Test func `what was reported survives kills while contents are stored`() async throws {
        try await killAmongBatches(.contents, lanes: 2, kills: KillSettings.fewKills)
    }

    /// The index is built, the file is written anew, and documents come and go, in one process or two.
    @Test(arguments: [1, 2])
    func `what was reported survives kills whatever is done`(processes: Int) async throws {
        let scratch = try ScratchDirectory("kills")
        let seed = KillSettings.seed
        var generator = SeededGenerator(seed: seed &+ UInt64(processes))
        var model = StoreModel(seed: seed, profile: .mixed, lanes: processes)
        var committedCount = 0
        for round in 1...KillSettings.mixedKills {
            let place = "kill \(round) of \(processes), SETTLE_SEED=\(seed)"
            // Only a process that is alone can write the file anew.
            let steps =
                processes == 1 ? "batch build batch compact batch grow query" : "batch grow query"
            let words = steps.split(separator: " ").map(String.init)
            let runs = (0..<processes).map { lane in
                ChildRun(
                    arguments: [
                        "history", scratch.path, "\(seed)",
                        round.isMultiple(of: 3) ? "relaxed" : "full",
                        "\(lane)",
                    ] + (0..<40).flatMap { _ in words },
                    kill: ChildRun.Kill(
                        lines: Int.random(in: 0...6, using: &generator),
                        turns: Int.random(in: 0...200_000, using: &generator)))
            }
            let outcomes = try await withThrowingTaskGroup(of: (Int, ChildRun.Outcome).self) {
                group in
                for (lane, run) in runs.enumerated() {
                    let errors = scratch.file("errors-\(lane)")
                    group.addTask { (lane, try await onThread { try run.run(errors: errors) }) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            try await withDatabase(in: scratch) { database in
                for (lane, outcome) in outcomes {
                    #expect(outcome.ending == .signalled(SIGKILL), "\(place): \(outcome)")
                    let number = try database.read { try $0.lastBatch(ofLane: lane) }
                    let reported = outcome.lastCommitted(lane: lane) ?? model.numbers[lane]
                    #expect(
                        number == reported || number == reported + 1,
                        "\(place): lane \(lane) is at \(number), reported was \(reported).")
                    model.advance(lane: lane, to: number)
                    committedCount += outcome.reports.count { report in
                        if case .committed = report { true } else { false }
                    }
                }
                let faults = try await StoreVerification(database: database, model: model).faults()
                #expect(faults.isEmpty, "\(place): \(faults.prefix(5))")
            }
        }
        #expect(committedCount > 0, "SETTLE_SEED=\(seed)")
    }

    private func killAmongBatches(
        _ profile: BatchPlan.Profile, lanes: Int, kills: Int
    ) async throws {
        let scratch = try ScratchDirectory("kills")
        let seed = KillSettings.seed
        var generator = SeededGenerator(seed: seed)
        var model = StoreModel(seed: seed, profile: profile, lanes: lanes)
        var committedCount = 0
        for round in 1...kills {
            let place = "kill \(round), SETTLE_SEED=\(seed)"
            // Both levels are the same to a process that dies: the system has what was written.
            let durability = round.isMultiple(of: 3) ? "relaxed" : "full"
            let kill = ChildRun.Kill(
                lines: Int.random(in: 0...30, using: &generator),
                turns: Int.random(in: 0...60_000, using: &generator))
            let run = ChildRun(
                arguments: [
                    "batches", scratch.path, "\(seed)", durability, profile.rawValue, "\(lanes)",
                    "\(Int.max)",
                ], kill: kill)
            let errors = scratch.file("errors")
            let outcome = try await onThread { try run.run(errors: errors) }
            #expect(outcome.ending == .signalled(SIGKILL), "\(place): \(outcome)")
            #expect(outcome.foreignLines.isEmpty, "\(place): \(outcome)")
            try await withDatabase(in: scratch) { database in
                for lane in 0..<lanes {
                    let number = try database.read { try $0.lastBatch(ofLane: lane) }
                    // The batch that was in flight may be there, whole, or not.
                    let reported = outcome.lastCommitted(lane: lane) ?? model.numbers[lane]
                    #expect(
                        number == reported || number == reported + 1,
                        "\(place): lane \(lane) is at \(number), reported was \(reported).")
                    model.advance(lane: lane, to: number)
                }
                let faults = try await StoreVerification(database: database, model: model).faults()
                #expect(faults.isEmpty, "\(place): \(faults.prefix(5))")
            }
            committedCount += outcome.reports.count { report in
                if case .committed = report { true } else { false }
            }
        }
        // Else all were killed before they wrote anything.
        #expect(committedCount > kills, "SETTLE_SEED=\(seed)")
    }

    @Test func `an index whose build was killed is built to its end`() async throws {
        let scratch = try ScratchDirectory("kills")
        let seed = KillSettings.seed
        var generator = SeededGenerator(seed: seed)
        var model = StoreModel(seed: seed, profile: .mixed, lanes: 40)
        try await withDatabase(in: scratch) { database in
            // Documents for more than one step of the builder.
            for lane in model.numbers.indices {
                let number = 24
                try await database.write { transaction in
                    for batch in 1...number {
                        try BatchPlan(seed: seed, lane: lane, number: batch, profile: .mixed)
                            .write(in: transaction)
                    }
                }
                model.advance(lane: lane, to: number)
            }
        }
        var version = 2
        for round in 1...KillSettings.someKills {
            let kill = ChildRun.Kill(
                // "opened" and "building", and of some rounds a second "building".
                lines: Int.random(in: 2...3, using: &generator),
                turns: Int.random(in: 0...1_500_000, using: &generator))
            let run = ChildRun(
                arguments: ["index", scratch.path, "\(version)"], kill: kill)
            let errors = scratch.file("errors")
            let outcome = try await onThread { try run.run(errors: errors) }
            let place = "kill \(round), SETTLE_SEED=\(seed): \(outcome)"
            #expect(outcome.ending == .signalled(SIGKILL), "\(place)")
            for case .building(let number) in outcome.reports { version = number }
            // The version that was being built, so that what is half built is gone on with.
            try await withDatabase(in: scratch, indexVersion: version) { database in
                let faults = try await StoreVerification(database: database, model: model).faults()
                #expect(faults.isEmpty, "\(place): \(faults.prefix(5))")
            }
            version += 1
        }
    }
}

/// Opens the database of the child, and closes it whatever happens.
func withDatabase<Value>(
    in scratch: ScratchDirectory, indexVersion: Int = 1,
    isolation: isolated (any Actor)? = #isolation, _ body: (Database) async throws -> Value
) async throws -> Value {
    let configuration = ChildDatabase.configuration(in: scratch.url, indexVersion: indexVersion)
    let database = try #require(try await Database.open(with: configuration, create: true))
    do {
        let value = try await body(database)
        await database.close()
        return value
    } catch {
        await database.close()
        throw error
    }
}
