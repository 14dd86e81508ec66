import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `A deleted entity` {
    @Test func `is passed over by reads, counts, types and questions, and keeps its history`()
        async throws
    {
        try await Store.with { store in
            let datastore = store.datastore
            try await store.update("a", ["name": "Anna", "boss": Entity.identifiedBy("b")])
            try await store.update("b", ["name": "Bob"])
            store.time.advance()
            try await datastore.delete(entities: [Entity.named("Anna"), Entity.named("Nobody")])
            #expect(try await datastore.count(entitiesOfTypes: ["person", "entity"]) == [1, 1])
            #expect(try await datastore.getAllEntities().map(\.identifier) == ["b"])
            #expect(try await !datastore.get(entity: Entity.named("Anna")).isResolved)
            #expect(try await !store.read("a").isResolved)
            #expect(try await datastore.relationships(to: Entity.identifiedBy("b")).isEmpty)
            let history = try await datastore.history(of: Entity.identifiedBy("a"))
            #expect(history.last?.change == .deleted)
            #expect(history.first?.change == .created("person"))
            #expect(history.count == 4)
            let past = try await datastore.get(
                allPropertiesOf: [Entity.identifiedBy("a")],
                asOf: store.time.date.addingTimeInterval(-0.5))[0]
            #expect(past["name"] == "Anna")
            // Again changes nothing.
            let revision = try await store.database.fetchDocument("a")?.metaData.revision
            try await datastore.delete(entities: [Entity.identifiedBy("a")])
            #expect(try await store.database.fetchDocument("a")?.metaData.revision == revision)
        }
    }

    @Test func `that is created again has nothing of what it had, but its history`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            try await store.update("a", ["name": "Anna", "phone": 1])
            let added = store.time.date
            store.time.advance()
            try await datastore.delete(entities: [Entity.identifiedBy("a")])
            store.time.advance()
            let again = Entity.identifiedBy("a", createAs: "robot", with: ["name": "A1"])
            let found = try await datastore.get(allPropertiesOf: [again])[0]
            #expect(found.keys == ["name"])
            #expect(found.type == "robot")
            #expect(found.datestamp == added)
            #expect(try await datastore.count(entitiesOfTypes: ["person", "robot"]) == [0, 1])
            #expect(try await store.values(of: "phone", in: "a") == [1, nil])
            let before = try await datastore.get(
                allPropertiesOf: [found], asOf: added)[0]
            #expect(before["phone"] == 1)
            #expect(before.type == "person")
            let between = try await datastore.get(
                allPropertiesOf: [found], asOf: added.addingTimeInterval(1.5))[0]
            #expect(!between.isResolved)
        }
    }

    @Test func `is brought back by a value that is put back`() async throws {
        try await Store.with { store in
            try await store.update("a", ["name": "Anna", "phone": 1])
            try await store.datastore.delete(entities: [Entity.identifiedBy("a")])
            let phone = try await store.datastore.history(of: "phone", in: Entity.identifiedBy("a"))
            let back = try await store.datastore.putBack(phone)
            #expect(back.map(\.identifier) == ["a"])
            #expect(back[0]["phone"] == 1)
            #expect(try await store.read("a").keys == ["name", "phone"])
        }
    }
}
