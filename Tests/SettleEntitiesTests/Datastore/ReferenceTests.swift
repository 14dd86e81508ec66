import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `A reference` {
    @Test func `creates what is missing, once, with the properties that it says`() async throws {
        try await Store.with { store in
            let anna = Entity.named("Anna", createAs: "person", with: ["age": 41])
            let first = try await store.datastore.get(entity: anna)
            #expect(first.isResolved)
            #expect(first.type == "person")
            #expect(first.datestamp == store.time.date)
            // Initial properties of an entity that exists are not looked at.
            let again = Entity.named("Anna", createAs: "person", with: ["age": 7])
            let second = try await store.datastore.get(allPropertiesOf: [again, anna])
            #expect(second.map(\.identifier) == [first.identifier, first.identifier])
            #expect(second[0]["age"] == 41)
            #expect(second[0]["name"] == "Anna")
            #expect(try await store.datastore.count(entitiesOfTypes: ["person"]) == [1])
        }
    }

    @Test func `that matches nothing and creates nothing is returned not resolved`() async throws {
        try await Store.with { store in
            let given = [
                Entity.named("Nobody"), Entity.identifiedBy("x", createAs: "note"),
                Entity.identifiedBy("y"),
            ]
            let found = try await store.datastore.get(entities: given)
            #expect(found.map(\.isResolved) == [false, true, false])
            #expect(found.map(\.identifier) == [nil, "x", "y"])
            #expect(found[0].count == 0)
        }
    }

    @Test func `by identifier or name takes the identifier first`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            _ = try await datastore.get(entities: [
                Entity.identifiedBy("1", createAs: "p", with: ["name": "One"]),
                Entity.identifiedBy("2", createAs: "p", with: ["name": "Two"]),
            ])
            let found = try await datastore.get(entities: [
                Entity.with(identifier: "1", orName: "Two"),
                Entity.with(identifier: "3", orName: "Two"),
                Entity.with(identifier: "4", orName: "Four", createAs: "p"),
            ])
            #expect(found.map(\.identifier) == ["1", "2", "4"])
            let four = try await store.read("4")
            #expect(four["name"] == "Four")
        }
    }

    @Test func `by a property finds the one that was added first, whatever its identifier`()
        async throws
    {
        try await Store.with { store in
            let datastore = store.datastore
            for id in ["z", "a", "m"] {
                _ = try await datastore.get(
                    entity: Entity.identifiedBy(
                        id, createAs: "p", with: ["team": "red", "rank": 1]))
                store.time.advance()
            }
            let found = try await datastore.get(entities: [
                Entity.whereKey("team", equals: "red"), Entity.whereKey("rank", equals: 1),
                Entity.whereKey("rank", equals: 1.0), Entity.whereKey("team", equals: "blue"),
            ])
            #expect(found.map(\.identifier) == ["z", "z", nil, nil])
        }
    }

    @Test(arguments: [
        Primitive.date(Date(timeIntervalSince1970: 1.25)), .data(Data([1, 2])), .boolean(true),
        .string(String(repeating: "long ", count: 200)), .list([1, "x"]), .dictionary(["a": 1]),
        .entity("other"), .double(0.5), "1970-01-01T00:00:01.250Z", 1.0,
    ]) func `finds a value of any kind, and none of another`(value: Primitive) async throws {
        try await Store.with { store in
            try await store.update("e", ["k": value])
            try await store.update(
                "f", ["k": "1970-01-01T00:00:01.250Z", "l": .init(.integer(1)) as PropertyValue])
            let found = try await store.datastore.get(
                entity: Entity.whereKey("k", equals: value))
            #expect(found.identifier == (value == "1970-01-01T00:00:01.250Z" ? "e" : "e"))
            #expect(
                try await store.datastore.get(entity: Entity.whereKey("l", equals: 1.0)).isResolved
                    == false)
        }
    }

    @Test func `as a value is created with what it is a value of`() async throws {
        try await Store.with { store in
            let publisher = Entity.named("Press", createAs: "publisher", with: ["city": "Graz"])
            let book = Entity.named(
                "Book", createAs: "book", with: ["publisher": publisher, "series": 3])
            let changes = store.datastore.changes()
            let found = try await store.datastore.get(allPropertiesOf: [book])[0]
            let made = try #require(found[referenceWithKey: "publisher"])
            let press = try await store.datastore.get(allPropertiesOf: [made])[0]
            #expect(press["city"] == "Graz")
            #expect(press["name"] == "Press")
            var iterator = changes.makeAsyncIterator()
            let change = try #require(await iterator.next())
            #expect(change.action == .get)
            #expect(change.added == [found, press])
            #expect(change.changed.isEmpty)
        }
    }

    @Test func `that refers to itself is created once`() async throws {
        try await Store.with { store in
            let inner = Entity.identifiedBy("self", createAs: "p")
            let outer = Entity.identifiedBy("self", createAs: "p", with: ["friend": inner])
            _ = try await store.datastore.get(entity: outer)
            #expect(try await store.read("self")["friend"] == .entity("self"))
        }
    }

    @Test func `in a key completes it with its identifier`() async throws {
        try await Store.with { store in
            let club = Entity.identifiedBy("club", createAs: "club")
            let anna = Entity.identifiedBy("anna", createAs: "person")
            anna.addUpdates([PropertyKey(reference: club, name: "role"): "treasurer"])
            let written = try await store.datastore.add(properties: [anna])
            #expect(written[0].keys == ["role-club"])
            #expect(try await store.datastore.get(entity: Entity.identifiedBy("club")).isResolved)
            let found = try await store.datastore.get(
                properties: [PropertyKey(reference: club, name: "role")], of: [anna])
            #expect(found[0]["role-club"] == "treasurer")
        }
    }

    /// In the original every property of an entity that was created while its reference was resolved was there twice.
    @Test func `that is created while properties are added to it has each property once`()
        async throws
    {
        try await Store.with { store in
            let reference = Entity.named("Anna", createAs: "person", with: ["age": 41])
            reference.addUpdates(["city": "Graz"])
            try await store.datastore.add(properties: [reference])
            let id = try #require(
                try await store.datastore.get(entity: Entity.named("Anna")).identifier)
            let history = try await store.datastore.history(of: Entity.identifiedBy(id))
            #expect(
                history.filter { $0.value != nil }.map(\.key.name).sorted() == [
                    "age", "city", "name",
                ])
            #expect(try store.database.totalDocumentCount == 1)
        }
    }

    @Test func `given twice in one call means one entity`() async throws {
        try await Store.with { store in
            let found = try await store.datastore.get(entities: [
                Entity.named("A", createAs: "p"), Entity.named("A", createAs: "p"),
                Entity.createAs("p"), Entity.createAs("p"),
            ])
            #expect(Set(found.compactMap(\.identifier)).count == 3)
        }
    }

    @Test func `resolves to one entity when many tasks create it by name`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await datastore.get(entity: Entity.named("One", createAs: "p"))
                            .identifier
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
        }
    }

    @Test(arguments: ["", "_a", "~a", String(repeating: "x", count: 256)])
    func `to an identifier that no entity can have is refused`(id: String) async throws {
        try await Store.with { store in
            let error = try await #require(throws: DatastoreError.self) {
                _ = try await store.datastore.get(entity: Entity.identifiedBy(id, createAs: "p"))
            }
            #expect(error.code == .invalidIdentifier)
            #expect(try store.database.totalDocumentCount == 0)
        }
    }

    @Test func `never takes a document of something else for an entity`() async throws {
        try await Store.with { store in
            try await store.database.save(["id": "doc", "type": "person", "name": "Anna"])
            #expect(try await !store.datastore.get(entity: Entity.identifiedBy("doc")).isResolved)
            #expect(try await !store.datastore.get(entity: Entity.named("Anna")).isResolved)
            let error = try await #require(throws: DatastoreError.self) {
                _ = try await store.datastore.get(entity: Entity.identifiedBy("doc", createAs: "p"))
            }
            #expect(error.code == .documentExists)
        }
    }

    @Test func `of a class of one's own comes back as one`() async throws {
        final class Person: CustomReference, @unchecked Sendable {
            override class var staticType: EntityType { "person" }
            var fullName: String? { self["name"]?.string }
        }
        try await Store.with { store in
            store.datastore.register(classes: [Person.self])
            let found = try await store.datastore.get(
                allPropertiesOf: [
                    Person(named: "Anna"), Person(identifiedBy: "b", with: ["name": "Bob"]),
                    Person(with: ["name": "Cleo"]),
                ])
            #expect(found.map { ($0 as? Person)?.fullName } == ["Anna", "Bob", "Cleo"])
            #expect(found.map(\.type) == ["person", "person", "person"])
            let other = try await store.datastore.get(
                entity: Entity.identifiedBy("n", createAs: "note"))
            #expect(!(other is Person))
            #expect(
                try await store.datastore.get(allEntitiesOfType: "person").allSatisfy {
                    $0 is Person
                })
        }
    }

    @Test func `is equal to another that means the same`() async throws {
        #expect(Entity.named("a") == Entity.named("a"))
        #expect(Entity.named("a") != Entity.named("a", createAs: "p"))
        #expect(Entity.createAs("p") != Entity.createAs("p"))
        try await Store.with { store in
            let one = try await store.datastore.get(entity: Entity.named("A", createAs: "p"))
            let two = try await store.datastore.get(allPropertiesOf: [Entity.named("A")])[0]
            #expect(one == two)
            #expect(Set([one, two]).count == 1)
        }
    }
}
