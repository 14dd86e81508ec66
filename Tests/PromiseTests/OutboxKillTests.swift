import Foundation
import Settle
import SettleOutbox
import StoreChild
import TestSupport
import Testing

/// A process that adds operations and carries them out is killed at random moments.
@Suite(.serialized) struct `An outbox whose process is killed` {
    /// What is in the database by numbers.
    private struct Found {
        var added: Set<Int> = []
        var queued: Set<Int> = []
        /// How often each was completed.
        var done: [Int: Int] = [:]
        /// The numbers of those that are done, in the order in which they were.
        var order: [Int] = []
    }

    private func find(_ database: Database) throws -> Found {
        try database.read { snapshot in
            var found = Found()
            var sequences: [(Int, UInt64)] = []
            try snapshot.forEachDocument { document in
                let words = document.id.split(separator: "-")
                guard words.count == 2, let number = Int(words[1]) else { return true }
                if words[0] == "errand" { found.added.insert(number) }
                if words[0] == "done" {
                    found.done[number] = document.integer("count")
                    if let change = try snapshot.lastChange(of: document.id) {
                        sequences.append((number, change.sequence))
                    }
                }
                return true
            }
            found.order = sequences.sorted { $0.1 < $1.1 }.map(\.0)
            for operation in try OutboxSnapshot(in: snapshot).operations() {
                if let errand = try operation.operation(as: Errand.self) {
                    found.queued.insert(errand.number)
                }
            }
            return found
        }
    }

    @Test func `has every operation once, waiting or done`() async throws {
        let scratch = try ScratchDirectory("kills")
        let seed = KillSettings.seed
        var generator = SeededGenerator(seed: seed)
        var reportedCount = 0
        for round in 1...KillSettings.kills {
            let kill = ChildRun.Kill(
                lines: Int.random(in: 1...40, using: &generator),
                turns: Int.random(in: 0...60_000, using: &generator))
            let run = ChildRun(arguments: ["errands", scratch.path], kill: kill)
            let errors = scratch.file("errors")
            let outcome = try await onThread { try run.run(errors: errors) }
            let place = "kill \(round), SETTLE_SEED=\(seed)"
            #expect(outcome.ending == .signalled(SIGKILL), "\(place): \(outcome)")
            try await withDatabase(in: scratch) { database in
                let found = try find(database)
                // The document and its operation came together, and went together.
                #expect(found.added == found.queued.union(found.done.keys), "\(place)")
                #expect(found.queued.isDisjoint(with: found.done.keys), "\(place)")
                #expect(found.done.values.allSatisfy { $0 == 1 }, "\(place)")
                for case .committed(let lane, let number) in outcome.reports {
                    reportedCount += 1
                    if lane == 0 { #expect(found.added.contains(number), "\(place)") }
                    if lane == 1 { #expect(found.done[number] == 1, "\(place)") }
                }
            }
        }
        // Else all were killed before they did anything.
        #expect(reportedCount > KillSettings.kills, "SETTLE_SEED=\(seed)")
        try await withDatabase(in: scratch) { database in
            try await Errands(database).finish()
            let found = try find(database)
            #expect(found.queued.isEmpty, "SETTLE_SEED=\(seed)")
            #expect(Set(found.done.keys) == found.added, "SETTLE_SEED=\(seed)")
            #expect(found.done.values.allSatisfy { $0 == 1 }, "SETTLE_SEED=\(seed)")
            // One graph a commit, strictly in order.
            #expect(found.order == found.order.sorted(), "SETTLE_SEED=\(seed)")
        }
    }
}
