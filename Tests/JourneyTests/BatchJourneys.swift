import Foundation
import Settle
import SettleREST
import SettleServer
import SettleSync
import TestSupport
import Testing

/// Many changes and a server that takes them together.
@Suite(.serialized) struct `Batches and a server` {
    private let place: JourneyPlace

    init() throws {
        place = try JourneyPlace("batches")
    }

    private func configuration(
        _ table: URL, _ transport: CountingTransport
    ) async throws -> ReplicationConfiguration {
        let token = try await TableServer.token(secret: JourneyServer.secret, subject: "test")
        var configuration = ReplicationConfiguration(
            url: table, isRepeating: false,
            options: [
                AzureTablesBackend.OptionName.token: token,
                AzureTablesBackend.OptionName.transport: transport as any HTTPTransport,
            ])
        configuration.conflictHandler = .merge
        return configuration
    }

    @Test func `carry a thousand documents in one request for every sixty-four`() async throws {
        let table = try await place.server.start()
        let (a, b) = (try await place.database("a"), try await place.database("b"))
        try await a.write { transaction in
            for number in 0..<1_000 {
                try transaction.add(["id": "thing-\(number)", "number": number])
            }
        }
        let sending = CountingTransport()
        let pushed = try await a.replicate(with: try await configuration(table, sending))
        #expect(pushed.pushed == 1_000 && pushed.rejected == 0 && pushed.conflicts == 0)
        #expect(sending.counts[.batch] == 16)
        #expect(sending.counts[.write] == nil)

        let fetching = CountingTransport()
        let pulled = try await b.replicate(with: try await configuration(table, fetching))
        #expect(pulled.pulled == 1_000)
        #expect(try a.contents() == b.contents())

        // Every kind of operation at once, and some of them in conflict.
        try await b.write { transaction in
            for number in 0..<20 {
                var document = try #require(try transaction.document("thing-\(number)"))
                document["b"] = number
                try transaction.save(document)
            }
            for number in 20..<30 { try transaction.delete(documentWithId: "thing-\(number)") }
        }
        try await a.write { transaction in
            for number in 10..<25 {
                var document = try #require(try transaction.document("thing-\(number)"))
                document["a"] = number
                document["number"] = nil
                try transaction.save(document)
            }
            try transaction.add(["id": "new", "channels": ["x"]])
        }
        for _ in 0..<3 {
            for database in [a, b] {
                _ = try await database.replicate(
                    with: try await configuration(table, CountingTransport()))
            }
        }
        #expect(try a.contents() == b.contents())
        #expect(try a.contents()["thing-12"]?["a"] == 12)
        #expect(try a.contents()["thing-12"]?["b"] == 12)
        #expect(try a.contents()["thing-29"] == nil)
        #expect(try a.pendingOperations().isEmpty && b.pendingOperations().isEmpty)

        // Brought back together.
        try await a.write { transaction in
            for number in 26..<30 { try transaction.add(["id": "thing-\(number)", "back": true]) }
        }
        for database in [a, b] {
            _ = try await database.replicate(
                with: try await configuration(table, CountingTransport()))
        }
        #expect(try b.contents()["thing-29"] == ["back": true])
        #expect(try a.contents() == b.contents())
        await a.close()
        await b.close()
        try await place.server.stop()
    }

    @Test func `are not used for a single change`() async throws {
        let table = try await place.server.start()
        let a = try await place.database("a")
        try await a.add(["id": "one", "n": 1])
        let transport = CountingTransport()
        #expect(try await a.replicate(with: try await configuration(table, transport)).pushed == 1)
        #expect(transport.counts[.batch] == nil)
        #expect(transport.counts[.write] == 1)
        await a.close()
        try await place.server.stop()
    }
}
