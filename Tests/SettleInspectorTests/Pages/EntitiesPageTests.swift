import Foundation
import HTTPTypes
import Settle
import SettleEntities
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

    @Test func `say that there are none`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        #expect(try await inspector.page("entities").text.contains("no datastore"))
        #expect(try await inspector.page("entity", ["id": "a"]).status == .notFound)
        await test.close()
    }
}
