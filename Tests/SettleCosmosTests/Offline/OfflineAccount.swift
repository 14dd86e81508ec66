import CosmosModel
import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCosmos

/// An account of the model with a collection, and a client of it with a cache in a folder of its own.
struct OfflineAccount {
    let service: ModelService
    let scratch: ScratchDirectory
    let clock = ManualClock()
    let line = TestLine()
    var cache: Cosmos.CacheConfiguration
    private(set) var client: Cosmos.Client
    private(set) var now: @Sendable () -> Date

    init(
        rangeCount: Int = 1, path: String = "/city",
        now: @escaping @Sendable () -> Date = { Date() },
        cache change: (inout Cosmos.CacheConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = AccountConfiguration()
        configuration.rangeCount = rangeCount
        configuration.needsCompositeIndexes = false
        service = ModelService(configuration: configuration)
        scratch = try ScratchDirectory("cosmos")
        cache = Cosmos.CacheConfiguration(folder: scratch.url)
        change(&cache)
        self.now = now
        client = try Self.client(service, line, clock, cache, now)
        try await client.create(databaseWithId: "crm")
        try await client.create(
            collectionWithId: "people", andPartitionKey: .init(paths: [path]), inDatabase: "crm")
    }

    private static func client(
        _ service: ModelService, _ line: TestLine, _ clock: ManualClock,
        _ cache: Cosmos.CacheConfiguration?, _ now: @escaping @Sendable () -> Date,
        isOnline: Bool = true
    ) throws -> Cosmos.Client {
        try .stubbed(
            by: ModelTransport(service: service, line: line), clock: clock, retries: .never,
            now: now, cache: cache, isNetworkAvailable: isOnline)
    }

    /// Another client of the same account, without a cache.
    func otherClient() throws -> Cosmos.Client {
        try Self.client(service, TestLine(), clock, nil, now)
    }

    /// Ends the client and all that it has in memory, and begins with what it has stored; with a network or without one,
    /// or as it was.
    mutating func restart(isOnline: Bool? = nil) async throws {
        let isOnline = isOnline ?? client.isNetworkAvailable
        client.reset()
        await Cosmos.OfflineStores.shared.close(try folder)
        client = try Self.client(service, line, clock, cache, now, isOnline: isOnline)
    }

    /// Where the cache of the account is.
    var folder: URL {
        get throws { cache.folder(of: try Cosmos.Account(named: "contoso")) }
    }

    func close() async throws {
        client.reset()
        await Cosmos.OfflineStores.shared.close(try folder)
    }

    func goOffline() { client.isNetworkAvailable = false }

    /// Gives the network back and waits until everything was sent.
    func goOnline() async throws {
        client.isNetworkAvailable = true
        try await client.sendQueuedWrites()
    }

    @discardableResult
    func create(_ person: Person) async throws -> Cosmos.Response<Cosmos.DocumentResource<Person>> {
        try await client.create(person, inCollection: "people", inDatabase: "crm")
    }

    func get(
        _ id: String, _ city: String, lifetime: Duration? = nil
    ) async throws -> Cosmos.Response<Cosmos.DocumentResource<Person>> {
        var options = Cosmos.RequestOptions()
        options.cacheLifetime = lifetime
        return try await client.get(
            documentWithId: id, as: Person.self, inCollection: "people",
            withPartitionKey: .init(city), inDatabase: "crm", options: options)
    }

    @discardableResult
    func delete(_ id: String, _ city: String) async throws -> Cosmos.Response<Void> {
        try await client.delete(
            documentWithId: id, fromCollection: "people", withPartitionKey: .init(city),
            fromDatabase: "crm")
    }

    /// What the service has of a person; nil when it has none.
    func remote(_ id: String, _ city: String) async throws -> Person? {
        let other = try otherClient()
        do throws(Cosmos.ClientError) {
            return try await other.get(
                documentWithId: id, as: Person.self, inCollection: "people",
                withPartitionKey: .init(city), inDatabase: "crm"
            ).resource.content
        } catch {
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }

    /// The identifiers of the documents that keep resources.
    func paths() async throws -> [String] {
        let store = try await Cosmos.OfflineStores.shared.store(in: try folder)
        var paths: [String] = []
        try store.database.read { snapshot in
            try snapshot.forEachDocument { document in
                paths.append(document.id)
                return true
            }
        }
        return paths
    }

    /// The methods of the requests that the service got since the log was cleared.
    var methods: [String] { service.log.map(\.request.method) }
}

/// Whether an error is one of the client's of a kind.
func isError(_ kind: Cosmos.ClientError.Kind) -> (any Error) -> Bool {
    { ($0 as? Cosmos.ClientError)?.kind == kind }
}

/// Collects what becomes of queued writes.
func events(of client: Cosmos.Client) -> (Task<[Cosmos.OfflineEvent], Never>) {
    let stream = client.offlineEvents
    return Task {
        var events: [Cosmos.OfflineEvent] = []
        for await event in stream {
            events.append(event)
            if case .queueProcessed = event { break }
        }
        return events
    }
}

extension [Cosmos.OfflineEvent] {
    /// The events in a line each.
    var lines: [String] {
        map { event in
            switch event {
            case .sent(let write): "sent \(write.action) \(write.ids.joined(separator: " "))"
            case .failed(let write, let error):
                "failed \(write.action) \(write.ids.joined(separator: " ")) \(error.kind)"
            case .queueProcessed: "processed"
            }
        }
    }
}
