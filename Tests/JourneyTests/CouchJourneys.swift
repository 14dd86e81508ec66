import Foundation
import Logging
import Settle
import SettleHosting
import SettleREST
import SettleServer
import SettleSync
import TestSupport
import Testing

/// Replications with a real server of CouchDB's protocol on loopback.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Replication with a server of CouchDB's protocol` {
    /// A server that may be stopped and started again in the same place.
    private actor Server {
        private let directory: URL
        private var port = 0
        private var task: Task<Void, any Error>?

        init(in directory: URL) {
            self.directory = directory
        }

        func start() async throws {
            var configuration = CouchServer.Configuration(directory: directory)
            configuration.port = port
            var logger = Logger(label: "journey")
            logger.logLevel = .critical
            let server = CouchServer(configuration: configuration, logger: logger)
            task = Task { try await server.run() }
            port = try await server.boundPort()
        }

        func stop() async {
            task?.cancel()
            _ = await task?.result
            task = nil
        }

        func url(_ name: String) throws -> URL {
            try #require(URL(string: "couchdb+http://127.0.0.1:\(port)/\(name)"))
        }
    }

    private struct Place {
        let scratch: ScratchDirectory
        let server: Server
        let databases: [Database]

        init(databaseCount: Int = 1) async throws {
            scratch = try ScratchDirectory("couch-journey")
            server = Server(in: try scratch.folder("server"))
            try await server.start()
            var databases: [Database] = []
            for number in 0..<databaseCount {
                databases.append(
                    try await Database.openOrCreate(
                        .init(name: "device\(number)", fileLocation: scratch.url)))
            }
            self.databases = databases
        }

        func configuration(
            isRepeating: Bool = false, transport: (any HTTPTransport)? = nil
        ) async throws -> ReplicationConfiguration {
            var options: [String: any Sendable] = [CouchBackend.OptionName.createsDatabase: true]
            options[CouchBackend.OptionName.transport] = transport
            return ReplicationConfiguration(
                url: try await server.url("notes"), isRepeating: isRepeating, options: options)
        }

        func close() async {
            for database in databases { await database.close() }
            await server.stop()
        }
    }

    private func withPlace(
        databaseCount: Int = 1, isolation: isolated (any Actor)? = #isolation,
        _ body: (Place) async throws -> Void
    ) async throws {
        let place = try await Place(databaseCount: databaseCount)
        do {
            try await body(place)
        } catch {
            await place.close()
            throw error
        }
        await place.close()
    }

    @Test func `brings documents, deletions and attachments from device to device`() async throws {
        try await withPlace(databaseCount: 2) { place in
            let (a, b) = (place.databases[0], place.databases[1])
            // Both of the transports that there are.
            var viaFoundation = try await place.configuration()
            viaFoundation.options[CouchBackend.OptionName.packsRequests] = true
            let viaHosting = try await place.configuration(transport: AsyncHTTPClientTransport())
            try await a.write { transaction in
                for number in 0..<1_200 {
                    var document = Document(id: "note \(number)/ü")
                    document["number"] = number
                    _ = try transaction.save(document)
                }
            }
            var pictured = Document(id: "pictured")
            pictured.attachments = [
                DocumentAttachment(
                    name: "a b/c", contentType: "image/png",
                    data: Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) }))
            ]
            try await a.save(pictured)
            #expect(try await a.replicate(with: viaFoundation).pushed == 1_201)
            let fetched = try await b.replicate(with: viaHosting)
            #expect(fetched.pulled == 1_201 && fetched.attachmentsDownloaded == 1)
            #expect(try a.contents() == b.contents())
            #expect(
                try await b.fetchDocument("pictured")?.attachments
                    == a.fetchDocument("pictured")?.attachments)
            // Sent while it is read, and fetched in ranges.
            var filmed = Document(id: "filmed")
            filmed.attachments = [
                DocumentAttachment(
                    name: "film", contentType: "video/mp4",
                    data: Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }))
            ]
            try await b.save(filmed)
            #expect(try await b.replicate(with: viaHosting).pushed == 1)
            try await a.replicate(with: viaFoundation)
            #expect(
                try await a.fetchDocument("filmed")?.attachments
                    == b.fetchDocument("filmed")?.attachments)
            try await b.delete(documentWithId: "note 7/ü")
            try await b.replicate(with: viaFoundation)
            try await a.replicate(with: viaHosting)
            #expect(try await a.fetchDocument("note 7/ü") == nil)
            #expect(try a.contents() == b.contents())
        }
    }

    @Test func `keeps both versions of a conflict on all sides until it is resolved`()
        async throws
    {
        try await withPlace(databaseCount: 2) { place in
            let (a, b) = (place.databases[0], place.databases[1])
            let configuration = try await place.configuration()
            try await a.save(["id": "visit", "place": "Bonn"])
            try await a.replicate(with: configuration)
            try await b.replicate(with: configuration)
            for (database, name) in [(a, "Ulm"), (b, "Linz")] {
                var document = try #require(try await database.fetchDocument("visit"))
                document["place"] = name
                try await database.save(document)
            }
            try await a.replicate(with: configuration)
            #expect(try await b.replicate(with: configuration).conflicts == 1)
            try await a.replicate(with: configuration)
            let shown = try await a.fetchDocument("visit")
            #expect(try await b.fetchDocument("visit") == shown)
            #expect(try await a.conflicts(of: "visit") == b.conflicts(of: "visit"))
            try await b.resolveConflicts(of: "visit", with: ["id": "visit", "place": "Ulm, Linz"])
            try await b.replicate(with: configuration)
            #expect(try await a.replicate(with: configuration).conflicts == 0)
            #expect(try await a.fetchDocument("visit")?["place"] as? String == "Ulm, Linz")
        }
    }

    @Test func `hears of changes at once, and goes on after the server was away`() async throws {
        try await withPlace(databaseCount: 2) { place in
            let (a, b) = (place.databases[0], place.databases[1])
            var configuration = try await place.configuration(isRepeating: true)
            configuration.pollInterval = .seconds(3_600)
            let first = try await a.addReplication(with: configuration)
            let second = try await b.addReplication(with: configuration)
            #expect(a.replications.map(\.remote) == [configuration.url.absoluteString])
            try await a.save(["id": "one"])
            try await arrival(of: "one", in: b)
            try await b.save(["id": "two"])
            try await arrival(of: "two", in: a)
            await place.server.stop()
            try await a.save(["id": "three"])
            try await place.server.start()
            try await arrival(of: "three", in: b)
            await first.stop()
            await second.stop()
            #expect(a.replications.isEmpty)
        }
    }

    private func arrival(of id: String, in database: Database) async throws {
        for try await change in database.changes(since: 0, isLive: true)
        where change.change.documentId == id {
            return
        }
    }

    @Test func `says what is wrong with an address`() async throws {
        try await withPlace { place in
            let database = place.databases[0]
            var missing = try await place.configuration()
            missing.options[CouchBackend.OptionName.createsDatabase] = false
            await #expect {
                try await database.replicate(with: missing)
            } throws: {
                ($0 as? ReplicationError)?.code == .misconfigured
            }
            let several = [missing, missing]
            await #expect(throws: ReplicationError.self) {
                try await database.replicate(with: several)
            }
        }
    }
}
