import CosmosModel
import Foundation
import Settle
import SettleCosmos
import SettleSync
import TestSupport
import Testing

/// The code of Docs/Guides/CosmosReplication.md, line by line, run against the model of the service.
@Suite(.serialized) struct `Cosmos replication guide` {
    struct Person: Cosmos.Document {
        static var partitionKey: PartitionKey? { \.city }
        var id = UUID().uuidString
        var city: String
        var name: String
    }

    @Test func `runs`() async throws {
        let server = ModelServer()
        let url = try await server.start()
        let cosmos = Cosmos.Client(cache: nil)
        try cosmos.configure(
            forAccountAt: url, withMasterKey: AccountConfiguration.emulatorKey,
            withPermissionMode: .all)
        try await cosmos.create(databaseWithId: "crm")
        try await cosmos.create(
            collectionWithId: "people", andPartitionKey: "/city", inDatabase: "crm")
        for (id, city) in [("1", "London"), ("2", "Paris"), ("3", "Bern")] {
            try await cosmos.create(
                Person(id: id, city: city, name: "Ada"), inCollection: "people", inDatabase: "crm")
        }
        var saved: Cosmos.ChangeContinuation?
        for try await page in cosmos.changes(
            ofDocumentsAs: Person.self, inCollection: "people", inDatabase: "crm",
            from: .beginning, maxPerPage: 100)
        {
            for person in page.items { print(person.name) }
            saved = page.continuation
        }
        let text = saved?.text ?? ""
        let later = cosmos.changes(
            ofDocumentsAs: Person.self, inCollection: "people", inDatabase: "crm",
            from: .after(.init(text: text)))
        for try await page in later { print(page.items.count, page.isCaughtUp) }
        try await replicates(cosmos)
        try await server.stop()
    }

    private func replicates(_ cosmos: Cosmos.Client) async throws {
        let scratch = try ScratchDirectory("guide")
        let database = try await Database.openOrCreate(
            .init(name: "crm", fileLocation: scratch.url))
        try await database.add(["id": "4", "city": "London", "name": "Grace"] as Document)
        let people = try CosmosBackend(cosmos, collection: "people", inDatabase: "crm")
        let summary = try await database.replicate(
            with: .oneTimeBidirectionalReplication(with: people.url), using: people)
        print(summary.pushed, summary.pulled)
        #expect(summary.pushed == 1 && summary.pulled == 3)
        var configuration = ReplicationConfiguration(url: people.url, isRepeating: false)
        configuration.conflictHandler = .merge
        configuration.limitToChannels = ["London", "Paris"]
        configuration.reconciling = .every(.seconds(86_400))
        try await database.replicate(with: configuration, using: people)
        let everywhere = try CosmosBackend(
            cosmos, collection: "people", inDatabase: "crm", identifiers: .idAndPartition)
        let identifier = CosmosBackend.identifier(of: "17", in: "London")
        print(identifier)  // 17/London
        #expect(identifier == "17/London" && everywhere.identifiers == .idAndPartition)
        var collection = try await cosmos.get(
            collectionWithId: "people", inDatabase: "crm"
        ).resource
        collection.defaultTimeToLive = -1
        try await cosmos.replace(collection)
        let archive = try CosmosBackend(
            cosmos, collection: "people", inDatabase: "crm",
            deletion: .soft(member: "isGone", timeToLive: .seconds(30 * 86_400)))
        #expect(archive.identifier == people.identifier)
        await database.close()
    }

    @Test func `shows nothing but this code`() throws {
        let code = try GuideCode(of: "Docs/Guides/CosmosReplication.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 20)
    }
}
