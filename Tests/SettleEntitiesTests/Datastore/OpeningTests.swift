import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `A store` {
    @Test func `is there again when it is opened again, with the identifier of its device`()
        async throws
    {
        let scratch = try ScratchDirectory("entities")
        let first = try await Datastore.load(name: "people", url: scratch.url)
        _ = try await first.get(entity: Entity.named("Anna", createAs: "person"))
        #expect(first.device.count == 36)
        await first.database.close()
        let second = try await Datastore.load(name: "people", url: scratch.url)
        #expect(second.device == first.device)
        #expect(try await second.get(entity: Entity.named("Anna")).isResolved)
        let third = try await Datastore.open(over: second.database)
        #expect(third.device == first.device)
        #expect(
            second.url == scratch.url.appendingPathComponent("people.settle", isDirectory: true))
        await second.database.close()
    }

    @Test func `is destroyed with its files or without them`() async throws {
        let scratch = try ScratchDirectory("entities")
        let store = try await Datastore.load(name: "people", url: scratch.url)
        let url = store.url
        _ = try await store.get(entity: Entity.named("Anna", createAs: "person"))
        try await store.database.save(["id": "other", "k": 1])
        try await Datastore.destroy(storeAt: url, removeFiles: false)
        #expect(try await store.getAllEntities().isEmpty)
        #expect(try store.database.totalDocumentCount == 1)
        try await Datastore.destroy(storeAt: url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        for wrong in [url, scratch.url.appendingPathComponent("people")] {
            let error = try await #require(throws: DatastoreError.self) {
                try await Datastore.destroy(storeAt: wrong)
            }
            #expect(error.code == .storeNotFound)
        }
    }

    @Test func `takes the place of another`() async throws {
        let scratch = try ScratchDirectory("entities")
        let new = try await Datastore.load(name: "new", url: scratch.url)
        let old = try await Datastore.load(name: "old", url: scratch.url)
        _ = try await new.get(entity: Entity.named("New", createAs: "person"))
        _ = try await old.get(entity: Entity.named("Old", createAs: "person"))
        let (target, source) = (old.url, new.url)
        for _ in 0..<2 { try await Datastore.replace(storeAt: target, withStoreAt: source) }
        let replaced = try await Datastore.load(name: "old", url: scratch.url)
        #expect(try await replaced.get(entity: Entity.named("New")).isResolved)
        #expect(try await !replaced.get(entity: Entity.named("Old")).isResolved)
        #expect(try await new.get(entity: Entity.named("New")).isResolved)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
                == ["new.settle", "old.settle"])
        await Database.prepareForShutdownOf([replaced, new])
    }

    @Test func `is reset without the other documents`() async throws {
        try await Store.with { store in
            try await store.database.save(["id": "other", "k": 1])
            for value in 0..<3 { try await store.update("e", ["k": value]) }
            try await store.datastore.save()
            try await store.datastore.reset()
            #expect(try await store.datastore.getAllEntities().isEmpty)
            #expect(try await store.datastore.history(of: Entity.identifiedBy("e")).isEmpty)
            #expect(try store.database.totalDocumentCount == 1)
            #expect(try store.database.read { $0.deletedDocumentCount } == 0)
        }
    }

    @Test func `leaves other documents that are called as its entries might be`()
        async throws
    {
        try await Store.with { store in
            for id in ["~draft", "~x"] { try await store.database.save(["id": id, "k": 1]) }
            try await store.update("é", ["k": "1"])
            store.time.advance()
            try await store.update("é", ["k": "2"])
            // They lie among its entries and behind them; no entity is left out.
            let text = String(decoding: try await store.datastore.encodeJSON(), as: UTF8.self)
            #expect(text.contains("\"é\""))
            try await store.datastore.reset()
            #expect(try store.database.contents().keys.sorted() == ["~draft", "~x"])
            #expect(try store.database.read { try $0.document("~draft")?.integer("k") } == 1)
        }
    }

    @Test func `is opened by any number of tasks at once`() async throws {
        let scratch = try ScratchDirectory("entities")
        let url = scratch.url
        let databases = try await withThrowingTaskGroup(of: Datastore.self) { group in
            for _ in 0..<8 {
                group.addTask { try await Datastore.load(name: "people", url: url) }
            }
            var datastores: [Datastore] = []
            for try await datastore in group { datastores.append(datastore) }
            return datastores
        }
        #expect(Set(databases.map(\.device)).count == 1)
        let anna = Entity.named("Anna", createAs: "person")
        _ = try await databases[0].get(entity: anna)
        for datastore in databases {
            #expect(try await datastore.count(entitiesOfTypes: ["person"]) == [1])
        }
        await databases[0].database.close()
    }

    @Test func `refuses a database whose own index has the name of its index`() async throws {
        let scratch = try ScratchDirectory("entities")
        let database = try await Database.openOrCreate(
            .init(
                name: "people", fileLocation: scratch.url,
                indexes: [Database.Index.keyPaths(name: "entities", version: "1", keys: [["k"]])]))
        let error = try await #require(throws: DatastoreError.self) {
            _ = try await Datastore.open(over: database)
        }
        #expect(error.code == .indexExists)
        #expect(error.message.contains("entities"))
        try await database.removeIndex(named: "entities")
        let datastore = try await Datastore.open(over: database)
        #expect(try await datastore.getAllEntities().isEmpty)
        await database.close()
    }
}

extension Database {
    fileprivate static func prepareForShutdownOf(_ stores: [Datastore]) async {
        for store in stores { await store.database.close() }
    }
}
