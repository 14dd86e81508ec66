import Foundation
import Settle
import SettleREST
import SettleServer
import SettleSync
import TestSupport
import Testing

/// Devices that hear of each other's changes without asking.
///
/// The poll interval is an hour: what arrives was told.
@Suite(.serialized) struct `Live changes` {
    private let place: JourneyPlace

    init() throws {
        place = try JourneyPlace("live")
    }

    private func configuration(
        _ table: URL, _ transport: CountingTransport = CountingTransport(),
        channels: [String] = []
    ) async throws -> ReplicationConfiguration {
        let token = try await TableServer.token(secret: JourneyServer.secret, subject: "test")
        var configuration = ReplicationConfiguration(
            url: table,
            options: [
                AzureTablesBackend.OptionName.token: token,
                AzureTablesBackend.OptionName.transport: transport as any HTTPTransport,
            ], limitToChannels: channels)
        configuration.pollInterval = .seconds(3_600)
        configuration.conflictHandler = .merge
        return configuration
    }

    /// Waits until a document fulfils a condition.
    private func wait(
        _ database: Database, _ id: String, _ isFulfilled: (Document?) -> Bool
    ) async throws {
        // Taken before the first look, so that no commit falls in between.
        let commits = database.commits
        if isFulfilled(try await database.fetchDocument(id)) { return }
        for await _ in commits {
            if isFulfilled(try await database.fetchDocument(id)) { return }
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `go from each device to the other while none of them asks`() async throws {
        let table = try await place.server.start()
        let (a, b) = (try await place.database("a"), try await place.database("b"))
        let (fromA, fromB) = (CountingTransport(), CountingTransport())
        try await a.startReplication(with: try await configuration(table, fromA))
        try await b.startReplication(with: try await configuration(table, fromB))
        for number in 0..<5 {
            try await a.add(["id": "a\(number)", "n": number])
            try await wait(b, "a\(number)") { $0?.integer("n") == number }
            try await b.write { transaction in
                var document = try #require(try transaction.document("a\(number)"))
                document["seen"] = true
                try transaction.save(document)
            }
            try await wait(a, "a\(number)") { $0?["seen"] as? Bool == true }
        }
        try await b.delete(documentWithId: "a0")
        try await wait(a, "a0") { $0 == nil }
        await a.stopReplication()
        await b.stopReplication()
        // A device that has written pulls once; one that heard of a change does so, too.
        for transport in [fromA, fromB] {
            let counts = transport.counts
            #expect(counts[.listening, default: 0] > 0)
            #expect(counts[.write, default: 0] <= 6)
            #expect(counts[.list, default: 0] <= 60, "\(counts)")
        }
        await a.close()
        await b.close()
        try await place.server.stop()
    }

    @Test(.timeLimit(.minutes(60)))
    func `tell of the channels that are asked for, also when those change`() async throws {
        let table = try await place.server.start()
        let (a, b) = (try await place.database("a"), try await place.database("b"))
        try await a.startReplication(with: try await configuration(table))
        let replication = try await b.addReplication(
            with: try await configuration(table, channels: ["red"]))
        try await a.add(["id": "first", "channels": ["red"]])
        try await wait(b, "first") { $0 != nil }
        replication.limitToChannels = ["blue"]
        try await a.add(["id": "second", "channels": ["red"]])
        try await a.add(["id": "third", "channels": ["blue"]])
        try await wait(b, "third") { $0 != nil }
        #expect(try await b.fetchDocument("second") == nil)
        await replication.stop()
        await a.stopReplication()
        await a.close()
        await b.close()
        try await place.server.stop()
    }

    @Test(.timeLimit(.minutes(60)))
    func `are given up at once when the replication is stopped`() async throws {
        let table = try await place.server.start()
        let a = try await place.database("a")
        let transport = CountingTransport()
        try await a.startReplication(with: try await configuration(table, transport))
        while transport.counts[.listening] == nil { await Task.yield() }
        await a.stopReplication()
        #expect(transport.cancelledCount == 1)
        await a.close()
        try await place.server.stop()
    }

    @Test(.timeLimit(.minutes(60)))
    func `come again after the server was away`() async throws {
        let table = try await place.server.start()
        let (a, b) = (try await place.database("a"), try await place.database("b"))
        try await b.startReplication(with: try await configuration(table))
        try await a.add(["id": "first"])
        try await a.replicate(with: try await configuration(table))
        try await wait(b, "first") { $0 != nil }
        try await place.server.stop()
        _ = try await place.server.start()
        try await a.add(["id": "second"])
        try await a.replicate(with: try await configuration(table))
        // Nobody tells one who heard the server go; the next rest listens again.
        let events = b.replicationEvents
        try await b.add(["id": "mine"])
        for await event in events {
            if case .completed = event { break }
        }
        try await wait(b, "second") { $0 != nil }
        try await a.add(["id": "third"])
        try await a.replicate(with: try await configuration(table))
        try await wait(b, "third") { $0 != nil }
        await b.stopReplication()
        await a.close()
        await b.close()
        try await place.server.stop()
    }
}
