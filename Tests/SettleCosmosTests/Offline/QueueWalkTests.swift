import CosmosModel
import Foundation
import Settle
import SettleOutbox
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Walking the queue` {
    /// A sender that chooses few writes at a time.
    private func sender(
        _ account: OfflineAccount, choosing count: Int
    ) async throws -> Cosmos.QueueSender {
        let session = try account.client.session()
        return Cosmos.QueueSender(
            store: try await Cosmos.OfflineStores.shared.store(in: try account.folder),
            line: session.service, sealer: Cosmos.Sealer(encryptor: nil),
            conflicts: account.client.conflicts, events: Cosmos.OfflineEvents(),
            turnCountMax: count)
    }

    @Test func `goes past as many as are chosen together and always fail`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        for city in ["Basel", "Biel", "Bern", "Chur"] {
            try await account.create(Person(id: "1", city: city))
        }
        account.service.add(
            FaultRule(.fail(status: 500), count: nil) {
                $0.headers["x-ms-documentdb-partitionkey"]?.contains("B") == true
            })
        account.service.clearLog()
        let sender = try await sender(account, choosing: 2)
        account.client.offlineDataEnabled = false
        account.client.isNetworkAvailable = true
        await #expect {
            try await sender.drain()
        } throws: { isError(.internalServerError)($0) }
        // Each was tried once.
        #expect(account.service.log.count == 4)
        account.service.removeFaults()
        #expect(try await account.client.queuedWrites().map(\.ids) == [["1"], ["1"], ["1"]])
        #expect(try await account.remote("1", "Chur") != nil)
        try await sender.drain()
        #expect(try await account.client.queuedWrites().isEmpty)
        try await account.close()
    }

    @Test func `holds back what waits for one that fails, and nothing else`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        let first = try await account.create(Person(id: "1", city: "Basel")).resource
        let second = try await account.create(Person(id: "2", city: "Bern")).resource
        for person in [first, second] {
            try await account.client.create(
                attachmentWithId: "a", contentType: "text/plain", with: Data([1]),
                onDocument: person)
        }
        account.service.add(
            FaultRule(.fail(status: 503), count: nil) {
                $0.method == "POST" && $0.path.hasSuffix("docs")
                    && $0.headers["x-ms-documentdb-partitionkey"]?.contains("Basel") == true
            })
        account.service.clearLog()
        let sender = try await sender(account, choosing: 1)
        account.client.offlineDataEnabled = false
        account.client.isNetworkAvailable = true
        await #expect(throws: Cosmos.ClientError.self) { try await sender.drain() }
        #expect(try await account.client.queuedWrites().map(\.ids) == [["1"], ["a"]])
        #expect(account.service.log.count == 3)
        account.service.removeFaults()
        try await sender.drain()
        #expect(try await account.client.queuedWrites().isEmpty)
        try await account.close()
    }

    @Test func `has no contents in memory but of those that are sent`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        for id in 1...3 {
            try await account.create(
                Person(id: "\(id)", city: "Bern", name: String(repeating: "x", count: 10_000)))
        }
        let sender = try await sender(account, choosing: 10)
        var walk = Cosmos.QueueSender.Walk()
        let turns = try sender.nextTurns(&walk)
        #expect(turns.count == 3)
        #expect(turns.allSatisfy { $0.write.content == nil && $0.size > 10_000 })
        #expect(turns.map { $0.write.name?.link.name } == ["1", "2", "3"])
        try await account.close()
    }

    /// Batches of several documents wait for each other in all ways; whatever is chosen together, the last write of each
    /// document is what the service has in the end.
    @Test(arguments: 1...6) func `keeps the order of the writes of a document`(
        count: Int
    ) async throws {
        let seed = UInt64(count)
        var random = SeededGenerator(seed: seed)
        let account = try await OfflineAccount()
        account.goOffline()
        var last: [String: String] = [:]
        for number in 0..<20 {
            let ids = ["a", "b", "c", "d", "e"].shuffled(using: &random)
                .prefix(Int.random(in: 1...3, using: &random))
            let city = ["Bern", "Basel"][Int.random(in: 0..<2, using: &random)]
            var batch = Cosmos.Batch()
            for id in ids {
                try batch.createOrReplace(Person(id: id, city: city, name: "\(number)"))
                last["\(id) \(city)"] = "\(number)"
            }
            try await account.client.perform(
                batch, inCollection: "people", withPartitionKey: .init(city), inDatabase: "crm")
        }
        let sender = try await sender(account, choosing: count)
        account.client.offlineDataEnabled = false
        account.client.isNetworkAvailable = true
        try await sender.drain()
        for (place, name) in last {
            let parts = place.split(separator: " ").map(String.init)
            #expect(
                try await account.remote(parts[0], parts[1])?.name == name,
                "\(place) with seed \(seed)")
        }
        #expect(try await account.client.queuedWrites().isEmpty)
        try await account.close()
    }
}
