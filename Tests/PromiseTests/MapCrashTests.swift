import Foundation
import Settle
import StoreChild
import Synchronization
import TestSupport
import Testing

/// Several documents end every process whose map function gets them.
@Suite(.serialized) struct MapCrashTests {
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
        _ scratch: ScratchDirectory, _ numbers: Range<Int>, traps: [Int] = []
    ) async throws {
        try await withNumbers(in: scratch) { database async throws in
            try await database.write { transaction in
                for number in numbers {
                    let manner: NumberDatabase.Manner? = traps.contains(number) ? .trap : nil
                    try transaction.add(NumberDatabase.document(number, manner: manner))
                }
            }
        }
    }

    private func runChild(in scratch: ScratchDirectory) async throws -> ChildRun.Outcome {
        let run = ChildRun(
            arguments: ["numbers", scratch.path, "1"], environment: Self.environment)
        let errors = scratch.file("errors")
        return try await onThread { try run.run(errors: errors) }
    }

    /// Starts children until one ends by itself; gives how many died.
    private func deathCount(
        in scratch: ScratchDirectory, atMost countMax: Int
    ) async throws -> Int {
        for count in 0...countMax {
            let outcome = try await runChild(in: scratch)
            if outcome.ending == .exited(0) { return count }
            guard case .signalled = outcome.ending else {
                Issue.record("\(outcome)")
                return count
            }
        }
        Issue.record("After \(countMax) deaths there is one more.")
        return countMax + 1
    }

    private func ids(_ numbers: [Int]) -> [String] {
        numbers.map { NumberDatabase.document($0).id }
    }

    /// The numbers that have a row, by key, and each once.
    private func numbers(_ database: Database) async throws -> [Int] {
        var query = QueryByKeyRange()
        query.reduce = false
        let rows = try await database.runQuery(on: NumberDatabase.indexName, with: query).rows
        return rows.compactMap { ($0.key as? [Int])?.last }.sorted()
    }

    private func markFiles(_ scratch: ScratchDirectory) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: scratch.path)
            .filter { $0.hasSuffix(".marks") }
    }

    /// The documents are listed, and all others have rows, without any call of the map.
    private func expectVerdict(
        _ traps: [Int], of count: Int, in scratch: ScratchDirectory
    ) async throws {
        let calls = Atomic(0)
        let index = NumberDatabase.index(version: "1") { _ in
            calls.add(1, ordering: .relaxed)
        }
        let wanted = (0..<count).filter { !traps.contains($0) }
        try await withNumbers(in: scratch, index: index) { database async throws in
            #expect(try await numbers(database) == wanted)
            let errors = try database.indexErrors(of: NumberDatabase.indexName)
            #expect(errors.map(\.documentId) == ids(traps))
            #expect(errors.allSatisfy { $0.isCrash })
            let status = try database.indexStatus(named: NumberDatabase.indexName)
            #expect(status.errorCount == traps.count && status.rowCount == wanted.count)
            #expect(calls.load(ordering: .relaxed) == 0)
            #expect(try await database.check() == [])
        }
        let left = try markFiles(scratch)
        #expect(left == [])
    }

    @Test(arguments: [[7, 11], [5, 100, 250]])
    func `documents that end a first build are found one by one`(traps: [Int]) async throws {
        let scratch = try ScratchDirectory("crash-builds")
        try await fill(scratch, 0..<300, traps: traps)
        // One worker has them all, so each ends one process at work and one that tries it alone.
        let deaths = try await deathCount(in: scratch, atMost: 2 * traps.count)
        #expect(deaths == 2 * traps.count)
        try await expectVerdict(traps, of: 300, in: scratch)
        let again = try await runChild(in: scratch)
        #expect(again.ending == .exited(0), "\(again)")
        try await expectVerdict(traps, of: 300, in: scratch)
    }

    @Test func `documents that several workers have in hand at once are told apart`()
        async throws
    {
        let scratch = try ScratchDirectory("crash-workers")
        // The first of each range that a worker takes, and one amidst others.
        let (count, traps) = (9_000, [0, 4_096, 8_500])
        try await fill(scratch, 0..<count, traps: traps)
        let deaths = try await deathCount(in: scratch, atMost: 2 * traps.count)
        // Nobody is listed for less than a death of its own.
        #expect(deaths > traps.count)
        try await expectVerdict(traps, of: count, in: scratch)
    }

    @Test(arguments: [[520, 521], [510, 550, 590]])
    func `documents that end catching up are found one by one`(traps: [Int]) async throws {
        let scratch = try ScratchDirectory("crash-changes")
        try await fill(scratch, 0..<500)
        let built = try await runChild(in: scratch)
        #expect(built.ending == .exited(0), "\(built)")
        try await fill(scratch, 500..<600, traps: traps)
        let deaths = try await deathCount(in: scratch, atMost: 2 * traps.count)
        #expect(deaths == 2 * traps.count)
        try await expectVerdict(traps, of: 600, in: scratch)
        let again = try await runChild(in: scratch)
        #expect(again.ending == .exited(0), "\(again)")
        try await expectVerdict(traps, of: 600, in: scratch)
    }

    @Test func `a document that is mended in the process that lists it has rows again`()
        async throws
    {
        let scratch = try ScratchDirectory("crash-mended")
        try await fill(scratch, 0..<200, traps: [120])
        for _ in 1...2 {
            let outcome = try await runChild(in: scratch)
            #expect(outcome.ending != .exited(0), "\(outcome)")
        }
        let calls = Mutex<[String: Int]>([:])
        let index = NumberDatabase.index(version: "1") { document in
            calls.withLock { $0[document.id, default: 0] += 1 }
        }
        let id = NumberDatabase.document(120).id
        try await withNumbers(in: scratch, index: index) { database async throws in
            #expect(try await numbers(database) == (0..<200).filter { $0 != 120 })
            let listed = try database.indexErrors(of: NumberDatabase.indexName)
            #expect(listed.map(\.documentId) == [id])
            #expect(calls.withLock { $0[id] } == nil)
            try await database.save(NumberDatabase.document(120))
            #expect(try await numbers(database) == Array(0..<200))
            #expect(calls.withLock { $0[id] } == 1)
            #expect(try database.indexErrors(of: NumberDatabase.indexName) == [])
            // And the verdict does not come back.
            try await database.save(NumberDatabase.document(120))
            #expect(try await numbers(database) == Array(0..<200))
            #expect(calls.withLock { $0[id] } == 2)
            #expect(try await database.check() == [])
        }
        try await expectVerdict([], of: 200, in: scratch)
    }

    @Test(arguments: [1, 2])
    func `a document that is mended before the index is asked again has rows`(
        deaths: Int
    ) async throws {
        let scratch = try ScratchDirectory("crash-mended")
        try await fill(scratch, 0..<200, traps: [120, 150])
        for _ in 0..<deaths {
            let outcome = try await runChild(in: scratch)
            #expect(outcome.ending != .exited(0), "\(outcome)")
        }
        _ = try await withNumbers(in: scratch) { database async throws in
            try await database.save(NumberDatabase.document(120))
        }
        // The other one is still found out as if nothing had been.
        let more = try await deathCount(in: scratch, atMost: 2)
        #expect(more == 2)
        try await expectVerdict([150], of: 200, in: scratch)
    }
}
