import CosmosModel
import Foundation
import Settle
import SettleCosmos
import SettleCosmosEncryption
import TestSupport
import Testing

/// The code of Docs/Guides/CosmosOffline.md, line by line, run against the model of the service.
@Suite(.serialized) struct `Cosmos offline guide` {
    struct Person: Cosmos.Document {
        static var partitionKey: PartitionKey? { \.city }
        var id: String
        var city: String
        var name: String
    }

    @Test func `runs`() async throws {
        let scratch = try ScratchDirectory("cosmos")
        let folder = scratch.url
        let server = ModelServer()
        let url = try await server.start()
        let key = AccountConfiguration.emulatorKey
        let maker = Cosmos.Client(cache: nil)
        try maker.configure(forAccountAt: url, withMasterKey: key, withPermissionMode: .all)
        try await maker.create(databaseWithId: "crm")
        for id in ["people", "logs"] {
            try await maker.create(
                collectionWithId: id, andPartitionKey: "/city", inDatabase: "crm")
        }
        try await maker.create(
            Person(id: "17", city: "London", name: "Ada"), inCollection: "people",
            inDatabase: "crm")
        var cache = Cosmos.CacheConfiguration(folder: folder)
        cache.sizeMax = 50 << 20
        cache.lifetime = .seconds(30)
        let cosmos = Cosmos.Client(cache: cache)
        try cosmos.configure(forAccountAt: url, withMasterKey: key, withPermissionMode: .all)
        _ = try await cosmos.get(collectionWithId: "people", inDatabase: "crm")
        let ada = try await cosmos.get(
            documentWithId: "17", as: Person.self, inCollection: "people",
            withPartitionKey: "London",
            inDatabase: "crm")
        print(ada.fromCache)
        var options = Cosmos.RequestOptions()
        options.cacheLifetime = .seconds(600)
        cosmos.setCached(false, forCollection: "logs", inDatabase: "crm")
        cosmos.setCacheLifetime(.seconds(60), forCollection: "people", inDatabase: "crm")
        try await cosmos.purgeOfflineData(below: .collection("logs", inDatabase: "crm"))
        let selfLink = try await cosmos.knownLink(for: .collection("people", inDatabase: "crm"))
        print(selfLink?.text ?? "never read")
        #expect(selfLink != nil)
        cosmos.isNetworkAvailable = false
        var person = Person(id: "18", city: "London", name: "Grace")
        let made = try await cosmos.create(person, inCollection: "people", inDatabase: "crm")
        print(made.fromCache, made.statusCode)
        person.name = "Grace Hopper"
        try await cosmos.replace(person, inCollection: "people", inDatabase: "crm")
        for write in try await cosmos.queuedWrites() { print(write.action, write.link) }
        #expect(try await cosmos.queuedWrites().count == 1)
        let events = cosmos.offlineEvents
        cosmos.isNetworkAvailable = true
        for await event in events {
            switch event {
            case .sent(let write): print(write.action, write.link)
            case .failed(let write, let error):
                print(write.link, error.kind, error.remote?.etag ?? "")
            case .queueProcessed: print("Nothing waits any more.")
            }
            if case .queueProcessed = event { break }
        }
        try await cosmos.sendQueuedWrites()
        let secret = Cosmos.AESGCMEncryptor.makeKey()
        cosmos.resourceEncryptor = try Cosmos.AESGCMEncryptor(key: secret)
        let sent = try await cosmos.get(
            documentWithId: "18", as: Person.self, inCollection: "people",
            withPartitionKey: "London", inDatabase: "crm", options: options)
        #expect(sent.fromCache && sent.resource.name == "Grace Hopper")
        cosmos.reset()
        try await server.stop()
        withExtendedLifetime(scratch) {}
    }

    @Test func `shows nothing but this code`() throws {
        let code = try GuideCode(of: "Docs/Guides/CosmosOffline.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 35)
    }
}
