import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `Types` {
    @Test func `conform to types, over any number of steps and in circles`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            try await datastore.declare("author", conformingTo: ["person"])
            try await datastore.declare("person", conformingTo: ["being", "agent"])
            try await datastore.declare("being", conformingTo: ["author"])
            #expect(
                try await datastore.conformances(for: "author")
                    == ["author", "person", "being", "agent", "entity"])
            #expect(try await datastore.conformances(for: "stone") == ["stone", "entity"])
            for (id, type) in ["a": "author", "p": "person", "g": "agent", "s": "stone"] {
                _ = try await datastore.get(
                    entity: Entity.identifiedBy(id, createAs: EntityType(type), with: ["k": "v"]))
            }
            func ids(_ type: EntityType) async throws -> [String?] {
                try await datastore.get(allEntitiesOfType: type).map(\.identifier)
            }
            #expect(try await ids("agent") == ["g", "a", "p"])
            #expect(try await ids("being") == ["a", "p"])
            #expect(try await ids("stone") == ["s"])
            #expect(
                try await datastore.count(entitiesOfTypes: ["agent", "person", "stone", "none"])
                    == [3, 2, 1, 0])
            #expect(try await datastore.count(entitiesOfTypes: ["entity"]) == [7])
            #expect(try await datastore.getAllEntities().count == 7)
            try await datastore.retract("person", conformingTo: ["agent"])
            #expect(try await ids("agent") == ["g"])
            #expect(
                try await datastore.getAllEntityTypes().map(\.type)
                    == ["agent", "author", "person", "stone", "typeConformance"])
            #expect(try await datastore.getAllEntityTypes().map(\.count) == [1, 1, 1, 1, 3])
        }
    }

    @Test func `are asked for with a property that has one of several values`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            try await datastore.declare("author", conformingTo: ["person"])
            _ = try await datastore.get(entities: [
                Entity.identifiedBy("1", createAs: "author", with: ["name": "One"]),
                // Before all others of the same moment.
                Entity.identifiedBy("0", createAs: "stone", with: ["name": "Two"]),
            ])
            let found = try await datastore.get(
                entitiesOfType: "person", where: "name", contains: ["One", "Two", "Three"],
                createIfMissing: false)
            #expect(found.map(\.isResolved) == [true, false, false])
            #expect(found[0].identifier == "1")
            let made = try await datastore.get(
                entitiesOfType: "person", where: "name", contains: ["One", "Two"])
            #expect(made.map(\.isResolved) == [true, true])
            #expect(made[1].type == "person")
            #expect(made[1].identifier != "0")
            let one = try await datastore.get(entityOfType: "entity", where: "name", equals: "Two")
            #expect(one.identifier == "0")
            #expect(
                try await datastore.get(
                    entityOfType: "person", where: "name", equals: "Nobody", createIfMissing: false
                ).isResolved == false)
            #expect(
                try await datastore.get(allPropertiesOfType: "person").compactMap {
                    $0["name"]?.string
                }.sorted() == ["One", "Two"])
        }
    }

    @Test func `that are empty or reserved are refused`() async throws {
        try await Store.with { store in
            for type in ["", "entity-entry"] as [EntityType] {
                let error = try await #require(throws: DatastoreError.self) {
                    _ = try await store.datastore.get(entity: Entity.createAs(type))
                }
                #expect(error.code == .invalidType)
            }
        }
    }

    @Test func `has every entity that has one of several texts, not one for each text`()
        async throws
    {
        try await Store.with { store in
            for (id, name) in [("1", "Anna"), ("2", "Bob"), ("3", "Anna")] {
                try await store.update(id, ["name": .string(name) as Primitive])
                store.time.advance()
            }
            let found = try await store.datastore.get(
                entitiesOfType: "person", where: "name", contains: ["Anna", "Bob", "Carl"],
                createIfMissing: false)
            #expect(found.map(\.identifier) == ["1", "3", "2", nil])
            let created = try await store.datastore.get(
                entitiesOfType: "person", where: "name", contains: ["Anna", "Carl"])
            #expect(created.map(\.isResolved) == [true, true, true])
            #expect(try await store.datastore.count(entitiesOfTypes: ["person"]) == [4])
        }
    }
}
