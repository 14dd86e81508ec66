import CosmosModel
import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleCosmos

@Suite struct `The cache` {
    @Test func `answers gets, lists and queries without a network, and says so`() async throws {
        let account = try await OfflineAccount(rangeCount: 2)
        let client = account.client
        for id in 1...5 { try await account.create(Person(id: "\(id)", city: "Bern", age: id)) }
        let query = Cosmos.Query().where("age", isGreaterThan: 1).orderBy("age")
        func people() async throws -> [String] {
            try await client.query(
                documentsIn: "people", as: Person.self, inDatabase: "crm", with: query,
                andPartitionKey: "Bern"
            ).all().map(\.content.id)
        }
        #expect(
            try await client.get(
                documentsAs: Person.self, inCollection: "people", inDatabase: "crm"
            )
            .all().count == 5)
        let found = try await people()
        account.goOffline()
        account.service.clearLog()
        let read = try await account.get("1", "Bern")
        #expect(read.fromCache && read.resource.content.age == 1 && read.statusCode == 200)
        #expect(read.resource.altLink == "dbs/crm/colls/people/docs/1")
        let page = try await client.get(
            documentsAs: Person.self, inCollection: "people", inDatabase: "crm"
        ).first()
        #expect(page.fromCache && page.resource.count == 5)
        #expect(try await people() == found)
        #expect(try await client.databases().all().map(\.id) == ["crm"])
        #expect(try await client.get(databaseWithId: "crm").fromCache)
        #expect(
            try await client.get(collectionWithId: "people", inDatabase: "crm").fromCache)
        await #expect {
            try await account.get("9", "Bern")
        } throws: { isError(.unreachable)($0) }
        #expect(account.service.log.isEmpty)
        try await account.close()
    }

    @Test func `pages lists and results offline as online`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        for id in 1...7 { try await account.create(Person(id: "\(id)", city: "Bern", age: id)) }
        let query = Cosmos.Query().where("age", isGreaterThan: 0)
        func results(_ count: Int) -> Cosmos.Pages<Cosmos.DocumentResource<Person>> {
            client.query(
                documentsIn: "people", as: Person.self, inDatabase: "crm", with: query,
                andPartitionKey: "Bern", maxPerPage: count)
        }
        let online = try await results(3).all().map(\.id)
        #expect(online.count == 7)
        account.goOffline()
        var sizes: [Int] = []
        for try await page in results(2) {
            #expect(page.fromCache)
            sizes.append(page.resource.count)
        }
        #expect(sizes == [2, 2, 2, 1])
        #expect(try await results(5).all().map(\.id) == online)
        let list = client.get(
            documentsAs: Person.self, inCollection: "people", inDatabase: "crm", maxPerPage: 3)
        let first = try await list.first()
        #expect(first.fromCache && first.resource.count == 3 && first.hasMoreResults)
        #expect(try await first.next().resource.count == 3)
        #expect(try await Set(list.all().map(\.id)) == Set((1...7).map(String.init)))
        try await account.close()
    }

    @Test func `is laid out by the hierarchy of resource identifiers`() async throws {
        let account = try await OfflineAccount()
        let person = try await account.create(Person(id: "1", city: "Bern")).resource
        try await account.client.create(
            attachmentWithId: "photo", contentType: "image/jpeg", with: Data([1, 2, 3]),
            onDocument: person)
        let selfLink = try #require(person.selfLink).dropLast()
        let parts = selfLink.split(separator: "/")
        let paths = try await account.paths()
        #expect(paths[0] == parts[..<2].joined(separator: "/"))
        #expect(paths[1] == parts[..<4].joined(separator: "/"))
        #expect(paths[2] == selfLink)
        #expect(paths[3].hasPrefix("\(selfLink)/attachments/"))
        try await account.close()
    }

    @Test func `is validated by every get, and 304 answers from it`() async throws {
        let account = try await OfflineAccount()
        try await account.create(Person(id: "1", city: "Bern"))
        account.service.clearLog()
        let same = try await account.get("1", "Bern")
        #expect(same.fromCache && account.service.log.map(\.status) == [304])
        let other = try account.otherClient()
        try await other.createOrReplace(
            Person(id: "1", city: "Bern", name: "Grace"), inCollection: "people", inDatabase: "crm")
        let changed = try await account.get("1", "Bern")
        #expect(!changed.fromCache && changed.resource.content.name == "Grace")
        account.goOffline()
        #expect(try await account.get("1", "Bern").resource.content.name == "Grace")
        try await account.close()
    }

    @Test func `asks no one within the time that call, collection or cache say`() async throws {
        let date = Mutex(Date(timeIntervalSince1970: 1_000_000))
        let account = try await OfflineAccount(now: { date.withLock { $0 } })
        try await account.create(Person(id: "1", city: "Bern"))
        account.service.clearLog()
        #expect(try await account.get("1", "Bern", lifetime: .seconds(60)).fromCache)
        #expect(account.service.log.isEmpty)
        date.withLock { $0 += 61 }
        _ = try await account.get("1", "Bern", lifetime: .seconds(60))
        #expect(account.methods == ["GET"])
        account.client.setCacheLifetime(
            .seconds(60), forCollection: "people", inDatabase: "crm")
        _ = try await account.get("1", "Bern")
        #expect(account.methods == ["GET"])
        // The call comes before the collection.
        _ = try await account.get("1", "Bern", lifetime: .zero)
        #expect(account.methods == ["GET", "GET"])
        account.client.setCacheLifetime(nil, forCollection: "people", inDatabase: "crm")
        _ = try await account.get("1", "Bern")
        #expect(account.methods == ["GET", "GET", "GET"])
        try await account.close()
    }

    @Test func `forgets what the service does not have any more`() async throws {
        let account = try await OfflineAccount()
        let other = try account.otherClient()
        let one = try await account.create(Person(id: "1", city: "Bern")).resource
        try await account.create(Person(id: "2", city: "Bern"))
        let link = Cosmos.Link.document("1", inCollection: "people", inDatabase: "crm")
        let selfLink = Cosmos.Link(try #require(one.selfLink), isByResourceIds: true)
        #expect(
            try await account.client.knownLink(for: link, withPartitionKey: "Bern") == selfLink)
        #expect(try await account.client.knownLink(for: try #require(selfLink)) == link)
        try await other.delete(at: link, withPartitionKey: "Bern")
        await #expect {
            try await account.get("1", "Bern")
        } throws: { isError(.notFound)($0) }
        #expect(try await account.client.knownLink(for: link, withPartitionKey: "Bern") == nil)
        try await account.delete("2", "Bern")
        account.goOffline()
        for id in ["1", "2"] {
            await #expect {
                try await account.get(id, "Bern")
            } throws: { isError(.unreachable)($0) }
        }
        #expect(try await account.paths().count == 2)
        try await account.close()
    }

    @Test func `outlasts a restart, with the names of what it keeps`() async throws {
        var account = try await OfflineAccount()
        let one = try await account.create(Person(id: "1", city: "Bern")).resource
        account.goOffline()
        try await account.restart()
        #expect(try await account.get("1", "Bern").resource.content == one.content)
        let link = try one.link()
        #expect(
            try await account.client.knownLink(for: link, withPartitionKey: "Bern")?.text
                == one.selfLink.map { String($0.dropLast()) })
        // By the service's identifiers it is found as well.
        let selfLink = Cosmos.Link(try #require(one.selfLink), isByResourceIds: true)
        let read = try await account.client.get(
            Cosmos.DocumentResource<Person>.self, at: try #require(selfLink))
        #expect(read.fromCache && read.resource.content == one.content)
        try await account.close()
    }

    @Test func `is off for all, for a collection with its documents, or for attachments`()
        async throws
    {
        let account = try await OfflineAccount(cache: { $0.keepsAttachments = false })
        let client = account.client
        try await client.create(
            collectionWithId: "other", andPartitionKey: "/city", inDatabase: "crm")
        client.setCached(false, forCollection: "other", inDatabase: "crm")
        try await client.create(
            Person(id: "1", city: "Bern"), inCollection: "other", inDatabase: "crm")
        let kept = try await account.create(Person(id: "1", city: "Bern")).resource
        try await client.create(
            attachmentWithId: "a", contentType: "text/plain", with: Data([1]), onDocument: kept)
        client.offlineDataEnabled = false
        try await account.create(Person(id: "2", city: "Bern"))
        client.offlineDataEnabled = true
        // The database and two collections, one of which was made while it was cached, and one document.
        #expect(try await account.paths().count == 4)
        account.goOffline()
        #expect(try await account.get("1", "Bern").fromCache)
        await #expect {
            try await client.get(
                documentWithId: "1", as: Person.self, inCollection: "other",
                withPartitionKey: "Bern", inDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        await #expect {
            try await client.get(
                attachmentWithId: "a", onDocument: "1", inCollection: "people",
                withPartitionKey: "Bern", inDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        // Nor can anything be written there.
        await #expect {
            try await client.create(
                Person(id: "3", city: "Bern"), inCollection: "other", inDatabase: "crm")
        } throws: { isError(.unreachable)($0) }
        #expect(try await client.queuedWrites().isEmpty)
        try await account.close()
    }

    @Test func `keeps the bytes of attachments`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        let person = try await account.create(Person(id: "1", city: "Bern")).resource
        let photo = try await client.create(
            attachmentWithId: "photo", contentType: "image/jpeg", with: Data([1, 2, 3]),
            onDocument: person
        ).resource
        #expect(try await client.get(contentOf: photo, withPartitionKey: "Bern").fromCache == false)
        account.goOffline()
        let bytes = try await client.get(contentOf: photo, withPartitionKey: "Bern")
        #expect(bytes.fromCache && bytes.resource == Data([1, 2, 3]))
        #expect(try await client.get(attachmentsOn: person).all().map(\.id) == ["photo"])
        try await account.close()
    }

    @Test func `throws out what was not used for longest, beyond its size`() async throws {
        let account = try await OfflineAccount(cache: { $0.sizeMax = 6_000 })
        let text = String(repeating: "x", count: 1_000)
        for id in 1...4 { try await account.create(Person(id: "\(id)", city: "Bern", name: text)) }
        _ = try await account.get("1", "Bern")
        try await account.create(Person(id: "5", city: "Bern", name: text))
        account.goOffline()
        #expect(try await account.get("1", "Bern").fromCache)
        #expect(try await account.get("5", "Bern").fromCache)
        await #expect {
            try await account.get("2", "Bern")
        } throws: { isError(.unreachable)($0) }
        // What waits to be sent is never thrown out.
        for id in 6...12 { try await account.create(Person(id: "\(id)", city: "Bern", name: text)) }
        for id in 6...12 { #expect(try await account.get("\(id)", "Bern").fromCache) }
        try await account.goOnline()
        for id in 6...12 { #expect(try await account.remote("\(id)", "Bern") != nil) }
        try await account.close()
    }

    @Test func `is purged in whole or below a resource, but for what waits`() async throws {
        let account = try await OfflineAccount()
        let client = account.client
        try await client.create(
            collectionWithId: "other", andPartitionKey: "/city", inDatabase: "crm")
        try await client.create(
            Person(id: "1", city: "Bern"), inCollection: "other", inDatabase: "crm")
        try await account.create(Person(id: "1", city: "Bern"))
        try await account.create(Person(id: "2", city: "Bern"))
        #expect(try await account.paths().count == 6)
        try await client.purgeOfflineData(below: .collection("other", inDatabase: "crm"))
        #expect(try await account.paths().count == 4)
        account.goOffline()
        try await account.create(Person(id: "3", city: "Bern"))
        try await client.purgeOfflineData()
        // The document that waits, with what it is in.
        #expect(try await account.paths().count == 3)
        #expect(try await account.get("3", "Bern").fromCache)
        try await client.purgeEverythingOffline()
        #expect(try await account.paths().isEmpty)
        #expect(try await client.queuedWrites().isEmpty)
        try await account.close()
    }

    @Test func `forgets what a whole list does not have, over several pages`() async throws {
        let account = try await OfflineAccount()
        let other = try account.otherClient()
        for id in 1...7 { try await account.create(Person(id: "\(id)", city: "Bern")) }
        func list() -> Cosmos.Pages<Cosmos.DocumentResource<Person>> {
            account.client.get(
                documentsAs: Person.self, inCollection: "people", inDatabase: "crm", maxPerPage: 3)
        }
        for id in ["2", "7"] {
            try await other.delete(
                documentWithId: id, fromCollection: "people", withPartitionKey: "Bern",
                fromDatabase: "crm")
        }
        // A part of a list says nothing about the rest.
        _ = try await list().first()
        account.goOffline()
        #expect(try await list().all().count == 7)
        account.client.isNetworkAvailable = true
        #expect(try await list().all().count == 5)
        account.goOffline()
        #expect(try await Set(list().all().map(\.id)) == ["1", "3", "4", "5", "6"])
        try await account.close()
    }

    @Test func `of a newer version is refused, and not changed`() async throws {
        var account = try await OfflineAccount()
        try await account.create(Person(id: "1", city: "Bern"))
        let store = try await Cosmos.OfflineStores.shared.store(in: try account.folder)
        try await store.write { transaction in
            try transaction.sideTable(named: "cosmos.state").set([2], for: Array("layout".utf8))
        }
        try await account.restart()
        await #expect {
            try await account.get("1", "Bern")
        } throws: { isError(.configureError)($0) }
        try await account.close()
    }
}
