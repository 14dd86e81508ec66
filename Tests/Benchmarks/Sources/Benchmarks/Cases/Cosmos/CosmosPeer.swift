import Foundation
import Settle
import SettleCosmos
import SettleREST

/// A client of Cosmos DB with a cache.
struct CosmosPeer: Sendable {
    let client: Cosmos.Client

    private static let key = "a2V5"

    /// Opens a new cache; the client has read the collection.
    init(
        in folder: URL, transport: any HTTPTransport, port: Int = 1
    ) async throws {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw BenchmarkError("That is no address.")
        }
        client = Cosmos.Client(
            transport: transport, cache: Cosmos.CacheConfiguration(folder: folder))
        try client.configure(forAccountAt: url, withMasterKey: Self.key, withPermissionMode: .all)
    }

    /// Reads the collection, so that documents may wait in it.
    func readCollection() async throws {
        _ = try await client.get(
            collectionWithId: CosmosStub.collection, inDatabase: CosmosStub.database)
    }

    /// Keeps documents by listing them.
    func list() async throws -> Int {
        var count = 0
        for try await page in client.get(
            documentsAs: Document.self, inCollection: CosmosStub.collection,
            inDatabase: CosmosStub.database, maxPerPage: 1_000)
        {
            count += page.resource.count
        }
        return count
    }

    /// Reads a document; within a lifetime nobody is asked.
    func get(_ id: String, _ type: String, lifetime: Duration? = nil) async throws -> Document {
        var options = Cosmos.RequestOptions()
        options.cacheLifetime = lifetime
        return try await client.get(
            documentWithId: id, as: Document.self, inCollection: CosmosStub.collection,
            withPartitionKey: .init(type), inDatabase: CosmosStub.database, options: options
        ).resource.content
    }

    /// Creates a document.
    func create(_ document: Document, _ type: String) async throws {
        try await client.create(
            document, inCollection: CosmosStub.collection, inDatabase: CosmosStub.database,
            withPartitionKey: .init(type))
    }
}
