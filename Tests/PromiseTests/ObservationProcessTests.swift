import Dispatch
import Foundation
import Settle
import StoreChild
import TestSupport
import Testing

/// Observed queries and documents follow what another process writes.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ObservationProcessTests {
    private func withDatabase(
        _ plain: Database.OpenDatabaseConfiguration, isReadOnly: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(), _ body: (Database) async throws -> Void
    ) async throws {
        let configuration = Database.OpenDatabaseConfiguration(
            name: plain.name, fileLocation: plain.fileLocation, indexes: plain.indexes,
            completionQueue: DispatchQueue(label: "observers"), clock: clock,
            isReadOnly: isReadOnly)
        let database = try #require(
            try await Database.open(with: configuration, create: !isReadOnly))
        do {
            try await body(database)
        } catch {
            Issue.record(error)
        }
        await database.close()
    }

    private func run(_ words: [String], in scratch: ScratchDirectory) async throws {
        let run = ChildRun(arguments: words)
        let errors = scratch.file("errors")
        let outcome = try await onThread { try run.run(errors: errors) }
        #expect(outcome.ending == .exited(0), "\(outcome)")
    }

    private func write(
        through batch: Int, lanes: Int = 1, in scratch: ScratchDirectory
    ) async throws {
        try await run(
            ["batches", scratch.path, "7", "relaxed", "mixed", "\(lanes)", "\(batch)"],
            in: scratch)
    }

    private var rows: QueryByKeyRange {
        var query = QueryByKeyRange()
        query.reduce = false
        query.includeDocuments = true
        return query
    }

    @Test func `commits of another process change an observed query with the next look`()
        async throws
    {
        let scratch = try ScratchDirectory("observed")
        let clock = ManualClock()
        let configuration = ChildDatabase.configuration(in: scratch.url)
        try await withDatabase(configuration, clock: clock) { database in
            let results = database.queryResults(on: ChildDatabase.indexName, with: rows)
            var iterator = results.makeAsyncIterator()
            #expect(try await iterator.next()?.count == 0)
            for batch in [2, 5] {
                await clock.sleepers(reach: 1)
                try await write(through: batch, in: scratch)
                // Nothing of this process tells of it: the sleeper is still the same one.
                #expect(clock.sleeperCount == 1)
                clock.advance(by: database.configuration.foreignCommitInterval)
                let result = try #require(try await iterator.next())
                let fresh = try await database.runQuery(
                    on: ChildDatabase.indexName, with: rows)
                #expect(result.rows == fresh.rows && result.sequence == fresh.sequence)
                #expect(result.count > 0)
            }
        }
    }

    @Test func `everything that another process writes beside own writes arrives in the end`()
        async throws
    {
        let scratch = try ScratchDirectory("observed")
        let configuration = ChildDatabase.configuration(in: scratch.url)
        try await withDatabase(configuration) { database in
            let reader = Task { [rows] in
                var shown: [QueryResultRow] = []
                let changes = database.queryChanges(on: ChildDatabase.indexName, with: rows)
                for try await step in changes {
                    if step.isFirst {
                        shown = step.result.rows
                    } else {
                        shown = Self.applied(step.changes, to: shown, with: step.result)
                    }
                    #expect(shown == step.result.rows)
                    if shown.contains(where: { $0.documentId == "end" }) { break }
                }
                return shown
            }
            async let written: Void = write(through: 30, lanes: 2, in: scratch)
            for number in 0..<60 {
                try await database.save([
                    "id": .some("own\(number % 9)"), "group": "own", "value": .some(number),
                ])
            }
            try await written
            try await database.add(["id": "end", "group": "own", "value": 0])
            let shown = try await reader.value
            let fresh = try await database.runQuery(on: ChildDatabase.indexName, with: rows)
            #expect(shown == fresh.rows)
        }
    }

    private static func applied(
        _ changes: [QueryRowChange], to old: [QueryResultRow], with new: QueryResultEnumerator
    ) -> [QueryResultRow] {
        var left: Set<Int> = []
        var come: Set<Int> = []
        for change in changes {
            switch change {
            case .removed(let place): left.insert(place)
            case .inserted(let place): come.insert(place)
            case .updated(let from, let to), .moved(let from, let to):
                left.insert(from)
                come.insert(to)
            }
        }
        var kept = old.indices.filter { !left.contains($0) }.map { old[$0] }[...]
        return (0..<new.count).compactMap { come.contains($0) ? new[$0] : kept.popFirst() }
    }

    @Test func `a database that is only read shows what its writer has indexed`() async throws {
        let scratch = try ScratchDirectory("observed")
        let clock = ManualClock()
        let configuration = ChildDatabase.configuration(in: scratch.url)
        // With every third batch the writer brings the index up to date.
        try await write(through: 3, in: scratch)
        try await withDatabase(configuration, isReadOnly: true, clock: clock) { database in
            let index = ChildDatabase.indexName
            var results = database.queryResults(on: index, with: rows).makeAsyncIterator()
            let first = try #require(try await results.next())
            #expect(first.rows == (try await database.runQuery(on: index, with: rows)).rows)
            await clock.sleepers(reach: 1)
            try await write(through: 6, in: scratch)
            clock.advance(by: database.configuration.foreignCommitInterval)
            let second = try #require(try await results.next())
            let fresh = try await database.runQuery(on: index, with: rows)
            #expect(second.rows == fresh.rows && second.rows != first.rows)
            #expect(second.sequence == fresh.sequence)
        }
    }

    @Test func `a database that is only read sees an index that is brought up to date later`()
        async throws
    {
        let scratch = try ScratchDirectory("observed")
        let clock = ManualClock()
        let configuration = NumberDatabase.configuration(
            in: scratch.url, index: NumberDatabase.index(version: "1"))
        func add(_ numbers: Range<Int>, asks: Bool) async throws {
            try await withDatabase(configuration) { database in
                try await database.write { transaction in
                    for number in numbers { try transaction.add(NumberDatabase.document(number)) }
                }
                if asks { _ = try await database.runQuery(on: NumberDatabase.indexName) }
            }
        }
        try await add(0..<50, asks: true)
        try await add(50..<60, asks: false)
        try await withDatabase(configuration, isReadOnly: true, clock: clock) { database in
            var results = database.queryResults(on: NumberDatabase.indexName).makeAsyncIterator()
            let first = try await results.next()
            #expect(first?.rows.first?.value as? Int == 50 && first?.sequence == 50)
            await clock.sleepers(reach: 1)
            // Changes no document: only the rows.
            try await run(["numbers", scratch.path, "1"], in: scratch)
            clock.advance(by: database.configuration.foreignCommitInterval)
            let second = try await results.next()
            #expect(second?.rows.first?.value as? Int == 60 && second?.sequence == 60)
        }
    }

    @Test func `two processes answer each other's documents`() async throws {
        let scratch = try ScratchDirectory("observed")
        let rounds = 4
        let configuration = NumberDatabase.configuration(
            in: scratch.url, index: NumberDatabase.index(version: "1"))
        try await withDatabase(configuration) { database in
            async let child: Void = run(["follow", scratch.path, "1", "\(rounds)"], in: scratch)
            for round in 1...rounds {
                try await database.write { transaction in
                    try transaction.add(NumberDatabase.document(round))
                    try transaction.add(["id": .some("round \(round)")])
                }
                var seen: Document?
                for try await state in database.documentStates(of: "round \(round) was seen") {
                    seen = state
                    if seen != nil { break }
                }
                #expect(seen?.integer("rows") == round)
            }
            try await child
        }
    }
}
