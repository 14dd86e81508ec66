import Foundation
import Settle
import SettleREST
import SettleServer
import SettleSync
import Synchronization
import TestSupport
import Testing

/// An app with todo items and notes in one database and a table on a server for each, as users have
/// them: drafts that stay on the device, an offline day, a second device, a fresh start.
@Suite(.serialized) struct `Todo items and notes in one database` {
    /// Holds back what its user has not released.
    private final class Released: ReplicationFilterDelegate {
        func database(
            _ database: Database, shouldSendDocument document: Document,
            filterParameters: [String: Any]?
        ) -> Bool {
            document["draft"] as? Bool != true
        }
    }

    /// What the app shows of its replications.
    private final class Statuses: ReplicationStatusDelegate {
        let completed = Mutex<[String: Int]>([:])

        func database(
            _ database: Database, replicationDidComplete details: any ReplicationDetails
        ) {
            completed.withLock { $0[details.url.lastPathComponent, default: 0] += 1 }
        }
    }

    private let place: JourneyPlace

    init() throws {
        place = try JourneyPlace("tables")
    }

    private func configurations(
        _ table: URL, columns: Set<String>? = nil
    ) async throws -> [ReplicationConfiguration] {
        let token = try await TableServer.token(secret: JourneyServer.secret, subject: "ann")
        return ["todo", "note"].map { type in
            let url = table.deletingLastPathComponent().appending(path: "\(type)s")
            var configuration = ReplicationConfiguration(
                url: url, isRepeating: false,
                options: [AzureTablesBackend.OptionName.token: token])
            if let columns {
                configuration.options[AzureTablesBackend.OptionName.transport] = StrictColumns(
                    names: columns, base: URLSessionTransport())
            }
            configuration.scope = .documents(ofType: type)
            return configuration
        }
    }

    private func sync(
        _ database: Database, _ configurations: [ReplicationConfiguration]
    ) async throws -> (pushed: Int, pulled: Int) {
        var sums = (pushed: 0, pulled: 0)
        for result in try await database.replicate(with: configurations) {
            let summary = try result.summary()
            #expect(summary.rejected == 0 && summary.conflicts == 0)
            sums.pushed += summary.pushed
            sums.pulled += summary.pulled
        }
        return sums
    }

    /// `settle serve`, which takes any member, and a server whose tables have these columns alone.
    @Test(arguments: [nil, ["text", "done", "draft"]] as [Set<String>?])
    func `go each to its table, to a second device, and survive a fresh start of one`(
        columns: Set<String>?
    ) async throws {
        let server = place.server
        let tables = try await configurations(try await server.start(), columns: columns)
        let phone = try await place.database("phone")
        let laptop = try await place.database("laptop")
        let (filter, statuses) = (Released(), Statuses())
        phone.replicationFilterDelegate = filter
        phone.replicationStatusDelegate = statuses

        // A first day, and a second device.
        for number in 0..<30 {
            try await phone.save(
                ["id": "t\(number)", "type": "todo", "text": "item \(number)", "done": false])
            try await phone.save(["id": "n\(number)", "type": "note", "text": "note \(number)"])
        }
        try await phone.save(["id": "secret", "type": "note", "text": "…", "draft": true])
        #expect(try await sync(phone, tables) == (60, 0))
        #expect(try await sync(laptop, tables) == (0, 60))
        let items = try laptop.contents(withNulls: true)
        #expect(items["t3"]?["type"] == "todo" && items["n3"]?["type"] == "note")
        #expect(items["secret"] == nil)
        #expect(try await sync(phone, tables) == (0, 0))
        #expect(try await sync(laptop, tables) == (0, 0))

        // A day without a network on both; an item becomes a note, another is deleted.
        try await phone.save(["id": "t1", "type": "todo", "text": "item 1", "done": true])
        try await phone.save(["id": "t2", "type": "note", "text": "item 2, at length"])
        try await laptop.delete(documentWithId: "n5")
        try await laptop.save(["id": "n6", "type": "note", "text": "note 6, again"])
        #expect(try await sync(phone, tables).pushed == 3, "an update, a deletion, an insert")
        #expect(try await sync(laptop, tables).pushed == 2)
        _ = try await sync(phone, tables)
        _ = try await sync(laptop, tables)
        #expect(try laptop.contents(withNulls: true)["t2"]?["type"] == "note")
        var here = try phone.contents(withNulls: true)
        here["secret"] = nil
        #expect(try laptop.contents(withNulls: true) == here)

        // The items are fetched anew; the note that waits and the draft are not touched.
        let todos = try AzureTablesBackend(tables[0]).identifier
        let notes = try AzureTablesBackend(tables[1]).identifier
        try await phone.save(["id": "n7", "type": "note", "text": "not sent yet"])
        #expect(try await phone.purgeReplicatedDocuments(of: todos) == 29)
        #expect(try phone.totalDocumentCount == 31)
        await #expect {
            try await phone.purgeReplicatedDocuments(of: notes)
        } throws: {
            ($0 as? ReplicationError)?.documentId == "n7"
        }
        #expect(try await sync(phone, tables) == (1, 29))
        // What the filter holds back is in nobody's way.
        #expect(try await phone.purgeReplicatedDocuments(of: notes) == 30)
        #expect(try await phone.fetchDocument("secret") != nil)
        #expect(try await sync(phone, tables) == (0, 30))
        _ = try await sync(laptop, tables)
        here = try phone.contents(withNulls: true)
        here["secret"] = nil
        #expect(try laptop.contents(withNulls: true) == here)
        #expect(statuses.completed.withLock { Set($0.keys) } == ["todos", "notes"])
        withExtendedLifetime(filter) {}
        await phone.close()
        await laptop.close()
        try await server.stop()
    }

    @Test func `go on by themselves until one call stops both, in the order of their commits`()
        async throws
    {
        let server = place.server
        var tables = try await configurations(try await server.start())
        for index in tables.indices { tables[index].isRepeating = true }
        let phone = try await place.database("phone")
        let reports = phone.replicationReports
        try await phone.startReplication(with: tables, keepingCommitOrder: true)
        for number in 0..<10 {
            try await phone.save([
                "id": "d\(number)", "type": number % 2 == 0 ? "todo" : "note",
                "text": "number \(number)",
            ])
        }
        var pushed = 0
        for await report in reports {
            guard case .completed(let summary) = report.event else { continue }
            pushed += summary.pushed
            if pushed == 10 { break }
        }
        await phone.stopReplication()
        #expect(phone.replicationDetails == nil)
        let laptop = try await place.database("laptop")
        #expect(try await sync(laptop, tables).pulled == 10)
        #expect(try laptop.contents(withNulls: true) == phone.contents(withNulls: true))
        await phone.close()
        await laptop.close()
        try await server.stop()
    }
}
