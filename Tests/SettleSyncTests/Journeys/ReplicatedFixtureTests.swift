import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleSync

/// Replicated databases as released formats left them: a later release goes on where they were.
///
/// A fixture is made by running this test with `SETTLE_REPLICATED_FIXTURE` set to a folder.
@Suite(.serialized) struct `The replicated fixtures` {
    /// The newest format of the store, and those that are upgraded.
    private static let formats = [4, 3]

    private let configuration: @Sendable () throws -> ReplicationConfiguration = {
        let url = try #require(URL(string: "model:"))
        var configuration = ReplicationConfiguration(url: url, isRepeating: false)
        configuration.retryLimit = 0
        return configuration
    }

    private func replicate(
        _ database: Database, _ server: ModelServer
    ) async throws -> ReplicationSummary {
        try await database.replicate(
            with: configuration(), using: ModelBackend(server: server))
    }

    private func save(_ database: Database, _ id: String, _ members: [String: JSONValue])
        async throws
    {
        var document = Document(id: id)
        for (name, value) in members { document[json: name] = value }
        try await database.save(document)
    }

    /// A database and its server: what was pulled, what was pushed, and what waits to be.
    private func make(in folder: URL) async throws -> (Database, ModelServer) {
        let server = ModelServer()
        for (number, name) in ["a", "b", "c", "d", "e"].enumerated() {
            server.put(name, ["n": .integer(Int64(number)), "text": "Grüße"])
        }
        let database = try await openDatabase(in: folder)
        try await save(database, "mine", ["n": 1])
        _ = try await replicate(database, server)
        server.put("e", nil)
        _ = try await replicate(database, server)
        try await save(database, "b", ["n": 100])
        try await save(database, "b", ["n": 101])
        try await database.delete(documentWithId: "c")
        try await save(database, "own", ["n": 2])
        server.put("d", ["n": 200])
        return (database, server)
    }

    /// The bases and pending changes of a database.
    private func state(_ database: Database) throws -> [String] {
        try database.read { snapshot in
            let record = try RemoteRecord.find("model", in: snapshot)
            let tables = try RemoteTables(record, in: snapshot)
            return try tables.knownIds().sorted().map { id in
                let base = try tables.base(id)
                let members = base?.members.map { JSONValue.object($0).jsonText }
                let entry = try tables.entry(id)
                let item = "\(base?.presence as Any) \(base?.version as Any) \(members ?? "none")"
                return "\(id) \(item) \(base?.source ?? 0) \(entry?.queued as Any)"
            }
        }
    }

    @Test(arguments: formats)
    func `are gone on with as if they had been made by this release`(format: Int) async throws {
        let scratch = try ScratchDirectory("replicated")
        let kept = ProcessInfo.processInfo.environment["SETTLE_REPLICATED_FIXTURE"]
        let folderKept = format == Self.formats[0] ? kept.map { URL(fileURLWithPath: $0) } : nil
        let (made, server) = try await make(in: folderKept ?? scratch.file("made"))
        let expected = try state(made)
        await made.close()

        let folder = scratch.file("fixture")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("db.settle"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Fixture.url("Stores/replicated-\(format).settle/data.mdb"),
            to: folder.appendingPathComponent("db.settle/data.mdb"))
        let database = try await openDatabase(in: folder)
        #expect(try state(database) == expected)
        #expect(try await database.check() == [])

        let summary = try await replicate(database, server)
        #expect(summary.pushed == 3)
        #expect(summary.pulled == 1)
        #expect(summary.conflicts == 0)
        let again = try await replicate(database, server)
        #expect(again.pushed + again.pulled == 0)
        #expect(server.complaints == [])
        #expect(server.contents["b"] == ["n": 101])
        #expect(server.contents["c"] == nil)
        #expect(try await database.fetchDocument("d")?.json == ["n": 200])
        #expect(try await database.check() == [])
        await database.close()
        withExtendedLifetime(scratch) {}
    }
}
