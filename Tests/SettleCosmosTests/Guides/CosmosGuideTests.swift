import CosmosModel
import Foundation
import Settle
import SettleCosmos
import TestSupport
import Testing

/// The code of Docs/Guides/Cosmos.md, line by line, run against the model of the service.
@Suite(.serialized) struct `Cosmos guide` {
    struct Person: Cosmos.Document {
        static var partitionKey: PartitionKey? { \.city }
        var id = UUID().uuidString
        var city: String
        var name: String
        var born: Date?
    }

    @Test func `runs`() async throws {
        let scratch = try ScratchDirectory("cosmos")
        let folder = scratch.url
        let server = ModelServer()
        let url = try await server.start()
        let key = AccountConfiguration.emulatorKey
        let cosmos = Cosmos.Client(cache: Cosmos.CacheConfiguration(folder: folder))
        try cosmos.configure(forAccountAt: url, withMasterKey: key, withPermissionMode: .all)
        try await cosmos.create(databaseWithId: "crm")
        let people = try await cosmos.create(
            collectionWithId: "people", andPartitionKey: "/city", inDatabase: "crm"
        ).resource
        let ada = Person(id: "17", city: "London", name: "Ada")
        let made = try await cosmos.create(ada, inCollection: "people", inDatabase: "crm")
        print(made.resource.etag ?? "", made.metadata.requestCharge ?? 0)
        var person = try await cosmos.get(
            documentWithId: "17", as: Person.self, inCollection: "people",
            withPartitionKey: "London", inDatabase: "crm"
        ).resource
        person.name = "Ada Lovelace"
        person = try await cosmos.replace(person).resource
        #expect(person.name == "Ada Lovelace")
        try await cosmos.createOrReplace(ada, in: people)
        for try await page in cosmos.get(
            documentsAs: Person.self, inCollection: "people", inDatabase: "crm", maxPerPage: 100)
        {
            print(page.resource.count, page.metadata.requestCharge ?? 0)
        }
        let everybody = cosmos.get(documentsAs: Person.self, in: people)
        for try await person in everybody.items { print(person.name) }
        let first = try await cosmos.databases().first()
        if first.hasMoreResults { print(try await first.next().resource.count) }
        let londoners = Cosmos.Query.select("id", "name").from("Person")
            .where("name", isGreaterThan: "A")
            .and("name", in: ["Ada", "Grace"])
            .orderBy("name")
        print(londoners.text)
        let here = Cosmos.Point(latitude: 1, longitude: 2)
        let near = Cosmos.Query().where(distanceFrom: "location", to: here, isLessThan: 3_000)
        print(near.withParameters().parameters)
        let names = cosmos.query(
            documentPropertiesIn: "people", inDatabase: "crm", with: londoners,
            andPartitionKey: "London")
        _ = names
        let oldest = cosmos.query(
            documentPropertiesAcrossAllPartitionsIn: people,
            with: Cosmos.Query("SELECT TOP 10 c.id, c.born FROM c ORDER BY c.born"), maxPerPage: 5)
        for try await page in oldest {
            print(page.resource.count, page.metadata.continuation ?? "")
        }
        let counts = try await cosmos.query(
            documentPropertiesAcrossAllPartitionsIn: people,
            with: Cosmos.Query("SELECT c.city, COUNT(1) AS count FROM c GROUP BY c.city")
        ).all()
        print(counts.count)
        let changes: [Cosmos.PatchOperation] = [
            .set(path: "/name", value: "Ada King"), .increment(path: "/visits", by: 1),
        ]
        var batch = Cosmos.Batch()
        try batch.createOrReplace(Person(id: "18", city: "London", name: "Grace"))
        batch.patch(documentWithId: "17", changes)
        batch.delete(documentWithId: "16")
        print(batch.count)
        cosmos.register(strategy: .latestWins, for: .storedProcedure, .trigger)
        cosmos.register(resolverForDocumentsAs: Person.self) { local, remote in
            var merged = remote
            merged.name = local.name
            return merged
        }
        do {
            _ = try await cosmos.get(databaseWithId: "none")
        } catch {
            print(error.kind == .notFound, error.statusCode ?? 0, error.activityId ?? "")
        }
        try await server.stop()
        cosmos.reset()
        withExtendedLifetime(scratch) {}
    }

    @Test func `shows nothing but this code`() throws {
        let code = try GuideCode(of: "Docs/Guides/Cosmos.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 50)
    }
}
