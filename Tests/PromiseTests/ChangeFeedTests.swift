import Dispatch
import Foundation
import Settle
import StoreChild
import TestSupport
import Testing

/// A feed follows what another process writes.
@Suite(.serialized) struct ChangeFeedTests {
    /// Watches with a clock that stands still until the test moves it.
    private func withWatched(
        _ scratch: ScratchDirectory, isReadOnly: Bool = false, clock: any Clock<Duration>,
        _ body: (Database) async throws -> Void
    ) async throws {
        let plain = ChildDatabase.configuration(in: scratch.url)
        let made = try #require(try await Database.open(with: plain, create: true))
        await made.close()
        let configuration = Database.OpenDatabaseConfiguration(
            name: plain.name, fileLocation: scratch.url, indexes: plain.indexes,
            completionQueue: DispatchQueue(label: "feed"), clock: clock, isReadOnly: isReadOnly)
        let database = try #require(try await Database.open(with: configuration))
        do {
            try await body(database)
        } catch {
            Issue.record(error)
        }
        await database.close()
    }

    private func write(
        _ batches: Int, lanes: Int, in scratch: ScratchDirectory
    ) async throws {
        let run = ChildRun(arguments: [
            "batches", scratch.path, "7", "relaxed", "mixed", "\(lanes)", "\(batches)",
        ])
        let errors = scratch.file("errors")
        let outcome = try await onThread { try run.run(errors: errors) }
        #expect(outcome.ending == .exited(0), "\(outcome)")
    }

    @Test(arguments: [false, true])
    func `commits of another process are seen with the next look`(isReadOnly: Bool) async throws {
        let scratch = try ScratchDirectory("feed")
        let clock = ManualClock()
        try await withWatched(scratch, isReadOnly: isReadOnly, clock: clock) { database in
            let task = Task {
                for try await page in database.changes(since: 0, isLive: true).pages {
                    return page.elements.count
                }
                return 0
            }
            await clock.sleepers(reach: 1)
            try await write(1, lanes: 1, in: scratch)
            // Nothing of this process tells of it: the sleeper is still the same one.
            #expect(clock.sleeperCount == 1)
            clock.advance(by: database.configuration.foreignCommitInterval)
            let count = try await task.value
            #expect(count > 0)
            #expect(try database.changeBatch(since: 0).changes.count == count)
        }
    }

    @Test func `everything that another process writes beside own writes is told once`()
        async throws
    {
        let scratch = try ScratchDirectory("feed")
        try await withWatched(scratch, clock: ContinuousClock()) { database in
            let reader = Task {
                var last: [String: DocumentChange] = [:]
                var sequence: UInt64 = 0
                for try await element in database.changes(since: 0, isLive: true) {
                    #expect(element.change.sequence > sequence)
                    sequence = element.change.sequence
                    last[element.change.documentId] = element.change
                    if element.change.documentId == "end" { break }
                }
                return last
            }
            async let written: Void = write(30, lanes: 2, in: scratch)
            for number in 0..<60 { try await database.save(["id": .some("own\(number % 9)")]) }
            try await written
            try await database.add(["id": "end"])
            let told = try await reader.value
            let wanted = try database.changeBatch(since: 0).changes
            #expect(Set(told.keys) == Set(wanted.map(\.documentId)))
            for change in wanted { #expect(told[change.documentId] == change) }
        }
    }
}
