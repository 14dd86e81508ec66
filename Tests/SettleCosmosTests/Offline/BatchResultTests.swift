import CosmosModel
import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCosmos

/// The service need not send the documents that a batch has written.
@Suite struct `Queued writes that went in a batch whose results have no documents` {
    @Test func `are kept as they were written`() async throws {
        let account = try await OfflineAccount()
        try await account.create(Person(id: "gone", city: "Bern"))
        account.goOffline()
        for id in 1...3 { try await account.create(Person(id: "\(id)", city: "Bern", age: id)) }
        try await account.delete("gone", "Bern")
        account.line.hidesDocumentsOfBatches = true
        try await account.goOnline()
        account.goOffline()
        for id in 1...3 {
            let person = try await account.get("\(id)", "Bern")
            #expect(person.fromCache && person.resource.age == id)
            #expect(Cosmos.ResourceIdentifier(person.resource.resourceId) != nil)
        }
        await #expect {
            try await account.get("gone", "Bern")
        } throws: { isError(.unreachable)($0) }
        try await account.close()
    }

    @Test func `of an app's own batch are kept as they were written`() async throws {
        let account = try await OfflineAccount()
        try await account.create(Person(id: "1", city: "Bern", age: 1))
        account.goOffline()
        var batch = Cosmos.Batch()
        try batch.create(Person(id: "2", city: "Bern", age: 2))
        batch.patch(documentWithId: "1", [.increment(path: "/age", by: 10)])
        batch.delete(documentWithId: "2")
        try await account.client.perform(
            batch, inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm")
        account.line.hidesDocumentsOfBatches = true
        try await account.goOnline()
        account.goOffline()
        #expect(try await account.get("1", "Bern").resource.age == 11)
        await #expect {
            try await account.get("2", "Bern")
        } throws: { isError(.unreachable)($0) }
        try await account.close()
    }

    @Test func `that are not to be read then are sent again with care`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        for id in 1...2 { try await account.create(Person(id: "\(id)", city: "Bern")) }
        account.line.hidesDocumentsOfBatches = true
        account.service.add(FaultRule(.fail(status: 503), count: nil) { $0.method == "GET" })
        account.client.isNetworkAvailable = true
        await #expect {
            try await account.client.sendQueuedWrites()
        } throws: { isError(.serviceUnavailable)($0) }
        #expect(try await account.client.queuedWrites().count == 2)
        account.service.removeFaults()
        account.line.hidesDocumentsOfBatches = false
        let told = events(of: account.client)
        try await account.client.sendQueuedWrites()
        #expect(
            await Set(told.value.lines) == ["sent create 1", "sent create 2", "processed"])
        try await account.close()
    }
}
