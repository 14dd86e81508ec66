import Foundation
import Logging
import Settle
import SettleREST
import SettleServer
import SettleSync
import TestSupport
import Testing

/// Replications with a server of CouchDB's protocol that asks who comes, and shows each what its channels show.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Replication with a guarded server of CouchDB's protocol` {
    private typealias Name = CouchBackend.OptionName

    private static let secret = "a secret of more than thirty-two bytes, for tests"

    private func token(
        _ subject: String, _ channels: [String]? = nil, roles: [String] = []
    ) async throws -> String {
        try await TableServer.token(
            secret: Self.secret, subject: subject, channels: channels,
            claims: roles.isEmpty
                ? [:] : ["_couchdb.roles": .array(roles.map { .string($0) })],
            expiresIn: .seconds(3_600))
    }

    private func withServer(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (_ url: URL, ScratchDirectory) async throws -> Void
    ) async throws {
        let scratch = try ScratchDirectory("couch-rights")
        var configuration = CouchServer.Configuration(directory: try scratch.folder("server"))
        configuration.port = 0
        configuration.authentication = .jwt(secret: Self.secret)
        var logger = Logger(label: "journey")
        logger.logLevel = .critical
        let server = CouchServer(configuration: configuration, logger: logger)
        let running = Task { try await server.run() }
        let result: Result<Void, any Error>
        do {
            let port = try await server.boundPort()
            result = .success(
                try await body(
                    try #require(URL(string: "couchdb+http://127.0.0.1:\(port)/notes")), scratch))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        _ = await running.result
        try result.get()
    }

    private func database(_ name: String, _ scratch: ScratchDirectory) async throws -> Database {
        try await Database.openOrCreate(.init(name: name, fileLocation: scratch.url))
    }

    private func document(_ id: String, _ channels: [String]) -> Document {
        var document = Document(id: id)
        document["channels"] = channels
        return document
    }

    @Test func `brings each what its channels show, by tokens and by sessions`() async throws {
        try await withServer { url, scratch in
            let office = try await database("office", scratch)
            for (id, channels) in [("one", ["a"]), ("two", ["b"]), ("three", ["a", "b"])] {
                try await office.save(document(id, channels))
            }
            var configuration = ReplicationConfiguration(
                url: url, isRepeating: false,
                options: [
                    Name.token: try await token("anna", roles: ["_admin"]),
                    Name.createsDatabase: true,
                ])
            #expect(try await office.replicate(with: configuration).pushed == 3)

            // A name and its token as the password begin a session.
            let reader = try await database("reader", scratch)
            configuration.options = [
                Name.user: "ben", Name.password: try await token("ben", ["a"]),
            ]
            #expect(try await reader.replicate(with: configuration).pulled == 2)
            #expect(try reader.contents().keys.sorted() == ["one", "three"])
            // What it may not write is refused, and the rest goes.
            try await reader.save(document("four", ["a"]))
            try await reader.save(document("five", ["b"]))
            let written = try await reader.replicate(with: configuration)
            #expect(written.pushed == 1 && written.rejected == 1)

            let stranger = try await database("stranger", scratch)
            configuration.options = [Name.user: "eve", Name.password: "guessed"]
            await #expect {
                try await stranger.replicate(with: configuration)
            } throws: {
                ($0 as? ReplicationError)?.code == .unauthorized
            }
            for database in [office, reader, stranger] { await database.close() }
        }
    }

    @Test func `fetches the channels that are asked for, and what fulfils a selector`() async throws
    {
        try await withServer { url, scratch in
            let office = try await database("office", scratch)
            for (id, channels) in [("one", ["a"]), ("two", ["b"]), ("three", ["c"])] {
                try await office.save(document(id, channels))
            }
            var configuration = ReplicationConfiguration(
                url: url, isRepeating: false,
                options: [
                    Name.token: try await token("anna", roles: ["_admin"]),
                    Name.createsDatabase: true,
                ])
            try await office.replicate(with: configuration)

            let some = try await database("some", scratch)
            configuration.limitToChannels = ["a", "b"]
            #expect(try await some.replicate(with: configuration).pulled == 2)
            // A deletion comes, though it is in no channel; that of a document which is not here does not.
            try await office.delete(documentWithId: "one")
            try await office.delete(documentWithId: "three")
            configuration.limitToChannels = []
            try await office.replicate(with: configuration)
            configuration.limitToChannels = ["a", "b"]
            #expect(try await some.replicate(with: configuration).pulled == 1)
            #expect(try some.contents().keys.sorted() == ["two"])

            let chosen = try await database("chosen", scratch)
            configuration.limitToChannels = []
            configuration.options[Name.selector] = #"{"_id":"two"}"#
            #expect(try await chosen.replicate(with: configuration).pulled == 1)
            for database in [office, some, chosen] { await database.close() }
        }
    }
}
