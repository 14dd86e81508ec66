import Foundation
import HTTPTypes
import Settle
import SettleEntities
import TestSupport
import Testing

@testable import SettleInspector

@Suite struct `The pages of entities` {
    @Test func `list types and entities, and show one with its history, as of a moment`()
        async throws
    {
        let test = try await TestDatabase.open()
        let datastore = try await Datastore.open(over: test.database, device: "phone")
        let anna = Entity.identifiedBy("anna", createAs: "person", with: ["name": "<Anna>"])
        _ = try await datastore.update(properties: [anna])
        let before = Date()
        let changed = Entity.identifiedBy("anna")
        changed.addUpdates(["name": "Anne", "age": 40])
        _ = try await datastore.update(properties: [changed])
        let bob = Entity.identifiedBy(
            "bob", createAs: "person", with: ["boss": Primitive.entity("anna")])
        _ = try await datastore.update(properties: [bob])
        try await test.database.buildIndex(named: "entities")
        let inspector = try await TestInspector(test.database)
        let types = try await inspector.page("entities")
        #expect(types.links.contains(inspector.path("entities", ["type": "person"])))
        let list = try await inspector.page("entities", ["type": "person"])
        #expect(list.links.contains(inspector.path("entity", ["id": "anna"])))
        let now = try await inspector.page("entity", ["id": "anna"])
        #expect(now.status == .ok)
        #expect(now.text.contains("Anne") && now.text.contains("&lt;Anna&gt;"))
        #expect(now.links.contains(inspector.path("entity", ["id": "bob"])))
        #expect(now.text.contains("aria-label=\"History of each property\""))
        let then = try await inspector.page(
            "entity", ["id": "anna", "date": Amounts.date(before)])
        let table = then.text.split(separator: "<h2>")[0]
        #expect(table.contains("&lt;Anna&gt;") && !table.contains("Anne"))
        #expect(!table.contains("<bdi>age</bdi>"))
        let wrong = try await inspector.page("entity", ["id": "anna", "date": "yesterday"])
        #expect(wrong.status == .badRequest)
        #expect(try await inspector.page("entity", ["id": "none"]).status == .notFound)
        let sequence = try test.database.lastSequence
        _ = try await inspector.page("entity", ["id": "anna"])
        #expect(try test.database.lastSequence == sequence)
        await test.close()
    }

    /// A database with an entity that another process made, and a document after the index was last asked.
    private func made() async throws -> TestDatabase {
        let test = try await TestDatabase.open()
        let datastore = try await Datastore.open(over: test.database, device: "phone")
        for (id, boss) in [("anna", "anna"), ("bob", "anna")] {
            let entity = Entity.identifiedBy(
                id, createAs: "person", with: ["boss": Primitive.entity(boss)])
            _ = try await datastore.update(properties: [entity])
        }
        try await test.database.buildIndex(named: "entities")
        try await test.add([["id": "plain", "n": 1]])
        await test.close()
        return test
    }

    @Test func `show those of another process where nothing can be changed, and change nothing`()
        async throws
    {
        let scratch = try await made().scratch
        let file = scratch.file("shop.settle/data.mdb")
        let before = try Data(contentsOf: file)
        let test = try await TestDatabase.open(isReadOnly: true, in: scratch)
        let inspector = try await TestInspector(test.database)
        let list = try await inspector.page("entities", ["type": "person"])
        #expect(list.text.contains("1 change behind"))
        #expect(list.links.contains(inspector.path("entity", ["id": "bob"])))
        let anna = try await inspector.page("entity", ["id": "anna"])
        #expect(anna.status == .ok && anna.links.contains(inspector.path("entity", ["id": "bob"])))
        let document = try await inspector.page("document", ["id": "anna"])
        #expect(document.links.contains(inspector.path("entity", ["id": "anna"])))
        let plain = try await inspector.page("document", ["id": "plain"])
        #expect(!plain.links.contains(inspector.path("entity", ["id": "plain"])))
        await test.close()
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func `open a datastore when they are told to, where something can be changed`()
        async throws
    {
        let test = try await TestDatabase.open(in: try await made().scratch)
        let inspector = try await TestInspector(test.database, isWritable: true)
        let closed = try await inspector.page("entities")
        #expect(closed.text.contains("no datastore") && closed.text.contains("Open a datastore"))
        #expect(try await inspector.page("entity", ["id": "anna"]).status == .notFound)
        #expect(!test.database.indexNames.contains("entities"))
        let opened = try await inspector.post("entities/open", [:])
        #expect(opened.headers[.location] == inspector.path("index", ["name": "entities"]))
        await inspector.inspector.responder.jobs.finish()
        let list = try await inspector.page("entities", ["type": "person"])
        #expect(list.links.contains(inspector.path("entity", ["id": "bob"])))
        #expect(!list.text.contains("behind"))
        #expect(try await inspector.post("entities/open", [:]).status == .notFound)
        await test.close()
    }

    @Test func `leave a database without them without an index`() async throws {
        let scratch = try await { () async throws -> ScratchDirectory in
            let test = try await TestDatabase.open()
            try await test.add([["id": "a"]])
            await test.close()
            return test.scratch
        }()
        for isReadOnly in [true, false] {
            let test = try await TestDatabase.open(isReadOnly: isReadOnly, in: scratch)
            let inspector = try await TestInspector(test.database, isWritable: true)
            #expect(try await inspector.page("entities").text.contains("no datastore"))
            #expect(try await inspector.page("entity", ["id": "a"]).status == .notFound)
            if !isReadOnly {
                #expect(try await inspector.post("entities/open", [:]).status == .notFound)
            }
            #expect(try test.database.indexStatuses().isEmpty)
            await test.close()
        }
    }

    @Test func `know an index of their name that is not theirs`() async throws {
        for index in [
            Database.Index.keyPaths(name: "entities", keys: [["type"]]),
            Database.Index.views(name: "entities", version: "1") { _, _ in },
        ] {
            let test = try await TestDatabase.open(indexes: [index])
            try await test.add([["id": "a", "entityFormat": 2]])
            try await test.database.buildIndex(named: "entities")
            let inspector = try await TestInspector(test.database)
            let page = try await inspector.page("entities")
            #expect(page.status == .ok && page.text.contains("is not that of a datastore"))
            #expect(try await inspector.page("entity", ["id": "a"]).status == .notFound)
            await test.close()
        }
    }
}
