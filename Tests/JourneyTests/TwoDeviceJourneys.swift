import Dispatch
import Foundation
import Settle
import SettleREST
import SettleServer
import SettleSync
import Synchronization
import TestSupport
import Testing

/// Databases, replicator, HTTP and server together, as users have them.
@Suite(.serialized) struct `Two devices and a server` {
    private let place: JourneyPlace
    private var server: JourneyServer { place.server }

    init() throws {
        place = try JourneyPlace("journey")
    }

    private func database(_ name: String) async throws -> Database {
        try await place.database(name)
    }

    private func configuration(
        _ table: URL, tokenChannels: [String]? = nil, channels: [String] = []
    ) async throws -> ReplicationConfiguration {
        let token = try await TableServer.token(
            secret: JourneyServer.secret, subject: "test", channels: tokenChannels)
        return ReplicationConfiguration(
            url: table, isRepeating: false,
            options: [AzureTablesBackend.OptionName.token: token], limitToChannels: channels)
    }

    private func fill(_ database: Database, count: Int) async throws {
        try await database.write { transaction in
            for number in 0..<count {
                try transaction.add([
                    "id": "thing-\(number)", "type": "thing", "number": number,
                    "createdAt": "2020-01-01T00:00:00Z", "version": ["nested": [number, 1.5]],
                    "big": Int64.max - Int64(number), "text": "it's \"\(number)\" é 日本",
                    "channels": [number % 2 == 0 ? "even" : "odd"],
                ])
            }
        }
    }

    @Test func `hold the same after each has replicated, whatever the members are called`()
        async throws
    {
        let table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        try await fill(a, count: 40)
        let pushed = try await a.replicate(with: try await configuration(table))
        #expect(pushed.pushed == 40 && pushed.conflicts == 0 && pushed.rejected == 0)
        let pulled = try await b.replicate(with: try await configuration(table))
        #expect(pulled.pulled == 40 && pulled.pushed == 0)
        #expect(try a.contents(withNulls: true) == b.contents(withNulls: true))

        try await b.write { transaction in
            try transaction.delete(documentWithId: "thing-3")
            var document = try #require(try transaction.document("thing-4"))
            document["number"] = 400
            document["text"] = nil
            try transaction.save(document)
            try transaction.add(["id": "b's own/odd id?", "n": 1])
        }
        #expect(try await b.replicate(with: try await configuration(table)).pushed == 3)
        let second = try await a.replicate(with: try await configuration(table))
        #expect(second.pulled == 3 && second.pushed == 0)
        #expect(try a.contents(withNulls: true) == b.contents(withNulls: true))
        let found = try a.contents(withNulls: true)
        #expect(found["thing-3"] == nil && found.count == 40)
        // What was changed a moment ago is read again, and is here.
        var idle = try await a.replicate(with: try await configuration(table))
        idle.received = 0
        #expect(idle == ReplicationSummary())
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `get only the channels they ask for, and only those their token allows`()
        async throws
    {
        let table = try await server.start()
        let (a, b, c) = (try await database("a"), try await database("b"), try await database("c"))
        try await fill(a, count: 20)
        _ = try await a.replicate(with: try await configuration(table))
        let even = try await b.replicate(with: try await configuration(table, channels: ["even"]))
        #expect(even.pulled == 10)
        #expect(try b.contents(withNulls: true).values.allSatisfy { $0["channels"] == ["even"] })
        let odd = try await c.replicate(
            with: try await configuration(table, tokenChannels: ["odd"], channels: ["even", "odd"]))
        #expect(odd.pulled == 10)
        #expect(try c.contents(withNulls: true).values.allSatisfy { $0["channels"] == ["odd"] })
        // What the token does not allow is refused by the server, set aside, and not lost.
        try await c.add(["id": "stray", "channels": ["even"]])
        let refused = try await c.replicate(
            with: try await configuration(table, tokenChannels: ["odd"]))
        #expect(refused.rejected == 1 && refused.pushed == 0)
        #expect(try c.rejectedOperations().map(\.documentId) == ["stray"])
        #expect(try c.contents(withNulls: true)["stray"] != nil)
        for database in [a, b, c] { await database.close() }
        try await server.stop()
    }

    @Test func `get the older documents, too, when a token begins to allow them`() async throws {
        let table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        try await fill(a, count: 20)
        _ = try await a.replicate(with: try await configuration(table))
        let odd = try await b.replicate(
            with: try await configuration(table, tokenChannels: ["odd"]))
        #expect(odd.pulled == 10)
        let both = try await b.replicate(
            with: try await configuration(table, tokenChannels: ["odd", "even"]))
        #expect(both.pulled == 10)
        #expect(try b.contents(withNulls: true) == a.contents(withNulls: true))
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `keep an edit that meets nothing on the server, under every handler but one`()
        async throws
    {
        let table = try await server.start()
        let a = try await database("a")
        try await fill(a, count: 3)
        _ = try await a.replicate(with: try await configuration(table))
        // A token that does not show the item stands for a server that lost it.
        try await a.save(["id": "thing-0", "channels": ["even"], "precious": true])
        for handler in [ConflictHandler.latestWins, .merge, .localWins, .leave] {
            var blind = try await configuration(table, tokenChannels: ["none"])
            blind.conflictHandler = handler
            _ = try await a.replicate(with: blind)
            #expect(try await a.fetchDocument("thing-0")?["precious"] as? Bool == true)
        }
        await a.close()
        try await server.stop()
    }

    @Test func `fetch from the beginning when the table was made anew`() async throws {
        let table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        try await fill(a, count: 3)
        _ = try await a.replicate(with: try await configuration(table))
        try await server.stop()
        try FileManager.default.removeItem(at: place.directory.url.appendingPathComponent("server"))
        _ = try await server.start()
        // An older clock than the token's: what it writes lies before it.
        try await b.add(["id": "other", "n": 1])
        _ = try await b.replicate(with: try await configuration(table))
        try await a.save(["id": "thing-1", "n": 2])
        var merging = try await configuration(table)
        merging.conflictHandler = .merge
        _ = try await a.replicate(with: merging)
        #expect(try await a.fetchDocument("other") != nil)
        #expect(try await a.fetchDocument("thing-1")?["n"] as? Int == 2)
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `keep the attachments they have when members alone come from the other side`()
        async throws
    {
        let table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        var members = try await configuration(table)
        members.options[AzureTablesBackend.OptionName.carriesAttachments] = false
        var document: Document = ["id": "picture", "n": 1]
        document.attachments = [
            DocumentAttachment(name: "p", contentType: "image/png", data: Data([1, 2, 3]))
        ]
        try await a.add(document)
        _ = try await a.replicate(with: members)
        _ = try await b.replicate(with: members)
        try await b.save(["id": "picture", "n": 2])
        _ = try await b.replicate(with: members)
        _ = try await a.replicate(with: members)
        let kept = try #require(try await a.fetchDocument("picture"))
        #expect(kept.integer("n") == 2)
        #expect(try kept.attachments.map { try $0.data() } == [Data([1, 2, 3])])
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `resolve a conflict by a handler, and end equal`() async throws {
        let table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        try await fill(a, count: 2)
        _ = try await a.replicate(with: try await configuration(table))
        _ = try await b.replicate(with: try await configuration(table))
        for (database, member) in [(a, "fromA"), (b, "fromB")] {
            try await database.write { transaction in
                var document = try #require(try transaction.document("thing-0"))
                document[member] = true
                try transaction.save(document)
            }
        }
        #expect(try await a.replicate(with: try await configuration(table)).pushed == 1)
        // Without a handler the conflict is kept, and nothing is overwritten.
        let left = try await b.replicate(with: try await configuration(table))
        #expect(left.conflicts == 1)
        #expect(try b.contents(withNulls: true)["thing-0"]?["fromB"] == true)
        #expect(try b.contents(withNulls: true)["thing-0"]?["fromA"] == nil)
        #expect(try b.replicationConflicts().map(\.documentId) == ["thing-0"])
        var merging = try await configuration(table)
        merging.conflictHandler = .merge
        #expect(try await b.replicate(with: merging).conflictsResolved == 1)
        _ = try await a.replicate(with: try await configuration(table))
        #expect(try a.contents(withNulls: true) == b.contents(withNulls: true))
        #expect(try a.contents(withNulls: true)["thing-0"]?["fromA"] == true)
        #expect(try a.contents(withNulls: true)["thing-0"]?["fromB"] == true)
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `lose nothing and send nothing twice when the server goes away in a push`()
        async throws
    {
        var table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        try await fill(a, count: 3_000)
        let events = a.replicationEvents
        let breaking = Task { [server] in
            for await event in events {
                if case .sending(let sent, _) = event, sent >= 40 { break }
            }
            await server.cancel()
        }
        var first = try await configuration(table)
        first.retryLimit = 0
        await #expect(throws: ReplicationError.self) { try await a.replicate(with: first) }
        await breaking.value
        #expect(try !a.pendingOperations().isEmpty)
        table = try await server.start()
        _ = try await a.replicate(with: try await configuration(table))
        #expect(try a.pendingOperations().isEmpty)
        #expect(try await b.replicate(with: try await configuration(table)).pulled == 3_000)
        #expect(try a.contents(withNulls: true) == b.contents(withNulls: true))
        await a.close()
        await b.close()
        try await server.stop()
        // Every item of the server was written once: all revisions are first generations.
        let location = place.directory.url.appendingPathComponent("server")
        let name = try Database.allDatabaseNames(underLocation: location).first
        let stored = try #require(
            try await Database.open(
                with: Database.OpenDatabaseConfiguration(name: name, fileLocation: location)))
        var generations: [String: Int] = [:]
        try stored.read { snapshot in
            try snapshot.forEachDocument { document in
                let generation = document.metaData.revision?.prefix { $0 != "-" } ?? ""
                generations[String(generation), default: 0] += 1
                return true
            }
        }
        #expect(generations == ["1": 3_000])
        await stored.close()
    }

    @Test func `go on where they were when the app ends in the middle`() async throws {
        let table = try await server.start()
        var a = try await database("a")
        try await fill(a, count: 200)
        for _ in 0..<4 {
            let events = a.replicationEvents
            let running = a
            let configuration = try await configuration(table)
            let replication = Task { try await running.replicate(with: configuration) }
            for await event in events {
                if case .sending(let sent, _) = event, sent >= 20 { break }
                if case .completed = event { break }
            }
            await a.close()
            _ = await replication.result
            a = try await database("a")
        }
        _ = try await a.replicate(with: try await configuration(table))
        #expect(try a.pendingOperations().isEmpty)
        let b = try await database("b")
        _ = try await b.replicate(with: try await configuration(table))
        let found = try b.contents(withNulls: true)
        #expect(try found == a.contents(withNulls: true) && found.count == 200)
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `replicate again and again when asked to, and tell their delegates`() async throws {
        final class Status: ReplicationStatusDelegate {
            let completed = AsyncStream<Void>.makeStream()
            let sent = Mutex<[UInt]>([])
            func database(
                _ database: Database, replicationDidComplete details: any ReplicationDetails
            ) { completed.continuation.yield() }
        }
        let table = try await server.start()
        let (a, b) = (try await database("a"), try await database("b"))
        let status = Status()
        a.replicationStatusDelegate = status
        var repeating = try await configuration(table)
        repeating.isRepeating = true
        try await a.startReplication(with: repeating)
        var cycles = status.completed.stream.makeAsyncIterator()
        await cycles.next()
        #expect(a.replicationDetails?.url == table)
        try await a.add(["id": "late", "n": 1])
        // The change wakes the replication; the cycle that sends it completes.
        while try !a.pendingOperations().isEmpty { await cycles.next() }
        await a.stopReplication()
        #expect(a.replicationDetails == nil)
        #expect(try await b.replicate(with: try await configuration(table)).pulled == 1)
        await a.close()
        await b.close()
        try await server.stop()
    }

    @Test func `are told clearly what is wrong with a token or an address`() async throws {
        let table = try await server.start()
        let a = try await database("a")
        func failure(_ configuration: ReplicationConfiguration) async -> String {
            do {
                _ = try await a.replicate(with: configuration)
                return "none"
            } catch { return (error as? ReplicationError)?.code.description ?? "\(error)" }
        }
        var none = ReplicationConfiguration(url: table, isRepeating: false)
        none.retryLimit = 0
        #expect(await failure(none) == "unauthorized")
        none.options = [AzureTablesBackend.OptionName.token: "nonsense"]
        #expect(await failure(none) == "unauthorized")
        none.url = try #require(URL(string: "http://127.0.0.1:1/tables/things"))
        #expect(await failure(none) == "unreachable")
        none.url = try #require(URL(string: "http://127.0.0.1:1/elsewhere"))
        #expect(await failure(none) == "misconfigured")
        await a.close()
        try await server.stop()
    }
}
