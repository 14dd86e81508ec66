import Foundation
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

@testable import SettleServer

/// Databases that replicate with each other by revisions: each is served in this process, and each may be the one
/// that replicates.
final class RevisionWorld {
    let directory: ScratchDirectory
    let databases: CouchDatabases
    let transport: FaceTransport
    let names: [String]

    init(names: [String]) async throws {
        self.names = names
        directory = try ScratchDirectory("revisions")
        databases = try CouchDatabases(directory: directory.url)
        transport = FaceTransport(databases)
        for name in names { try await databases.create(name) }
    }

    func close() async {
        await databases.close()
    }

    /// Closes all databases and opens them again when they are next asked for, as after a restart.
    func restart() async {
        await databases.close()
    }

    func database(_ name: String) async throws -> Database {
        try await databases.database(name).database
    }

    /// How one of them replicates with another.
    func configuration(
        with name: String, direction: ReplicationDirection = .bidirectional
    ) throws -> ReplicationConfiguration {
        var configuration = ReplicationConfiguration(
            url: try #require(URL(string: "couchdb+http://face/\(name)")), isRepeating: false,
            options: [CouchBackend.OptionName.transport: transport])
        configuration.direction = direction
        configuration.retryLimit = 0
        configuration.pageSize = 7
        return configuration
    }

    @discardableResult
    func replicate(
        _ name: String, with other: String, direction: ReplicationDirection = .bidirectional
    ) async throws -> ReplicationSummary {
        try await database(name).replicate(
            with: try configuration(with: other, direction: direction))
    }

    /// All leaves of all documents with what they hold.
    func state(of name: String) async throws -> [String: [String]] {
        let database = try await database(name)
        return try database.read { snapshot in
            var state: [String: [String]] = [:]
            for change in try snapshot.changes(since: 0).changes where !change.isPurged {
                let id = change.documentId
                state[id] = try snapshot.leaves(of: id).map { leaf in
                    let document = try snapshot.document(id, atRevision: leaf.revision)
                    let text = String(
                        decoding: JSONText.text(of: .object(document?.json ?? [:])),
                        as: UTF8.self)
                    let attached = (document?.attachments ?? []).map {
                        "\($0.name) \($0.contentType) \($0.digest)"
                    }
                    return "\(leaf.revision)\(leaf.isDeleted ? " deleted" : "") \(text) \(attached)"
                }
            }
            return state
        }
    }
}

/// Runs something with a world, which is closed at the end.
func withRevisionWorld(
    _ names: [String], isolation: isolated (any Actor)? = #isolation,
    _ body: (RevisionWorld) async throws -> Void
) async throws {
    let world = try await RevisionWorld(names: names)
    do {
        try await body(world)
    } catch {
        await world.close()
        throw error
    }
    await world.close()
}
