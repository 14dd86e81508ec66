import Foundation
import Settle
import TestSupport
import Testing

/// What a user sees of the log that commits go through.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `The commit log of a database` {
    private func configuration(
        in scratch: ScratchDirectory, _ durability: Database.Durability = .relaxed
    ) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(
            name: "log", fileLocation: scratch.url,
            completionQueue: DispatchQueue(label: "log"), durability: durability)
    }

    private func files(in scratch: ScratchDirectory) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: scratch.file("log.settle").path))
    }

    private func open(_ configuration: Database.OpenDatabaseConfiguration) async throws -> Database
    {
        try #require(try await Database.open(with: configuration, create: true))
    }

    @Test(arguments: [Database.Durability.full, .relaxed])
    func `is there while something is written, and gone when the database is closed`(
        durability: Database.Durability
    ) async throws {
        try await withScratchDirectory("log") { scratch in
            let given = configuration(in: scratch, durability)
            #expect(given.commitLog == .standard && given.commitLog.isUsed)
            let database = try await open(given)
            for number in 0..<10 { try await database.save(["id": "d\(number)"]) }
            #expect(try files(in: scratch).contains("log.mdb"))
            await database.close()
            #expect(try files(in: scratch) == ["data.mdb", "lock.mdb"])
            let again = try await open(given)
            #expect(try again.totalDocumentCount == 10)
            #expect(try await again.check() == [])
            try await again.delete()
        }
    }

    @Test func `is never there without it, and what it has written is read without it`()
        async throws
    {
        try await withScratchDirectory("log") { scratch in
            let given = configuration(in: scratch)
            let plain = Database.OpenDatabaseConfiguration(given, commitLog: .none)
            let database = try await open(plain)
            for number in 0..<10 { try await database.save(["id": "d\(number)"]) }
            #expect(try files(in: scratch) == ["data.mdb", "lock.mdb"])
            await database.close()
            let logged = try await open(given)
            for number in 10..<20 { try await logged.save(["id": "d\(number)"]) }
            // As a kill leaves it.
            let copy = try ScratchDirectory("copy")
            try FileManager.default.copyItem(
                at: scratch.file("log.settle"), to: copy.file("log.settle"))
            await logged.close()
            let recovered = try await open(
                Database.OpenDatabaseConfiguration(configuration(in: copy), commitLog: .none))
            #expect(try recovered.totalDocumentCount == 20)
            #expect(try await recovered.check() == [])
            await recovered.close()
            withExtendedLifetime(copy) {}
        }
    }

    @Test func `is a setting beside all others, which stay as they are`() throws {
        let scratch = try ScratchDirectory("log")
        let index = Database.Index.keyPaths(name: "i", version: "1", keys: [["a"]])
        let given = Database.OpenDatabaseConfiguration(
            name: "log", fileLocation: scratch.url, indexes: [index],
            completionQueue: DispatchQueue(label: "log"), durability: .relaxed,
            now: { Date(timeIntervalSince1970: 7) }, clock: ManualClock(),
            foreignCommitInterval: .seconds(9), isReadOnly: true,
            prebuilt: scratch.file("p.settle"))
        let log = Database.CommitLog(relaxedInterval: .seconds(5))
        let other = Database.OpenDatabaseConfiguration(given, commitLog: log)
        #expect(other == given && other.commitLog == log && other.commitLog.isUsed)
        #expect(other.name == "log" && other.fileLocation == given.fileLocation)
        #expect(other.indexes.map(\.name) == ["i"])
        #expect(other.completionQueue === given.completionQueue)
        #expect(other.durability == .relaxed && other.now() == given.now())
        #expect(other.clock is ManualClock && other.foreignCommitInterval == .seconds(9))
        #expect(other.isReadOnly && other.prebuilt == given.prebuilt)
    }
}
