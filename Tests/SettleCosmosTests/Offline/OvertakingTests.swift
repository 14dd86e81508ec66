import CosmosModel
import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Writes while others wait or are under way` {
    @Test func `do not overtake those that wait, while nothing is kept`() async throws {
        let account = try await OfflineAccount()
        try await account.create(Person(id: "1", city: "Bern"))
        try await account.create(Person(id: "2", city: "Bern"))
        account.goOffline()
        func replace(_ id: String, _ name: String) async throws -> Bool {
            try await account.client.replace(
                Person(id: id, city: "Bern", name: name), inCollection: "people", inDatabase: "crm"
            ).fromCache
        }
        _ = try await replace("1", "first")
        account.client.offlineDataEnabled = false
        account.client.isNetworkAvailable = true
        #expect(try await replace("1", "second"))
        #expect(try await account.remote("1", "Bern")?.name == "Ada")
        // Nothing of it waits.
        #expect(try await !replace("2", "second"))
        #expect(try await account.remote("2", "Bern")?.name == "second")
        try await account.client.sendQueuedWrites()
        #expect(try await account.remote("1", "Bern")?.name == "second")
        #expect(try await !replace("1", "third"))
        // What was written past the copy is not kept as it was.
        account.client.offlineDataEnabled = true
        account.goOffline()
        await #expect {
            try await account.get("2", "Bern")
        } throws: { isError(.unreachable)($0) }
        try await account.close()
    }

    @Test func `need no key while nothing is kept and nothing waits`() async throws {
        let account = try await OfflineAccount(cache: { $0.encryptor = Reverser() })
        var one = try await account.create(Person(id: "1", city: "Bern")).resource
        account.client.resourceEncryptor = nil
        account.client.offlineDataEnabled = false
        one.name = "Grace"
        #expect(try await !account.client.replace(one).fromCache)
        #expect(try await account.remote("1", "Bern")?.name == "Grace")
        try await account.close()
    }

    @Test func `of one document at once leave no copy of which nobody knows whether it holds`()
        async throws
    {
        let account = try await OfflineAccount()
        try await account.create(Person(id: "1", city: "Bern"))
        let gate = FaultGate()
        account.service.add(FaultRule(.delayAfter(gate)))
        let client = account.client
        // The first is carried out first, and answered last.
        let first = Task {
            try await client.createOrReplace(
                Person(id: "1", city: "Bern", name: "first"), inCollection: "people",
                inDatabase: "crm")
        }
        await gate.arrivals()
        try await client.createOrReplace(
            Person(id: "1", city: "Bern", name: "second"), inCollection: "people", inDatabase: "crm"
        )
        gate.open()
        _ = try await first.value
        account.goOffline()
        await #expect {
            try await account.get("1", "Bern")
        } throws: { isError(.unreachable)($0) }
        client.isNetworkAvailable = true
        #expect(try await account.get("1", "Bern").resource.content.name == "second")
        account.goOffline()
        #expect(try await account.get("1", "Bern").resource.content.name == "second")
        try await account.close()
    }

    @Test func `are refused in a collection that was never read, deletions as well`() async throws {
        let account = try await OfflineAccount()
        let other = try account.otherClient()
        try await other.create(
            collectionWithId: "unread", andPartitionKey: "/city", inDatabase: "crm")
        account.goOffline()
        await #expect {
            try await account.client.delete(
                documentWithId: "1", fromCollection: "unread", withPartitionKey: "Bern",
                fromDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        var batch = Cosmos.Batch()
        batch.delete(documentWithId: "1")
        await #expect {
            try await account.client.perform(
                batch, inCollection: "unread", withPartitionKey: "Bern", inDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        // Of a document that is not kept, and of an attachment in it.
        try await account.delete("9", "Bern")
        await #expect {
            try await account.client.delete(
                attachmentWithId: "a", fromDocument: "8", inCollection: "people",
                withPartitionKey: "Bern", inDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        #expect(try await account.client.queuedWrites().map(\.ids) == [["9"]])
        try await account.close()
    }

    @Test func `of a batch online know the versions of this device`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        let one = try await account.create(Person(id: "1", city: "Bern")).resource
        let two = try await account.create(Person(id: "2", city: "Bern")).resource
        try await account.goOnline()
        #expect(one.etag?.contains("offline-") == true)
        func perform(_ name: String) async throws {
            var batch = Cosmos.Batch()
            try batch.replace(Person(id: "1", city: "Bern", name: name), ifMatch: one.etag)
            batch.delete(documentWithId: "2", ifMatch: two.etag)
            #expect(
                try await !account.client.perform(
                    batch, inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm"
                ).fromCache)
        }
        try await perform("Grace")
        #expect(try await account.remote("1", "Bern")?.name == "Grace")
        #expect(try await account.remote("2", "Bern") == nil)
        // By now it is another version.
        await #expect(throws: Cosmos.ClientError.self) { try await perform("Edith") }
        #expect(try await account.remote("1", "Bern")?.name == "Grace")
        try await account.close()
    }
}

/// An encryptor for tests, with no key at all.
private struct Reverser: Cosmos.ResourceEncryptor {
    func encrypt(_ data: Data) -> Data { Data(data.reversed()) }
    func decrypt(_ data: Data) -> Data { Data(data.reversed()) }
}
