import CosmosModel
import Foundation
import Settle
import SettleREST
import SettleSync
import TestSupport

@testable import SettleCosmos

/// A database that is replicated with a collection of the model.
actor ReplicaDevice {
    private let directory: URL
    private(set) var database: Database

    init(_ name: String, in scratch: ScratchDirectory) async throws {
        directory = scratch.file(name)
        database = try await Self.open(directory)
    }

    private static func open(_ directory: URL) async throws -> Database {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let configuration = Database.OpenDatabaseConfiguration(
            name: "db", fileLocation: directory,
            completionQueue: DispatchQueue(label: "settle.tests.completion"), durability: .relaxed)
        guard let database = try await Database.open(with: configuration, create: true) else {
            preconditionFailure("A database that is to be created is there.")
        }
        return database
    }

    func restart() async throws {
        await database.stopReplication()
        await database.close()
        database = try await Self.open(directory)
    }

    func close() async { await database.close() }

    func put(_ id: String, _ members: [String: JSONValue]) async throws {
        var document = Document(id: id)
        for (name, value) in members { document[json: name] = value }
        try await database.save(document)
    }

    func delete(_ id: String) async throws {
        try await database.delete(documentWithId: id)
    }

    func members(_ id: String) async throws -> [String: JSONValue]? {
        try await database.fetchDocument(id)?.json
    }

    @discardableResult
    func replicate(
        _ backend: CosmosBackend, _ change: (inout ReplicationConfiguration) -> Void = { _ in }
    ) async throws -> ReplicationSummary {
        var configuration = ReplicationConfiguration(url: backend.url, isRepeating: false)
        configuration.retryLimit = 0
        configuration.clock = LeapingClock()
        change(&configuration)
        return try await database.replicate(with: configuration, using: backend)
    }
}

extension ModelAccount {
    func backend(
        _ deletion: CosmosBackend.Deletion = .soft(), collection: String = "people"
    ) throws -> CosmosBackend {
        try CosmosBackend(client, collection: collection, inDatabase: "crm", deletion: deletion)
    }

    /// The documents there are, without the service's members.
    func documents() async throws -> [String: [String: JSONValue]] {
        var documents: [String: [String: JSONValue]] = [:]
        let pages = client.get(
            documentsAs: Document.self, inCollection: "people", inDatabase: "crm")
        for try await document in pages.items { documents[document.id] = document.content.json }
        return documents
    }
}
