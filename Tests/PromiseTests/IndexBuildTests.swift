import Foundation
import Settle
import StoreChild
import Synchronization
import TestSupport
import Testing

/// Processes die while they build an index, or build one beside each other.
@Suite(.serialized) struct IndexBuildTests {
    /// A trap must not wait for a picture of the stack.
    private static let environment = ["SWIFT_BACKTRACE": "enable=no"]

    private func withNumbers<Value>(
        in scratch: ScratchDirectory, index: Database.Index? = nil,
        isolation: isolated (any Actor)? = #isolation, _ body: (Database) async throws -> Value
    ) async throws -> Value {
        let configuration = NumberDatabase.configuration(in: scratch.url, index: index)
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

    private func fill(
        _ scratch: ScratchDirectory, _ numbers: Range<Int>, size: Int? = nil,
        special: Int? = nil, _ manner: NumberDatabase.Manner? = nil
    ) async throws {
        try await withNumbers(in: scratch) { database async throws in
            try await database.write { transaction in
                for number in numbers {
                    try transaction.add(
                        NumberDatabase.document(
                            number, size: size, manner: number == special ? manner : nil))
                }
            }
        }
    }

    private func run(
        _ words: [String], in scratch: ScratchDirectory, kill: ChildRun.Kill? = nil
    ) async throws -> ChildRun.Outcome {
        let run = ChildRun(arguments: words, environment: Self.environment, kill: kill)
        let errors = scratch.file("errors")
        return try await onThread { try run.run(errors: errors) }
    }

    /// The numbers of rows in the groups, worked out from the numbers.
    private func groups(_ numbers: some Sequence<Int>) -> [Int: Int] {
        numbers.reduce(into: [:]) { $0[$1 % NumberDatabase.groupCount, default: 0] += 1 }
    }

    /// The numbers of rows in the groups, as the index tells them.
    private func storedGroups(_ database: Database) async throws -> [Int: Int] {
        var query = QueryByKeyRange()
        query.groupLevel = 1
        let rows = try await database.runQuery(on: NumberDatabase.indexName, with: query).rows
        return rows.reduce(into: [:]) { groups, row in
            guard let group = (row.key as? [Int])?.first else { return }
            groups[group] = row.value as? Int
        }
    }

    private func isSignalled(_ outcome: ChildRun.Outcome) -> Bool {
        if case .signalled = outcome.ending { true } else { false }
    }

    @Test func `a build that is killed goes on and is right`() async throws {
        let scratch = try ScratchDirectory("index-kills")
        let seed = KillSettings.seed
        var generator = SeededGenerator(seed: seed)
        let count = 8_500
        try await fill(scratch, 0..<count, size: 100)
        var killCount = 0
        for round in 1...KillSettings.someKills {
            let kill = ChildRun.Kill(
                // "opened", and the rest of them progress.
                lines: Int.random(in: 1...3, using: &generator),
                turns: Int.random(in: 0...3_000_000, using: &generator))
            let outcome = try await run(
                ["numbers", scratch.path, "\(round)"], in: scratch, kill: kill)
            let place = "kill \(round), SETTLE_SEED=\(seed): \(outcome)"
            #expect(outcome.foreignLines.isEmpty, "\(place)")
            #expect(isSignalled(outcome) || outcome.ending == .exited(0), "\(place)")
            if outcome.reports.last != .done { killCount += 1 }
            let calls = Atomic(0)
            let index = NumberDatabase.index(version: "\(round)") { _ in
                calls.add(1, ordering: .relaxed)
            }
            try await withNumbers(in: scratch, index: index) { database async throws in
                #expect(try await storedGroups(database) == groups(0..<count), "\(place)")
                #expect(
                    try database.indexErrors(of: NumberDatabase.indexName).isEmpty, "\(place)")
                // Documents that were in hand are tried out first.
                #expect(calls.load(ordering: .relaxed) <= count + 256, "\(place)")
                #expect(try await database.check() == [], "\(place)")
            }
        }
        // Else all had built the index before they were killed.
        #expect(killCount > 0, "SETTLE_SEED=\(seed)")
    }

    @Test func `a document that ends the process is found, passed over, and listed`()
        async throws
    {
        let scratch = try ScratchDirectory("index-traps")
        let (count, trap) = (4_500, 4_321)
        try await fill(scratch, 0..<count, special: trap, .trap)
        let words = ["numbers", scratch.path, "1"]
        let first = try await run(words, in: scratch)
        #expect(isSignalled(first), "\(first)")
        let second = try await run(words, in: scratch)
        #expect(isSignalled(second), "\(second)")
        // It died before it mapped anything but what the first had in hand.
        #expect(second.reports == [.opened], "\(second)")
        let third = try await run(words, in: scratch)
        #expect(third.ending == .exited(0), "\(third)")

        let calls = Mutex<[String: Int]>([:])
        let index = NumberDatabase.index(version: "1") { document in
            calls.withLock { $0[document.id, default: 0] += 1 }
        }
        let id = NumberDatabase.document(trap).id
        try await withNumbers(in: scratch, index: index) { database async throws in
            let wanted = (0..<count).filter { $0 != trap }
            #expect(try await storedGroups(database) == groups(wanted))
            let errors = try database.indexErrors(of: NumberDatabase.indexName)
            #expect(errors.map(\.documentId) == [id] && errors.allSatisfy(\.isCrash))
            #expect(try database.indexStatus(named: NumberDatabase.indexName).errorCount == 1)
            #expect(calls.withLock { $0 }.isEmpty)
            #expect(try await database.check() == [])

            // Another document changes nothing for it; its own change does.
            try await database.add(NumberDatabase.document(count))
            #expect(try await storedGroups(database) == groups(wanted + [count]))
            #expect(calls.withLock { $0[id] } == nil)
            try await database.save(NumberDatabase.document(trap))
            #expect(try await storedGroups(database) == groups(0...count))
            #expect(calls.withLock { $0[id] } == 1)
            #expect(try database.indexErrors(of: NumberDatabase.indexName) == [])
            #expect(try await database.check() == [])
        }
    }

    @Test func `a document that changes into one that ends the process is found as well`()
        async throws
    {
        let scratch = try ScratchDirectory("index-traps")
        try await fill(scratch, 0..<500)
        let words = ["numbers", scratch.path, "1"]
        let built = try await run(words, in: scratch)
        #expect(built.ending == .exited(0), "\(built)")
        try await fill(scratch, 500..<600, special: 550, .trap)
        for _ in 1...2 {
            let outcome = try await run(words, in: scratch)
            #expect(isSignalled(outcome), "\(outcome)")
        }
        let third = try await run(words, in: scratch)
        #expect(third.ending == .exited(0), "\(third)")
        try await withNumbers(in: scratch, index: NumberDatabase.index(version: "1")) {
            database async throws in
            #expect(try await storedGroups(database) == groups((0..<600).filter { $0 != 550 }))
            let errors = try database.indexErrors(of: NumberDatabase.indexName)
            #expect(errors.map(\.documentId) == [NumberDatabase.document(550).id])
        }
    }

    @Test func `a document in hand when the process is killed from outside is not listed`()
        async throws
    {
        let scratch = try ScratchDirectory("index-holds")
        try await fill(scratch, 0..<300, special: 200, .hold)
        let kill = ChildRun.Kill(lines: 2, turns: 0)
        let outcome = try await run(["numbers", scratch.path, "1"], in: scratch, kill: kill)
        #expect(outcome.reports == [.opened, .holding], "\(outcome)")
        #expect(outcome.ending == .signalled(SIGKILL), "\(outcome)")
        let calls = Mutex<[String: Int]>([:])
        let index = NumberDatabase.index(version: "1") { document in
            calls.withLock { $0[document.id, default: 0] += 1 }
        }
        try await withNumbers(in: scratch, index: index) { database async throws in
            #expect(try await storedGroups(database) == groups(0..<300))
            #expect(try database.indexErrors(of: NumberDatabase.indexName) == [])
            // Once alone, and once with the others.
            let repeated = calls.withLock { calls in calls.filter { $0.value != 1 } }
            #expect(repeated == [NumberDatabase.document(200).id: 2])
            #expect(try await database.check() == [])
        }
    }

    @Test func `two processes with two versions of an index keep the rows of both`()
        async throws
    {
        let scratch = try ScratchDirectory("index-versions")
        try await fill(scratch, 0..<1_000)
        let rounds = 4
        let calls = Atomic(0)
        let index = NumberDatabase.index(version: "2") { _ in
            calls.add(1, ordering: .relaxed)
        }
        try await withNumbers(in: scratch, index: index) { database async throws in
            async let outcome = run(["follow", scratch.path, "1", "\(rounds)"], in: scratch)
            var count = 1_000
            var before: [Int]?
            for round in 1...rounds {
                let numbers = count..<count + 10
                count += 10
                try await database.write { transaction in
                    for number in numbers { try transaction.add(NumberDatabase.document(number)) }
                    try transaction.add(["id": "round \(round)"])
                }
                #expect(try await storedGroups(database) == groups(0..<count))
                var seen: Document?
                while seen == nil {
                    seen = try await database.fetchDocument("round \(round) was seen")
                    await Task.yield()
                }
                #expect(seen?["rows"] as? Int == count, "round \(round)")
                #expect(try await storedGroups(database) == groups(0..<count))
                let known = [seen?["calls"] as? Int ?? -1, calls.load(ordering: .relaxed)]
                // Who begins to build in the same slot at the same time begins again, once.
                if let before {
                    #expect(zip(known, before).allSatisfy { $0 - $1 < 100 }, "round \(round)")
                }
                before = known
            }
            let ended = try await outcome
            #expect(ended.ending == .exited(0), "\(ended)")
            #expect(try await database.check() == [])
        }
    }
}
