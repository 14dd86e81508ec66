import Dispatch
import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Purged documents` {
    private let byKind = Database.Index.keyPaths(
        name: "kinds", version: "1", keys: [["kind"]])

    @Test func `leave indexes, observed queries, and the delegate`() async throws {
        try await withDatabase(indexes: [byKind]) { database async throws in
            final class Delegate: DatabaseChangeDelegate {
                let inbox = Inbox<DocumentChangedDetails>()
                func database(
                    _ database: Database, documentsChanged: [DocumentChangedDetails]
                ) {
                    for details in documentsChanged { inbox.put(details) }
                }
            }
            let delegate = Delegate()
            for id in ["a", "b", "c"] { try await database.add(["id": .init(id), "kind": "x"]) }
            database.databaseChangeDelegate = delegate
            let counts = Inbox<Int>()
            let observer = database.observeQuery(on: "kinds", with: QueryByKeyRange()) { result in
                counts.put(result.count)
            }
            #expect(await counts.first() == 3)
            #expect(try await database.purge(documentsWithIds: ["a", "nobody"]) == ["a"])
            #expect(await counts.first() == 2)
            let told = await delegate.inbox.first()
            #expect(
                told
                    == DocumentChangedDetails(
                        documentId: "a", isFromReplication: false, isDeleted: true, isPurged: true))
            if let observer { database.removeObserver(observer) }
            let changes = try database.changeBatch(since: 3).changes
            #expect(changes.map(\.documentId) == ["a"])
            #expect(changes.allSatisfy { $0.isPurged })
            #expect(try database.read { try $0.document("a", includingDeleted: true) } == nil)
            #expect(try await database.check() == [])
        }
    }

    @Test func `leave an index that has not been asked for longer than purges are remembered`()
        async throws
    {
        try await withDatabase(indexes: [byKind]) { database async throws in
            try await database.write { transaction in
                for number in 0..<10_050 {
                    try transaction.add(["id": .init("d\(number)"), "kind": "x"])
                }
            }
            let all = try await database.runQuery(on: "kinds", with: QueryByKeyRange())
            #expect(all.count == 10_050)
            try await database.write { transaction in
                try transaction.purge(documentsWithIds: (0..<10_040).map { "d\($0)" })
            }
            #expect(try await database.runQuery(on: "kinds", with: QueryByKeyRange()).count == 10)
            #expect(try await database.check() == [])
            try await database.purge(documentsWithIds: ["d10049"])
            #expect(try await database.runQuery(on: "kinds", with: QueryByKeyRange()).count == 9)
        }
    }
}

@Suite(.serialized) struct `Documents with an expiration date` {
    private static let start = Date(timeIntervalSince1970: 1_000_000)

    /// A database whose time is the manual clock's.
    private func withClock(
        _ body: (Database, ManualClock, Inbox<DocumentChange>) async throws -> Void
    ) async throws {
        let directory = try ScratchDirectory("expiring")
        let clock = ManualClock()
        let configuration = Database.OpenDatabaseConfiguration(
            name: "test", fileLocation: directory.url,
            completionQueue: DispatchQueue(label: "test"), now: { Self.date(of: clock) },
            clock: clock)
        let database = try #require(try await Database.open(with: configuration, create: true))
        let inbox = Inbox<DocumentChange>()
        let listener = Task {
            for await commit in database.commits { commit.changes.forEach(inbox.put) }
        }
        do {
            try await body(database, clock, inbox)
        } catch {
            Issue.record(error)
        }
        await database.close()
        await listener.value
    }

    private static func date(of clock: ManualClock) -> Date {
        start.addingTimeInterval(clock.now.offset / .seconds(1))
    }

    private func expiring(_ id: String, after seconds: TimeInterval) -> Document {
        var document = Document(id: id)
        document.metaData.expirationDate = Self.start.addingTimeInterval(seconds)
        return document
    }

    @Test func `are purged when it comes, and counted`() async throws {
        try await withClock { database, clock, inbox in
            try await database.save(expiring("soon", after: 10))
            try await database.save(expiring("later", after: 100))
            try await database.save(Document(id: "never"))
            #expect(try database.statistics().expiringDocumentCount == 2)
            #expect(
                try database.statistics().nextExpirationDate
                    == Self.start.addingTimeInterval(10))
            await clock.sleepers(reach: 1)
            #expect(try database.totalDocumentCount == 3)
            clock.advance(by: .seconds(10))
            let purged = await inbox.first { $0.isPurged }
            #expect(purged?.documentId == "soon")
            await clock.sleepers(reach: 1)
            #expect(try database.statistics().expiredDocumentCount == 1)
            clock.advance(by: .seconds(3_600))
            #expect(await inbox.first { $0.isPurged }?.documentId == "later")
            #expect(try database.totalDocumentCount == 1)
        }
    }

    @Test func `take their date from a save, keep it over others, and lose it when told`()
        async throws
    {
        try await withClock { database, _, _ in
            let date = Self.start.addingTimeInterval(50)
            var saved = try await database.save(expiring("a", after: 50))
            #expect(saved.metaData.expirationDate == date)
            var fresh = Document(id: "a")
            fresh["n"] = 1
            #expect(try await database.save(fresh).metaData.expirationDate == date)
            #expect(
                try await database.fetchDocument("a")?.metaData.expirationDate == date)
            let revision = try await database.fetchDocument("a")?.metaData.revision
            try await database.setExpirationDate(nil, ofDocumentWithId: "a")
            saved = try #require(try await database.fetchDocument("a"))
            #expect(saved.metaData.expirationDate == nil)
            #expect(saved.metaData.revision == revision)
            await #expect(throws: DatabaseError.self) {
                try await database.setExpirationDate(date, ofDocumentWithId: "b")
            }
        }
    }

    @Test func `take a date that is set though it is the one that was read`() async throws {
        try await withClock { database, _, _ in
            let date = Self.start.addingTimeInterval(50)
            var old = try await database.save(expiring("a", after: 50))
            try await database.setExpirationDate(
                date.addingTimeInterval(50), ofDocumentWithId: "a")
            // Other metadata say nothing of it.
            old.metaData.type = "t"
            old = try await database.save(old)
            #expect(old.metaData.expirationDate == date.addingTimeInterval(50))
            try await database.setExpirationDate(date, ofDocumentWithId: "a")
            old.metaData.expirationDate = date.addingTimeInterval(50)
            let saved = try await database.save(old)
            #expect(saved.metaData.expirationDate == date.addingTimeInterval(50))
            var fresh = Document(id: "a")
            fresh.metaData.expirationDate = nil
            #expect(try await database.save(fresh).metaData.expirationDate == nil)
            #expect(try database.statistics().expiringDocumentCount == 0)
        }
    }

    @Test func `that are overdue go when the database is opened`() async throws {
        let directory = try ScratchDirectory("overdue")
        func configuration(_ seconds: TimeInterval) -> Database.OpenDatabaseConfiguration {
            Database.OpenDatabaseConfiguration(
                name: "test", fileLocation: directory.url,
                completionQueue: DispatchQueue(label: "test"),
                now: { Self.start.addingTimeInterval(seconds) }, clock: ManualClock())
        }
        let first = try #require(try await Database.open(with: configuration(0), create: true))
        try await first.write { transaction in
            for number in 0..<1_200 {
                var document = Document(id: "d\(number)")
                document.metaData.expirationDate = Self.start.addingTimeInterval(5)
                try transaction.add(document)
            }
        }
        await first.close()
        let second = try #require(try await Database.open(with: configuration(60)))
        #expect(try second.totalDocumentCount == 0)
        #expect(try second.statistics().expiredDocumentCount == 1_200)
        await second.close()
    }
}
