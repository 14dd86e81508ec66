import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

/// The API of the original, name by name, called as an app does it.
@Suite struct `As the original has it` {
    private static let json = Data(
        """
        {"entities":[{"identifier":"C41DB873-323D-4026-95D1-603120B9ADF6","type":"test","name":"Person 1",
        "datestamp":{"date":"1969-11-12T01:23:45Z"},"modified":{"date":"1963-09-21T01:23:45Z"},"address":"123 New St",
        "data":{"data":"ZW5jb2RlZCBzdHJpbmc="},"owner":{"entity":"C41DB873-323D-4026-95D1-603120B9ADF6","type":"owner"}}]}
        """.utf8)

    /// Runs a closure with a folder, and closes what it opened there.
    private static func inFolder(_ body: (URL) async throws -> [Datastore]) async throws {
        let scratch = try ScratchDirectory("entities")
        for datastore in try await body(scratch.url) { await datastore.database.close() }
    }

    @Test func `load(name:url:) makes a store, and finds it again`() async throws {
        try await Self.inFolder { folder in
            let made = try await Datastore.load(name: "people", url: folder)
            _ = try await made.get(entity: Entity.named("Anna", createAs: "person"))
            let again = try await Datastore.load(name: "people", url: folder)
            #expect(try await again.get(entity: Entity.named("Anna")).isResolved)
            #expect(made.url.lastPathComponent == "people.settle")
            return [made]
        }
    }

    @Test func `load(name:json:) reads an interchange, and a wrong one leaves an empty store`()
        async throws
    {
        try await Self.inFolder { folder in
            let datastore = try await Datastore.load(name: "people", url: folder, json: Self.json)
            #expect(try await datastore.getAllEntities().count == 1)
            await #expect(throws: DatastoreError.self) {
                try await Datastore.load(name: "broken", url: folder, json: Data("{".utf8))
            }
            let broken = try await Datastore.load(name: "broken", url: folder)
            #expect(try await broken.getAllEntities().isEmpty)
            return [datastore, broken]
        }
    }

    @Test func `destroy(storeAt:removeFiles:), replace(storeAt:withStoreAt:), save and reset`()
        async throws
    {
        try await Self.inFolder { folder in
            let one = try await Datastore.load(name: "one", url: folder, json: Self.json)
            let two = try await Datastore.load(name: "two", url: folder)
            try await one.save()
            try await Datastore.replace(storeAt: two.url, withStoreAt: one.url)
            let replaced = try await Datastore.load(name: "two", url: folder)
            #expect(try await replaced.count(entitiesOfTypes: ["test"]) == [1])
            try await replaced.reset()
            #expect(try await replaced.count(entitiesOfTypes: ["entity"]) == [0])
            try await Datastore.destroy(storeAt: one.url, removeFiles: false)
            #expect(FileManager.default.fileExists(atPath: one.url.path))
            try await Datastore.destroy(storeAt: one.url, removeFiles: true)
            #expect(!FileManager.default.fileExists(atPath: one.url.path))
            let error = try await #require(throws: DatastoreError.self) {
                try await Datastore.destroy(storeAt: one.url)
            }
            #expect(error.code == .storeNotFound)
            return [replaced]
        }
    }

    @Test func `register(classes:) gives instances of them back, from every operation`()
        async throws
    {
        try await Store.with { store in
            let datastore = store.datastore
            datastore.register(classes: [Book.self])
            let created = try await datastore.get(entity: Book(named: "Emma", with: ["pages": 400]))
            #expect((created as? Book)?.type == "book")
            let id = try #require(created.identifier)
            let all: [[EntityReference]] = [
                try await datastore.get(entitiesWithIDs: [id]),
                try await datastore.get(allEntitiesOfType: "book"),
                try await datastore.getAllEntities(),
                try await datastore.get(allPropertiesOf: [Book(identifiedBy: id)]),
                try await datastore.get(properties: ["pages"], of: [created]),
                [
                    try await datastore.get(
                        entityOfType: "book", where: "name", equals: "Emma",
                        createIfMissing: false)
                ],
            ]
            for found in all { #expect(found.map { ($0 as? Book)?.identifier } == [id]) }
            #expect((all[3][0] as? Book)?.pages == 400)
            _ = try await datastore.get(entity: Book(with: ["name": "Emma"]))
            #expect(try await datastore.count(entitiesOfTypes: ["book"]) == [2])
        }
    }

    private final class Book: CustomReference, @unchecked Sendable {
        override class var staticType: EntityType { "book" }
        var pages: Int? { self["pages"]?.integer }
    }

    @Test
    func
        `get(entityOfType:where:equals:) and get(entitiesOfType:where:contains:) create unless told not to`()
        async throws
    {
        try await Store.with { store in
            let datastore = store.datastore
            let missing = try await datastore.get(
                entityOfType: "person", where: "name", equals: "Anna", createIfMissing: false)
            #expect(!missing.isResolved)
            let anna = try await datastore.get(
                entityOfType: "person", where: "name", equals: "Anna")
            #expect(anna.isResolved && anna.type == "person")
            let some = try await datastore.get(
                entitiesOfType: "person", where: "name", contains: ["Anna", "Bob"],
                createIfMissing: false)
            #expect(some.map(\.isResolved) == [true, false])
            let both = try await datastore.get(
                entitiesOfType: "person", where: "name", contains: ["Anna", "Bob"])
            #expect(both[0] == anna)
            #expect(try await datastore.count(entitiesOfTypes: ["person"]) == [2])
            // The type is asked for, too.
            let robot = try await datastore.get(
                entityOfType: "robot", where: "name", equals: "Anna")
            #expect(robot != anna)
        }
    }

    @Test func `get(properties:of:) takes keys and texts, get(allPropertiesOf:) gives all`()
        async throws
    {
        try await Store.with { store in
            let datastore = store.datastore
            try await store.update("anna", ["name": "Anna", "age": 41])
            let anna = Entity.identifiedBy("anna")
            let keys: Set<PropertyKey> = ["age", "unknown"]
            let texts: Set<String> = ["age", "unknown"]
            #expect(try await datastore.get(properties: keys, of: [anna])[0].keys == ["age"])
            #expect(try await datastore.get(properties: texts, of: [anna])[0].keys == ["age"])
            let all = try await datastore.get(allPropertiesOf: [anna])[0]
            #expect(all.keys == ["name", "age"])
            #expect(all.count == 2)
        }
    }

    @Test func `add(properties:), update(properties:), remove(properties:of:), delete(entities:)`()
        async throws
    {
        try await Store.with { store in
            let datastore = store.datastore
            let anna = Entity.identifiedBy("anna", createAs: "person")
            anna.addUpdates(["age": 41])
            for _ in 0..<2 { try await datastore.update(properties: [anna]) }
            #expect(try await store.values(of: "age", in: "anna") == [41])
            try await datastore.add(properties: [anna])
            #expect(try await store.values(of: "age", in: "anna") == [41, 41])
            try await datastore.remove(properties: ["age"], of: [anna])
            #expect(try await store.values(of: "age", in: "anna") == [nil])
            try await datastore.delete(entities: [anna])
            #expect(try await datastore.count(entitiesOfTypes: ["person", "robot"]) == [0, 0])
        }
    }

    @Test func `subscripts by key, type, datestamp and value`() async throws {
        try await Store.with { store in
            var properties = PropertyDictionary()
            properties["street", as: "address"] = "12 New Street"
            properties["name"] = "Anna"
            #expect(properties["street", as: "address"] == "12 New Street")
            #expect(properties[typeWithKey: "name"] == .string)
            #expect(properties[datestampWithKey: "name"] == nil)
            try await store.update("anna", properties)
            let read = try await store.read("anna")
            #expect(read["street"] == "12 New Street")
            #expect(read["street", as: .string] == nil)
            #expect(read[typeWithKey: "street"] == "address")
            #expect(read[datestampWithKey: "street"] == store.time.date)
            #expect(read[valueWithKey: "street"]?.type == "address")
        }
    }

    @Test func `standard keys are there for every entity, and cannot be set but for the name`()
        async throws
    {
        try await Store.with { store in
            try await store.update("anna", ["name": "Anna"])
            let added = store.time.date
            store.time.advance()
            try await store.update("anna", ["name": "Ann"])
            let keys: Set<PropertyKey> = [.datestamp, .identifier, .type, .modified, .name]
            let read = try await store.datastore.get(
                properties: keys, of: [Entity.identifiedBy("anna")])[0]
            #expect(read[.identifier] == "anna")
            #expect(read[.identifier, as: .identifier] == "anna")
            #expect(read[.type] == "person")
            #expect(read[.datestamp]?.date == added)
            #expect(read[.modified]?.date == store.time.date)
            #expect(read[.name] == "Ann")
            #expect(PropertyKey.entities.name == "entities")
            for key in [PropertyKey.datestamp, .identifier, .type] {
                let error = try await #require(throws: DatastoreError.self) {
                    try await store.update("anna", [key: "x"])
                }
                #expect(error.code == .invalidKey)
            }
        }
    }

    @Test func `keys of arrays and of references hold several values`() async throws {
        try await Store.with { store in
            let (one, two) = (PropertyKey(array: "phone"), PropertyKey(array: "phone"))
            #expect(one != two && one.name.hasPrefix("phone-"))
            let club = Entity.named("Chess club", createAs: "club")
            let role = PropertyKey(reference: club, name: "role")
            try await store.update("anna", [one: "1", two: "2", role: "treasurer"])
            let id = try #require(
                try await store.datastore.get(entity: Entity.named("Chess club")).identifier)
            #expect(
                try await store.read("anna").keys == [one, two, PropertyKey("role-\(id)")])
            #expect(PropertyType.allNames.count == 9 && PropertyType.identifier == "identifier")
        }
    }

    @Test
    func `decode(json:), decode(interchange:decoder:), encodeInterchange(encoder:), encodeJSON`()
        async throws
    {
        try await Store.with { store in
            try await store.datastore.decode(json: Self.json)
            let text = try await store.datastore.encodeJSON()
            let coders: [(any InterchangeEncoder, any InterchangeDecoder)] = [
                (NullInterchangeEncoder(), NullInterchangeDecoder()),
                (JSONInterchangeEncoder(), JSONInterchangeDecoder()), (Seconds(), Seconds()),
            ]
            for (encoder, decoder) in coders {
                let interchange = try await store.datastore.encodeInterchange(encoder: encoder)
                try await Store.with { other in
                    let summary = try await other.datastore.decode(
                        interchange: interchange, decoder: decoder)
                    #expect(summary.entityCount == 1)
                    #expect(try await other.datastore.encodeJSON() == text)
                }
            }
        }
    }

    /// Coders of an app's own: dates as seconds, bytes as numbers, UUIDs as small letters.
    private struct Seconds: InterchangeEncoder, InterchangeDecoder {
        func encodePrimitive(_ date: Date) -> InterchangeValue {
            .double(date.timeIntervalSince1970)
        }
        func encodePrimitive(_ data: Data) -> InterchangeValue {
            .list(data.map { .integer(Int($0)) })
        }
        func encodePrimitive(_ uuid: UUID) -> InterchangeValue {
            .dictionary(["uuid": .string(uuid.uuidString.lowercased())])
        }
        func decodePrimitive(date value: InterchangeValue) -> Date? {
            if case .double(let seconds) = value {
                Date(timeIntervalSince1970: seconds)
            } else {
                nil
            }
        }
        func decodePrimitive(data value: InterchangeValue) -> Data? {
            guard case .list(let elements) = value else { return nil }
            return Data(
                elements.compactMap { element in
                    if case .integer(let number) = element { UInt8(number) } else { nil }
                })
        }
        func decodePrimitive(uuid value: InterchangeValue) -> UUID? {
            value["uuid"]?.string.flatMap { UUID(uuidString: $0) }
        }
    }

    @Test func `references tell what they know, before and after they are resolved`() async throws {
        try await Store.with { store in
            let given = Entity.identifiedBy("anna", createAs: "person", with: ["age": 41])
            #expect(given.identifier == "anna" && given.type == "person" && !given.isResolved)
            #expect(given.properties.isEmpty && given.datestamp == nil)
            #expect(Entity.named("Anna").identifier == nil && Entity.named("Anna").type == nil)
            let found = try await store.datastore.get(allPropertiesOf: [given])[0]
            #expect(found.isResolved && found.identifier == "anna" && found.count == 1)
            #expect(found.datestamp == store.time.date && found.modified == store.time.date)
            // The one that was given stays as it was.
            #expect(!given.isResolved)
            let again = try await store.datastore.get(entity: found)
            #expect(again == found && Set([again, found]).count == 1)
        }
    }

    @Test func `the changes of each operation say their action`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            var changes = datastore.changes().makeAsyncIterator()
            let anna = Entity.identifiedBy("anna", createAs: "person")
            _ = try await datastore.get(entity: anna)
            anna.addUpdates(["age": 41, "friend": Entity.named("Bob", createAs: "person")])
            try await datastore.add(properties: [anna])
            anna.addUpdates(["age": 42])
            try await datastore.update(properties: [anna])
            try await datastore.remove(properties: ["age"], of: [anna])
            try await datastore.delete(entities: [anna])
            var told: [EntityChanges] = []
            for _ in 0..<5 { told.append(try #require(await changes.next())) }
            #expect(told.map(\.action) == [.get, .add, .update, .remove, .delete])
            #expect(told[0].added.map(\.identifier) == ["anna"] && told[0].changed.isEmpty)
            // Bob was created in the same call: he is added, and Anna is changed.
            #expect(told[1].added.count == 1 && told[1].changed.map(\.identifier) == ["anna"])
            #expect(told[1].keys == ["age", "friend", "name"])
            #expect(told[2].keys == ["age"] && told[3].keys == ["age"])
            #expect(told[4].deleted.map(\.identifier) == ["anna"])
            #expect(EntityChanges.Action.allCases.count == 5)
        }
    }

    @Test func `types conform to types, and getAllEntityTypes counts them`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            try await datastore.declare("poodle", conformingTo: ["dog"])
            try await datastore.declare("dog", conformingTo: ["animal"])
            _ = try await datastore.get(entity: Entity.identifiedBy("rex", createAs: "poodle"))
            #expect(
                try await datastore.conformances(for: "poodle") == [
                    "poodle", "dog", "animal", .entity,
                ])
            #expect(
                try await datastore.get(allEntitiesOfType: "animal").map(\.identifier) == ["rex"])
            #expect(
                try await datastore.getAllEntityTypes().map { "\($0.type) \($0.count)" } == [
                    "poodle 1", "typeConformance 2",
                ])
        }
    }
}

extension PropertyType {
    /// The types that go with the kinds of values.
    fileprivate static var allNames: Set<PropertyType> {
        [.boolean, .data, .date, .double, .entity, .integer, .string, .list, .dictionary]
    }
}
