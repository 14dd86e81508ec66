import CosmosModel
import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `Writes offline` {
    @Test func `do not overtake those that wait, where the collection is no longer kept`()
        async throws
    {
        let account = try await OfflineAccount()
        try await account.create(Person(id: "1", city: "Bern"))
        account.goOffline()
        try await account.client.replace(
            Person(id: "1", city: "Bern", name: "first"), inCollection: "people", inDatabase: "crm")
        account.client.setCached(false, forCollection: "people", inDatabase: "crm")
        try await account.client.replace(
            Person(id: "1", city: "Bern", name: "second"), inCollection: "people",
            inDatabase: "crm")
        try await account.goOnline()
        #expect(try await account.remote("1", "Bern")?.name == "second")
        try await account.close()
    }

    @Test func `are in a list of the beginning of a hierarchical key`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        try await client.create(
            collectionWithId: "stock", andPartitionKey: .init(paths: ["/tenant", "/shop"]),
            inDatabase: "crm")
        func item(_ shop: String, _ count: Int64) -> Cosmos.DocumentProperties {
            Cosmos.DocumentProperties([
                "id": "1", "tenant": "t", "shop": .string(shop), "count": .integer(count),
            ])
        }
        for shop in ["a", "b"] {
            try await client.create(item(shop, 0), inCollection: "stock", inDatabase: "crm")
        }
        func listed(_ key: Cosmos.PartitionKey? = nil) async throws -> [Int64] {
            try await client.get(
                documentsAs: Cosmos.DocumentProperties.self, inCollection: "stock",
                inDatabase: "crm", withPartitionKey: key
            ).all().compactMap { $0.content.value.objectValue?["count"]?.integerValue }.sorted()
        }
        #expect(try await listed() == [0, 0])
        account.goOffline()
        try await client.replace(item("a", 7), inCollection: "stock", inDatabase: "crm")
        #expect(try await listed("t") == [0, 7])
        #expect(try await listed("other").isEmpty)
        try await account.goOnline()
        #expect(try await listed() == [0, 7])
        #expect(try await client.queuedWrites().isEmpty)
        try await account.close()
    }

    @Test func `are refused with an id that no link can have, and hold up nothing`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        for id in ["", "a/b"] {
            await #expect {
                _ = try await account.delete(id, "Bern")
            } throws: { isError(.invalidId)($0) }
        }
        try await account.create(Person(id: "1", city: "Bern"))
        try await account.goOnline()
        #expect(try await account.remote("1", "Bern") != nil)
        try await account.close()
    }

    @Test func `are applied to the cache, queued, and sent when the network is back`() async throws
    {
        let account = try await OfflineAccount()
        let client = account.client
        try await account.create(Person(id: "1", city: "Bern"))
        try await account.create(Person(id: "2", city: "Bern"))
        let told = events(of: client)
        account.goOffline()
        account.service.clearLog()
        let made = try await account.create(Person(id: "3", city: "Bern"))
        #expect(made.fromCache && made.statusCode == 201)
        var one = try await account.get("1", "Bern").resource
        one.name = "Grace"
        let replaced = try await client.replace(one)
        #expect(replaced.fromCache && replaced.statusCode == 200)
        #expect(replaced.resource.etag != one.etag)
        let deleted = try await account.delete("2", "Bern")
        #expect(deleted.fromCache && deleted.statusCode == 204)
        #expect(try await account.get("1", "Bern").resource.content.name == "Grace")
        await #expect {
            try await account.get("2", "Bern")
        } throws: { isError(.notFound)($0) }
        let list = try await client.get(
            documentsAs: Person.self, inCollection: "people", inDatabase: "crm"
        ).all()
        #expect(Set(list.map(\.id)) == ["1", "3"])
        #expect(account.service.log.isEmpty)
        #expect(try await client.queuedWrites().map(\.action) == [.create, .replace, .delete])
        try await account.goOnline()
        #expect(try await client.queuedWrites().isEmpty)
        #expect(try await account.remote("1", "Bern")?.name == "Grace")
        #expect(try await account.remote("2", "Bern") == nil)
        #expect(try await account.remote("3", "Bern") != nil)
        #expect(
            await told.value.lines == [
                "sent create 3", "sent replace 1", "sent delete 2", "processed",
            ])
        try await account.close()
    }

    @Test func `have an identifier of this device until the service gives one`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        account.goOffline()
        let person = try await account.create(Person(id: "1", city: "Bern")).resource
        #expect(person.resourceId.hasPrefix("offline-"))
        let photo = try await client.create(
            attachmentWithId: "photo", contentType: "image/jpeg", with: Data([1, 2, 3]),
            onDocument: person
        ).resource
        #expect(photo.selfLink?.hasPrefix(person.selfLink ?? "?") == true)
        #expect(
            try await client.get(contentOf: photo, withPartitionKey: "Bern").resource.count == 3)
        account.service.clearLog()
        try await account.goOnline()
        // The document before what is in it.
        #expect(
            account.service.log.map(\.request.path).map { $0.hasSuffix("attachments") } == [
                false, true,
            ])
        account.goOffline()
        let sent = try await account.get("1", "Bern").resource
        #expect(Cosmos.ResourceIdentifier(sent.resourceId) != nil)
        #expect(try await account.paths().allSatisfy { !$0.contains("offline-") })
        let attachments = try await client.get(attachmentsOn: sent).all()
        #expect(attachments.map(\.id) == ["photo"])
        #expect(attachments.first.map { Cosmos.ResourceIdentifier($0.resourceId) != nil } == true)
        #expect(
            try await client.get(contentOf: attachments[0], withPartitionKey: "Bern").resource
                == Data([1, 2, 3]))
        // Who still has the version of this device has the service's.
        try await account.goOnline()
        var old = person
        old.name = "Grace"
        #expect(try await client.replace(old).fromCache == false)
        #expect(try await account.remote("1", "Bern")?.name == "Grace")
        try await account.close()
    }

    @Test func `answer conflict and not found as if online`() async throws {
        let account = try await OfflineAccount()
        let person = Person(id: "1", city: "Bern")
        let one = try await account.create(person).resource
        account.goOffline()
        await #expect { try await account.create(person) } throws: { isError(.conflict)($0) }
        try await account.delete("1", "Bern")
        await #expect {
            try await account.client.replace(person, inCollection: "people", inDatabase: "crm")
        } throws: { isError(.notFound)($0) }
        await #expect { try await account.delete("1", "Bern") } throws: { isError(.notFound)($0) }
        try await account.create(Person(id: "1", city: "Bern", name: "Grace"))
        await #expect { try await account.create(person) } throws: { isError(.conflict)($0) }
        // Who has the version before the own write has another one.
        await #expect {
            try await account.client.replace(one)
        } throws: { isError(.preconditionFailed)($0) }
        #expect(try await account.client.queuedWrites().map(\.action) == [.replace])
        try await account.goOnline()
        #expect(try await account.remote("1", "Bern")?.name == "Grace")
        try await account.close()
    }

    @Test func `upsert, patch and batch as the service would`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        try await account.create(Person(id: "1", city: "Bern", age: 1))
        account.goOffline()
        let upserted = try await client.createOrReplace(
            Person(id: "2", city: "Bern", age: 2), inCollection: "people", inDatabase: "crm")
        #expect(upserted.isCreated && upserted.fromCache)
        let patched = try await client.patch(
            documentWithId: "1", as: Person.self,
            with: [.increment(path: "/age", by: 5), .set(path: "/name", value: "Grace")],
            inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm")
        #expect(patched.fromCache && patched.resource.content.age == 6)
        var batch = Cosmos.Batch()
        try batch.create(Person(id: "3", city: "Bern"))
        batch.patch(documentWithId: "2", [.increment(path: "/age", by: 1)])
        batch.delete(documentWithId: "3")
        batch.get(documentWithId: "2")
        let results = try await client.perform(
            batch, inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm")
        #expect(results.fromCache)
        #expect(results.resource.map(\.statusCode) == [201, 200, 204, 200])
        #expect(try results.resource[3].document(as: Person.self)?.content.age == 3)
        // One that fails leaves nothing behind.
        var refused = Cosmos.Batch()
        try refused.create(Person(id: "4", city: "Bern"))
        try refused.create(Person(id: "1", city: "Bern"))
        await #expect {
            try await client.perform(
                refused, inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm")
        } throws: { isError(.conflict)($0) }
        #expect(
            try await client.queuedWrites().map(\.action) == [.createOrReplace, .replace, .batch])
        account.service.clearLog()
        try await account.goOnline()
        #expect(try await account.remote("1", "Bern")?.age == 6)
        #expect(try await account.remote("2", "Bern")?.age == 3)
        #expect(try await account.remote("3", "Bern") == nil)
        #expect(try await account.remote("4", "Bern") == nil)
        account.goOffline()
        #expect(try await account.get("2", "Bern").resource.content.age == 3)
        try await account.close()
    }

    @Test func `fail usefully where they cannot wait`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        account.goOffline()
        await #expect {
            try await client.create(databaseWithId: "other")
        } throws: { isError(.unreachable)($0) }
        await #expect {
            try await client.delete(collectionWithId: "people", fromDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        await #expect {
            try await client.execute(
                storedProcedureWithId: "p", usingParameters: [], andPartitionKey: "Bern",
                inCollection: "people", inDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        // In a collection that was never read.
        await #expect {
            try await client.create(
                Person(id: "1", city: "Bern"), inCollection: "unknown", inDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        // A patch of what is not kept, and one with a condition.
        await #expect {
            try await client.patch(
                documentWithId: "9", as: Person.self, with: [.set(path: "/name", value: "x")],
                inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        try await account.create(Person(id: "1", city: "Bern"))
        await #expect {
            try await client.patch(
                documentWithId: "1", as: Person.self, with: [.set(path: "/name", value: "x")],
                where: "from c where c.age > 1", inCollection: "people",
                withPartitionKey: "Bern", inDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        // What the service would refuse for good.
        await #expect {
            try await client.createOrReplace(
                Person(id: "1", city: "Bern"), inCollection: "people", inDatabase: "crm",
                withPartitionKey: "Basel")
        } throws: { isError(.badRequest)($0) }
        await #expect {
            try await account.create(
                Person(id: "2", city: "Bern", name: String(repeating: "x", count: 3 << 20)))
        } throws: { isError(.entityTooLarge)($0) }
        // As JSON each end of a line has two bytes.
        let lines = String(repeating: "\n", count: 5 << 18)
        await #expect {
            try await account.create(Person(id: "2", city: "Bern", name: lines))
        } throws: { isError(.entityTooLarge)($0) }
        await #expect {
            try await client.patch(
                documentWithId: "1", as: Person.self,
                with: [.set(path: "/name", value: .string(lines))], inCollection: "people",
                withPartitionKey: "Bern", inDatabase: "crm")
        } throws: { isError(.entityTooLarge)($0) }
        var batch = Cosmos.Batch()
        for id in 2...3 {
            try batch.create(Person(id: "\(id)", city: "Bern", name: String(lines.prefix(3 << 18))))
        }
        await #expect {
            try await client.perform(
                batch, inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm")
        } throws: { isError(.entityTooLarge)($0) }
        #expect(try await client.queuedWrites().count == 1)
        try await account.close()
    }

    @Test func `in an attachment vanish with their document`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        account.goOffline()
        let person = try await account.create(Person(id: "1", city: "Bern")).resource
        try await client.create(
            attachmentWithId: "a", contentType: "text/plain", with: Data([1]), onDocument: person)
        try await account.delete("1", "Bern")
        #expect(try await client.queuedWrites().isEmpty)
        account.service.clearLog()
        try await account.goOnline()
        #expect(account.service.log.isEmpty)
        #expect(try await account.paths().count == 2)
        try await account.close()
    }

    @Test func `wait behind those that wait already, even with a network`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        try await account.create(Person(id: "1", city: "Bern"))
        // The first answer is slow: the second write comes while it is under way.
        let gate = FaultGate()
        account.service.add(FaultRule(.delayBefore(gate)))
        account.client.isNetworkAvailable = true
        await gate.arrivals()
        let second = try await account.client.createOrReplace(
            Person(id: "1", city: "Bern", name: "Grace"), inCollection: "people", inDatabase: "crm")
        #expect(second.fromCache)
        var third = try await account.get("1", "Bern").resource
        third.name = "Edith"
        #expect(try await account.client.replace(third).fromCache)
        gate.open()
        try await account.client.sendQueuedWrites()
        #expect(try await account.remote("1", "Bern")?.name == "Edith")
        account.goOffline()
        #expect(try await account.get("1", "Bern").resource.content.name == "Edith")
        try await account.close()
    }

    @Test func `go in batches where they are of one partition`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        for id in 0..<250 {
            try await account.create(Person(id: "\(id)", city: id < 200 ? "Bern" : "Basel"))
        }
        account.service.clearLog()
        try await account.goOnline()
        #expect(account.service.log.count == 3)
        #expect(account.service.log.allSatisfy { $0.status == 200 })
        account.goOffline()
        for id in [0, 199, 249] {
            let read = try await account.get("\(id)", id < 200 ? "Bern" : "Basel")
            #expect(Cosmos.ResourceIdentifier(read.resource.resourceId) != nil)
        }
        try await account.close()
    }

    @Test func `of one batch that is refused are sent without the one that it is refused for`()
        async throws
    {
        let account = try await OfflineAccount()
        let other = try account.otherClient()
        account.goOffline()
        for id in 0..<10 { try await account.create(Person(id: "\(id)", city: "Bern")) }
        for id in [3, 7] {
            try await other.create(
                Person(id: "\(id)", city: "Bern", name: "Grace"), inCollection: "people",
                inDatabase: "crm")
        }
        let told = events(of: account.client)
        try await account.goOnline()
        let lines = await told.value.lines
        #expect(
            lines.filter { $0.hasPrefix("failed") } == [
                "failed create 3 conflict", "failed create 7 conflict",
            ])
        #expect(lines.count == 11)
        for id in 0..<10 {
            let isForeign = [3, 7].contains(id)
            #expect(
                try await account.remote("\(id)", "Bern")?.name == (isForeign ? "Grace" : "Ada"))
        }
        // The cache has what the service has.
        account.goOffline()
        #expect(try await account.get("3", "Bern").resource.content.name == "Grace")
        try await account.close()
    }

    @Test func `do not give a document another id, which a write online may`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        var one = try await account.create(Person(id: "1", city: "Bern")).resource
        account.goOffline()
        one.content.id = "2"
        await #expect { try await client.replace(one) } throws: { isError(.unreachable)($0) }
        #expect(try await account.get("1", "Bern").resource.content.id == "1")
        account.client.isNetworkAvailable = true
        #expect(try await client.replace(one).resource.id == "2")
        account.goOffline()
        #expect(try await account.get("2", "Bern").fromCache)
        await #expect {
            try await account.get("1", "Bern")
        } throws: { isError(.unreachable)($0) }
        try await account.close()
    }

    @Test func `of attachments are replaced and deleted as well`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        let person = try await account.create(Person(id: "1", city: "Bern")).resource
        for id in ["a", "b"] {
            try await client.create(
                attachmentWithId: id, contentType: "text/plain", with: Data([1]), onDocument: person
            )
        }
        account.goOffline()
        try await client.replace(
            attachmentWithId: "a", contentType: "text/plain", with: Data([2, 2]), onDocument: "1",
            inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm")
        try await client.delete(
            attachmentWithId: "b", fromDocument: "1", inCollection: "people",
            withPartitionKey: "Bern", inDatabase: "crm")
        let address = try #require(URL(string: "https://example.org/c"))
        try await client.create(
            attachmentWithId: "c", contentType: "text/html", andMediaUrl: address,
            onDocument: person)
        #expect(
            try await Set(client.get(attachmentsOn: person).all().map(\.id)) == ["a", "c"])
        try await account.goOnline()
        let other = try account.otherClient()
        let remote = try await other.get(
            attachmentsOn: "1", inCollection: "people", withPartitionKey: "Bern",
            inDatabase: "crm"
        ).all()
        #expect(Set(remote.map(\.id)) == ["a", "c"])
        let first = try #require(remote.first { $0.id == "a" })
        #expect(
            try await other.get(contentOf: first, withPartitionKey: "Bern").resource
                == Data([2, 2]))
        try await account.close()
    }

    @Test func `are in a list of the service as long as they wait`() async throws {
        let account = try await OfflineAccount()
        for id in 1...3 { try await account.create(Person(id: "\(id)", city: "Bern")) }
        account.goOffline()
        try await account.create(Person(id: "4", city: "Bern"))
        try await account.delete("2", "Bern")
        try await account.client.createOrReplace(
            Person(id: "3", city: "Bern", name: "Grace"), inCollection: "people", inDatabase: "crm")
        // They cannot be sent, and the rest can be read.
        account.service.add(
            FaultRule(.fail(status: 503), count: nil) { $0.method != "GET" })
        account.client.isNetworkAvailable = true
        let list = try await account.client.get(
            documentsAs: Person.self, inCollection: "people", inDatabase: "crm", maxPerPage: 2
        ).all()
        #expect(
            list.map { "\($0.content.id) \($0.content.name)" } == ["1 Ada", "3 Grace", "4 Ada"])
        try await account.close()
    }

    @Test func `do not wait in a client that may not write`() async throws {
        let account = try await OfflineAccount()
        account.goOffline()
        let client = account.client
        client.configure(
            for: try Cosmos.Account(named: "contoso"),
            with: .masterKey(try Cosmos.MasterKey(emulatorKey), mode: .read))
        for isOnline in [false, true] {
            client.isNetworkAvailable = isOnline
            await #expect(throws: Cosmos.ClientError.self) {
                try await account.create(Person(id: "1", city: "Bern"))
            }
        }
        #expect(try await client.queuedWrites().isEmpty)
        try await account.close()
    }
}
