import CosmosModel
import Foundation
import Settle
import SettleREST
import Testing

@testable import SettleCosmos

@Suite struct `Documents of the service` {
    @Test func `are made, read, replaced and deleted by ids and by what was read`() async throws {
        let account = try await ModelAccount(rangeCount: 3)
        let client = account.client
        let ada = Person(
            id: "1", city: "Bern", age: 36, born: Date(timeIntervalSince1970: 0.123456))
        let made = try await client.create(ada, inCollection: "people", inDatabase: "crm")
        #expect(made.statusCode == 201 && made.isCreated)
        #expect(made.resource.content == ada)
        #expect(made.resource.etag != nil && made.resource.timestamp != nil)
        #expect(made.resource.altLink == "dbs/crm/colls/people/docs/1")
        var read = try await account.get("1", "Bern")
        read.name = "Ada Lovelace"
        let replaced = try await client.replace(read).resource
        #expect(replaced.content.name == "Ada Lovelace" && replaced.etag != read.etag)
        await #expect {
            try await account.create(ada)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .conflict }
        let upserted = try await client.createOrReplace(
            ada, inCollection: "people", inDatabase: "crm")
        #expect(upserted.statusCode == 200 && !upserted.isCreated)
        try await client.delete(upserted.resource)
        await #expect {
            try await account.get("1", "Bern")
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .notFound }
        let collection = try await client.get(collectionWithId: "people", inDatabase: "crm")
            .resource
        try await client.create(ada, in: collection)
        try await client.replace(ada, in: collection)
        #expect(
            try await client.get(
                documentWithId: "1", as: Person.self, in: collection, withPartitionKey: "Bern"
            ).resource.content == ada)
        #expect(try await client.get(documentsAs: Person.self, in: collection).all().count == 1)
        #expect(
            try await client.delete(
                documentWithId: "1", from: collection, withPartitionKey: "Bern"
            ).statusCode == 204)
    }

    @Test func `find their partition by the collection where their type does not say it`()
        async throws
    {
        let account = try await ModelAccount(rangeCount: 4)
        let client = account.client
        let document: Document = ["id": "1", "city": "Zürich", "visits": 3]
        let made = try await client.create(document, inCollection: "people", inDatabase: "crm")
        #expect(made.resource.content["visits"] as? Int == 3)
        account.service.clearLog()
        try await client.createOrReplace(document, inCollection: "people", inDatabase: "crm")
        // The definition of the collection was read once.
        #expect(account.service.log.map(\.request.method) == ["POST"])
        let properties = try await client.get(
            documentWithId: "1", as: Cosmos.DocumentProperties.self, inCollection: "people",
            withPartitionKey: "Zürich", inDatabase: "crm"
        ).resource
        #expect(properties.content.visits == 3)
        try await client.delete(properties)
        for city: JSONValue in [.null, true, 1.5, 7] {
            let other = Cosmos.DocumentProperties(["id": "x", "city": city])
            let made = try await client.create(other, inCollection: "people", inDatabase: "crm")
            try await client.delete(made.resource)
        }
        let without = Cosmos.DocumentProperties(["id": "y"])
        let stored = try await client.create(without, inCollection: "people", inDatabase: "crm")
        #expect(stored.resource.knownPartitionKey == .undefined)
        try await client.delete(stored.resource)
        #expect(
            try await client.get(
                documentsAs: Person.self, inCollection: "people", inDatabase: "crm"
            ).all().isEmpty)
    }

    @Test func `need no key where the id is one`() async throws {
        let account = try await ModelAccount(rangeCount: 2, path: "/id")
        let properties = Cosmos.DocumentProperties(["id": "k", "a": 1])
        try await account.client.create(properties, inCollection: "people", inDatabase: "crm")
        let read = try await account.client.get(
            documentWithId: "k", as: Cosmos.DocumentProperties.self, inCollection: "people",
            inDatabase: "crm")
        #expect(read.resource.content.a == 1)
        try await account.client.delete(
            documentWithId: "k", fromCollection: "people", fromDatabase: "crm")
    }

    @Test func `are listed page by page over all ranges`() async throws {
        let account = try await ModelAccount(rangeCount: 3)
        for number in 0..<25 {
            try await account.create(Person(id: "\(number)", city: "city-\(number % 7)"))
        }
        account.service.withState { $0.emptyPages = 2 }
        var count = 0
        var ids: Set<String> = []
        for try await page in account.client.get(
            documentsAs: Person.self, inCollection: "people", inDatabase: "crm", maxPerPage: 4)
        {
            #expect((1...4).contains(page.resource.count))
            count += page.resource.count
            ids.formUnion(page.resource.items.map(\.id))
        }
        #expect(count == 25 && ids.count == 25)
    }

    @Test func `that another has changed are not replaced, and both versions are shown`()
        async throws
    {
        let account = try await ModelAccount()
        var mine = try await account.create(Person(id: "1", city: "Bern"))
        var theirs = mine
        theirs.name = "theirs"
        try await account.client.replace(theirs)
        mine.name = "mine"
        do {
            try await account.client.replace(mine)
            Issue.record("The version was another.")
        } catch {
            #expect(error.kind == .preconditionFailed && error.kind == .preconditionFailure)
            #expect(error.local?["name"] == "mine" && error.remote?["name"] == "theirs")
        }
        await #expect {
            try await account.client.delete(mine)
        } throws: {
            let error = $0 as? Cosmos.ClientError
            return error?.kind == .preconditionFailed && error?.local == nil
                && error?.remote?["name"] == "theirs"
        }
        // Without a condition, it is written whatever is there.
        var options = Cosmos.RequestOptions()
        options.condition = .none
        #expect(try await account.client.replace(mine, options: options).resource.name == "mine")
    }

    @Test func `in conflict go by the strategy of their type`() async throws {
        let account = try await ModelAccount()
        let client = account.client
        func conflict(_ id: String) async throws -> Cosmos.DocumentResource<Person> {
            let first = try await account.create(Person(id: id, city: "Bern"))
            var theirs = first
            theirs.age = 1
            theirs.name = "theirs"
            var options = Cosmos.RequestOptions()
            options.condition = .none
            try await client.replace(theirs, options: options)
            var mine = first
            mine.name = "mine"
            return mine
        }
        client.register(strategy: .latestWins, for: .document)
        let latest = try await client.replace(try await conflict("1"))
        #expect(latest.resource.name == "theirs" && latest.statusCode == 200)
        #expect(try await account.get("1", "Bern").name == "theirs")
        let gaveWay = try await client.delete(try await conflict("2"))
        #expect(gaveWay.statusCode == 200)
        #expect(try await account.get("2", "Bern").name == "theirs")

        client.conflictStrategies[.document] = .overwrite
        #expect(try await client.replace(try await conflict("3")).resource.name == "mine")

        client.register(resolverForDocumentsAs: Person.self) { local, remote in
            var merged = remote
            merged.name = "\(local.name) and \(remote.name)"
            return merged
        }
        let merged = try await client.replace(try await conflict("4")).resource
        #expect(merged.name == "mine and theirs" && merged.age == 1)
        #expect(try await account.get("4", "Bern").name == "mine and theirs")
    }

    @Test func `in conflict are resolved again until it holds, and not for ever`() async throws {
        let account = try await ModelAccount()
        let client = account.client
        let first = try await account.create(Person(id: "1", city: "Bern"))
        var other = first
        other.name = "0"
        try await client.replace(other)
        // Somebody writes each time after the resolver has read.
        let writer = try Cosmos.Client.stubbed(by: ModelTransport(service: account.service))
        client.register(
            resolver: { local, remote in
                let number = Int(remote["name"]?.stringValue ?? "") ?? 0
                if number < 3 {
                    try await writer.replace(
                        Person(id: "1", city: "Bern", name: "\(number + 1)"),
                        inCollection: "people", inDatabase: "crm")
                }
                return try Cosmos.ResourceBody(["id": "1", "city": "Bern", "name": "resolved"])
            }, for: .document)
        #expect(try await client.replace(first).resource.name == "resolved")
        client.register(
            resolver: { local, remote in
                try await writer.replace(
                    Person(id: "1", city: "Bern", name: "again"), inCollection: "people",
                    inDatabase: "crm")
                return local
            }, for: .document)
        await #expect {
            try await client.replace(first)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .preconditionFailed }
    }

    @Test func `are read only when they were changed since`() async throws {
        let account = try await ModelAccount()
        let made = try await account.create(Person(id: "1", city: "Bern"))
        let link = try made.link()
        let response = try await account.client.get(
            Cosmos.DocumentResource<Person>.self, at: link,
            ifModifiedSince: Date(timeIntervalSince1970: 0), withPartitionKey: "Bern")
        #expect(response.resource?.content == made.content)
        let later = try #require(made.timestamp).addingTimeInterval(5)
        let unchanged = try await account.client.get(
            Cosmos.DocumentResource<Person>.self, at: link, ifModifiedSince: later,
            withPartitionKey: "Bern")
        #expect(unchanged.resource == nil && unchanged.statusCode == 304)
    }

    @Test func `go through a connection as well`() async throws {
        let server = ModelServer()
        let url = try await server.start()
        let client = Cosmos.Client(cache: nil)
        try client.configure(
            forAccountAt: url, withMasterKey: emulatorKey, withPermissionMode: .all)
        try await client.create(databaseWithId: "Größe+1")
        try await client.create(
            collectionWithId: "c", andPartitionKey: "/city", inDatabase: "Größe+1")
        try await client.create(
            Person(id: "ä+ö", city: "Zürich"), inCollection: "c", inDatabase: "Größe+1")
        let read = try await client.get(
            documentWithId: "ä+ö", as: Person.self, inCollection: "c", withPartitionKey: "Zürich",
            inDatabase: "Größe+1")
        #expect(read.resource.content.city == "Zürich")
        try await server.stop()
        await #expect {
            try await client.create(
                Person(id: "2", city: "Bern"), inCollection: "c", inDatabase: "Größe+1")
        } throws: { ($0 as? Cosmos.ClientError)?.isOffline == true }
    }
}
