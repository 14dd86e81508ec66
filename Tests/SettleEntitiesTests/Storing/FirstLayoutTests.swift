import Foundation
import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleEntities

/// Documents as the first layout has them, where each property is an object with its value and what is said of it.
@Suite struct `Entities in the first layout` {
    /// Anna with each kind of value, a relationship, a later value, one that is absent, and one that was removed.
    private static let anna = """
        {"entityFormat": 1, "type": "person", "datestamp": "2026-01-01T00:00:00.000Z", "device": "one",
         "modified": "2026-01-04T00:00:00.000Z", "removals": {"fax": {"datestamp": "2026-01-04T00:00:00.000Z"}},
         "properties": {
           "name": {"value": "Anna"}, "age": {"value": 41}, "height": {"value": 1.75}, "left": {"value": true},
           "whole": {"value": 2, "kind": "double"}, "data": {"value": "AQI=", "kind": "data"},
           "born": {"value": "1985-02-03T00:00:00.000Z", "kind": "date"},
           "street": {"value": "12 New Street", "type": "address"},
           "boss": {"value": "bob", "kind": "entity", "type": "superior"},
           "more": {"value": {"value": 3, "friend": {"entity": "cleo"}}},
           "tags": {"value": ["a", {"date": "2026-01-01T00:00:00.000Z"}]},
           "phone": {"value": "555-0101", "datestamp": "2026-01-02T00:00:00.000Z", "counter": 2, "device": "two"},
           "nick": {"state": "absent", "datestamp": "2026-01-03T00:00:00.000Z"},
           "fax": {"state": "removed", "datestamp": "2026-01-04T00:00:00.000Z"}}}
        """
    private static let entry = """
        {"entityFormat": 1, "type": "entity-entry", "entity": "anna", "key": "phone",
         "entry": {"value": "555-0100", "datestamp": "2026-01-01T00:00:00.000Z", "device": "one"}}
        """
    /// The same as an interchange.
    private static let interchange = """
        {"entities": [
          {"identifier": "anna", "type": "person", "datestamp": {"date": "2026-01-01T00:00:00.000Z", "device": "one"},
           "name": "Anna", "age": 41, "height": 1.75, "left": true, "whole": {"double": 2}, "data": {"data": "AQI="},
           "born": {"date": "1985-02-03T00:00:00.000Z"}, "street": {"string": "12 New Street", "type": "address"},
           "boss": {"entity": "bob", "type": "superior"},
           "more": {"dictionary": {"value": 3, "friend": {"entity": "cleo"}}},
           "tags": ["a", {"date": "2026-01-01T00:00:00.000Z"}],
           "phone": {"entries": ["555-0100",
             {"string": "555-0101", "datestamp": "2026-01-02T00:00:00.000Z", "counter": 2, "device": "two"}]},
           "nick": {"state": "absent", "datestamp": "2026-01-03T00:00:00.000Z", "device": "one"},
           "fax": {"state": "removed", "datestamp": "2026-01-04T00:00:00.000Z", "device": "one"}}
        ]}
        """

    private static func document(_ id: String, _ json: String) throws -> Document {
        var document = try Document(json: json)
        document.id = id
        return document
    }

    /// Stores Anna as an older release did.
    private static func fill(_ database: Database) async throws {
        try await database.write { transaction in
            try transaction.save(try document("anna", anna))
            try transaction.save(try document(entryId, entry))
        }
    }

    /// The identifier that every release gives the entry.
    private static let entryId = EntryRecord(
        entity: "anna", key: "phone",
        entry: Entry(
            content: .value("555-0100", type: nil),
            stamp: Stamp(moment: 1_767_225_600_000_000, device: "one"))
    ).id

    private static func layouts(_ store: Store) throws -> [String: Int?] {
        try store.database.contents().mapValues { $0["entityFormat"]?.integerValue.map { Int($0) } }
    }

    @Test func `are read as those in the second`() async throws {
        try await Store.with { first in
            try await Store.with { second in
                try await Self.fill(first.database)
                try await second.datastore.decode(json: Data(Self.interchange.utf8))
                #expect(try Self.layouts(first)["anna"] == 1)
                #expect(try Self.layouts(second)["anna"] == 2)
                #expect(
                    try await first.datastore.encodeJSON() == second.datastore.encodeJSON())
                let (one, two) = (try await first.read("anna"), try await second.read("anna"))
                #expect(one.properties == two.properties)
                #expect(one.count == 12)
                #expect(one.modified == two.modified)
                for key in two.keys { #expect(one[key] == two[key], "\(key)") }
                for datastore in [first.datastore, second.datastore] {
                    let anna = Entity.identifiedBy("anna")
                    #expect(try await datastore.history(of: "phone", in: anna).count == 2)
                    let past = try await datastore.get(
                        allPropertiesOf: [anna], asOf: first.time.date)[0]
                    #expect(past["phone"] == "555-0100")
                    for (key, value) in two.properties.all {
                        let found = try await datastore.get(
                            entity: Entity.whereKey(key, equals: value))
                        #expect(found.identifier == "anna", "\(key)")
                    }
                    for (id, key) in [("bob", "boss"), ("cleo", "more")] {
                        let relationships = try await datastore.relationships(
                            to: Entity.identifiedBy(id))
                        #expect(relationships.map(\.key) == [PropertyKey(key)])
                    }
                    #expect(try await datastore.count(entitiesOfTypes: ["person"]) == [1])
                }
            }
        }
    }

    @Test func `are written in the second, with nothing lost`() async throws {
        try await Store.with { store in
            try await Self.fill(store.database)
            store.time.advance(86_400 * 10)
            let before = try await store.datastore.encodeJSON()
            // What changes nothing writes nothing.
            try await store.update("anna", ["name": "Anna"])
            #expect(try Self.layouts(store) == ["anna": 1, Self.entryId: 1])
            try await store.update("anna", ["phone": "555-0102"])
            #expect(try Self.layouts(store)["anna"] == 2)
            #expect(
                try await store.values(of: "phone", in: "anna") == [
                    "555-0100", "555-0101", "555-0102",
                ])
            let anna = try await store.read("anna")
            #expect(anna.count == 12)
            #expect(anna["more"] == .dictionary(["value": 3, "friend": .entity("cleo")]))
            // Taking the value back in time gives what was there before.
            try await store.datastore.decode(json: before)
            #expect(try await store.read("anna")["phone"] == "555-0102")
        }
    }

    @Test func `that are deleted stay deleted, and come back when they are created`() async throws {
        try await Store.with { store in
            let text = """
                {"entityFormat": 1, "type": "person", "datestamp": "2026-01-01T00:00:00.000Z", "isDeleted": true,
                 "deletion": {"datestamp": "2026-01-02T00:00:00.000Z"}, "modified": "2026-01-02T00:00:00.000Z",
                 "properties": {"name": {"value": "Bob"}}}
                """
            try await store.database.save(try Self.document("bob", text))
            #expect(try await !store.read("bob").isResolved)
            #expect(try await store.datastore.count(entitiesOfTypes: ["person"]) == [0])
            let again = Entity.identifiedBy("bob", createAs: "robot", with: ["model": 7])
            #expect(try await store.datastore.get(allPropertiesOf: [again])[0].keys == ["model"])
            #expect(try await store.values(of: "name", in: "bob") == ["Bob", nil])
        }
    }

    @Test func `are merged with those in the second, on devices of either release`() async throws {
        let server = MeetingServer()
        func sync(_ store: Store) async throws {
            var configuration = ReplicationConfiguration(
                url: try #require(URL(string: "meeting:")), isRepeating: false)
            configuration.scope = .entities
            configuration.conflictHandler = .entities
            _ = try await store.database.replicate(
                with: configuration, using: MeetingBackend(server: server))
        }
        let (one, other) = (try await Store("one"), try await Store("other"))
        try await Self.fill(one.database)
        for store in [one, other] { try await sync(store) }
        #expect(try Self.layouts(other) == ["anna": 1, Self.entryId: 1])
        // The older release gives a name, this one gives another and a phone.
        try await one.database.write { transaction in
            let renamed = Self.anna.replacing(
                "{\"value\": \"Anna\"}",
                with: """
                    {"value": "Ann", "datestamp": "2026-01-05T00:00:00.000Z"}
                    """)
            try transaction.save(try Self.document("anna", renamed))
        }
        other.time.advance(86_400 * 10)
        try await other.update("anna", ["name": "Anne", "phone": "555-0102"])
        for store in [one, other, one, other] { try await sync(store) }
        #expect(try one.database.contents() == other.database.contents())
        for store in [one, other] {
            #expect(try Self.layouts(store)["anna"] == 2)
            let anna = try await store.read("anna")
            #expect(anna["name"] == "Anne")
            #expect(anna["phone"] == "555-0102")
            #expect(anna.count == 12)
            #expect(try await store.values(of: "name", in: "anna") == ["Anna", "Ann", "Anne"])
            #expect(try await store.values(of: "phone", in: "anna").count == 3)
            await store.database.close()
        }
    }

    @Test func `are found again after an index of the older release`() async throws {
        let scratch = try ScratchDirectory("entities")
        let older = try await Database.openOrCreate(
            Database.OpenDatabaseConfiguration(
                name: "store", fileLocation: scratch.url,
                indexes: [
                    Database.Index.views(
                        name: "entities", version: "1", collation: .raw, builtInReduce: .count
                    ) { view, rows in
                        try rows.emit("t", try view.string("type") ?? "")
                    }
                ]))
        try await Self.fill(older)
        try await older.buildIndex(named: "entities")
        await older.close()
        let store = try await Store(in: scratch)
        #expect(try await store.datastore.get(entity: Entity.named("Anna")).isResolved)
        #expect(try await store.datastore.count(entitiesOfTypes: ["person"]) == [1])
        await store.database.close()
    }
}

@Suite struct `Entities of another release` {
    private static let newer = """
        {"entityFormat": 3, "type": "person", "datestamp": "2026-01-01T00:00:00.000Z", "properties": 7}
        """

    private static func document(_ id: String, _ json: String) throws -> Document {
        var document = try Document(json: json)
        document.id = id
        return document
    }

    @Test func `that is newer are refused by whatever reads them, and left as they are`()
        async throws
    {
        try await Store.with { store in
            let document = try Self.document("e", Self.newer)
            try await store.database.save(document)
            let datastore = store.datastore
            let entity = Entity.identifiedBy("e", createAs: "person", with: ["k": 1])
            entity.addUpdates(["k": 2])
            let actions: [@Sendable () async throws -> Void] = [
                { _ = try await datastore.get(entity: Entity.identifiedBy("e")) },
                { _ = try await datastore.get(entity: entity) },
                { _ = try await datastore.get(allEntitiesOfType: "person") },
                { try await datastore.update(properties: [entity]) },
                { try await datastore.remove(properties: ["k"], of: [entity]) },
                { try await datastore.delete(entities: [entity]) },
                { _ = try await datastore.history(of: entity) },
                { _ = try await datastore.get(allPropertiesOf: [entity], asOf: Date()) },
                { _ = try await datastore.encodeJSON() },
                {
                    let text = "{\"entities\":[{\"identifier\":\"e\",\"type\":\"p\"}]}"
                    try await datastore.decode(json: Data(text.utf8))
                },
            ]
            for (number, action) in actions.enumerated() {
                let error = try await #require(throws: DatastoreError.self, "action \(number)") {
                    try await action()
                }
                #expect(error.code == .newerFormat, "action \(number)")
                #expect(error.entity == "e")
                #expect(error.message.contains("newer release"))
            }
            #expect(try await store.database.fetchDocument("e")?.json == document.json)
        }
    }

    @Test(arguments: [0, -1, Int.min])
    func `that never was are said to be spoilt, not newer`(layout: Int) async throws {
        try await Store.with { store in
            let text = Self.newer.replacing("3, \"type\"", with: "\(layout), \"type\"")
            try await store.database.save(try Self.document("e", text))
            let error = try await #require(throws: DatastoreError.self) {
                try await store.read("e")
            }
            #expect(error.code == .unreadable)
            #expect(error.entity == "e")
        }
    }

    @Test func `that is newer are refused in a history, too`() async throws {
        try await Store.with { store in
            try await store.update("e", ["k": 1])
            store.time.advance()
            try await store.update("e", ["k": 2])
            try await store.database.write { transaction in
                for id in try transaction.documentIds() where id.hasPrefix("~") {
                    guard var document = try transaction.document(id) else { continue }
                    document["entityFormat"] = 2
                    try transaction.save(document)
                }
            }
            let error = try await #require(throws: DatastoreError.self) {
                try await store.values(of: "k", in: "e")
            }
            #expect(error.code == .newerFormat)
            // The entity itself can be read and written.
            try await store.update("e", ["k": 3])
            #expect(try await store.read("e")["k"] == 3)
        }
    }
}

extension Snapshot {
    fileprivate func documentIds() throws -> [String] {
        var ids: [String] = []
        try forEachDocument { document in
            ids.append(document.id)
            return true
        }
        return ids
    }
}
