import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `Properties` {
    @Test func `are read back with value, type and datestamp`() async throws {
        try await Store.with { store in
            let born = Date(timeIntervalSince1970: -4_000.000001)
            var properties: PropertyDictionary = [
                "name": "Anna", "age": 41, "height": 1.5, "whole": 2.0, "left": true,
                "born": born, "photo": Data([1, 2]), "boss": Entity.identifiedBy("bob"),
                "tags": .list(["a", 1]) as Primitive, "more": .dictionary(["x": 2.0]) as Primitive,
            ]
            properties["street", as: "address"] = "12 New Street"
            try await store.update("anna", properties)
            let anna = try await store.read("anna")
            #expect(anna["name"] == "Anna")
            #expect(anna["age"] == 41)
            #expect(anna["height"] == 1.5)
            #expect(anna["whole"] == .double(2))
            #expect(anna["left"] == true)
            #expect(anna["born"]?.date?.timeIntervalSince1970 == born.timeIntervalSince1970)
            #expect(anna["photo"]?.data == Data([1, 2]))
            #expect(anna["boss"] == .entity("bob"))
            #expect(anna["tags"] == ["a", 1])
            #expect(anna["more"] == ["x": 2.0])
            #expect(anna["street"] == "12 New Street")
            #expect(anna["street", as: "address"] == "12 New Street")
            #expect(anna["street", as: "string"] == nil)
            #expect(anna[typeWithKey: "street"] == "address")
            #expect(anna[typeWithKey: "age"] == .integer)
            #expect(anna[datestampWithKey: "age"] == store.time.date)
            #expect(anna[valueWithKey: "age"]?.value == 41)
            #expect(anna["nothing"] == nil)
            #expect(anna.count == 11)
        }
    }

    @Test func `that are asked for come, unknown ones do not, and guaranteed ones are there`()
        async throws
    {
        try await Store.with { store in
            try await store.update("anna", ["name": "Anna", "age": 41])
            store.time.advance(60)
            try await store.update("anna", ["age": 42])
            let keys: Set<PropertyKey> = ["age", "no", .identifier, .type, .datestamp, .modified]
            let anna = try await store.datastore.get(properties: keys, of: [Entity.named("Anna")])[
                0]
            #expect(anna.keys == keys.subtracting(["no"]))
            #expect(anna[.identifier] == "anna")
            #expect(anna[.type] == "person")
            #expect(anna[.datestamp]?.date == store.time.date.addingTimeInterval(-60))
            #expect(anna[.modified]?.date == store.time.date)
            #expect(anna.modified == store.time.date)
            #expect(
                try await store.datastore.get(properties: ["name"] as Set<String>, of: [anna])[0]
                    .keys
                    == ["name"])
        }
    }

    @Test func `are appended by add always, and by update when they differ`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            try await store.update("e", ["k": 1])
            for value in [1, 1, 2] {
                store.time.advance()
                let reference = Entity.identifiedBy("e")
                reference.addUpdates(["k": value])
                try await datastore.add(properties: [reference])
            }
            #expect(try await store.values(of: "k", in: "e") == [1, 1, 1, 2])
            let revision = try await store.database.fetchDocument("e")?.metaData.revision
            store.time.advance()
            try await store.update("e", ["k": 2])
            #expect(try await store.database.fetchDocument("e")?.metaData.revision == revision)
            // Another type, or another kind, is a difference.
            try await store.update("e", ["k": PropertyValue(2, as: "rank")])
            try await store.update("e", ["k": PropertyValue(2.0, as: "rank")])
            #expect(try await store.values(of: "k", in: "e") == [1, 1, 1, 2, 2, 2.0])
        }
    }

    @Test func `set several times at one moment are all kept, in their order`() async throws {
        try await Store.with { store in
            for value in 1...5 { try await store.update("e", ["k": value]) }
            #expect(try await store.values(of: "k", in: "e") == [1, 2, 3, 4, 5])
            let history = try await store.datastore.history(of: "k", in: Entity.identifiedBy("e"))
            #expect(history.map(\.counter) == [0, 1, 2, 3, 4])
            #expect(history.map(\.isCurrent) == [false, false, false, false, true])
            #expect(history.allSatisfy { $0.device == "here" })
        }
    }

    @Test func `with a datestamp of their own take their place by it`() async throws {
        try await Store.with { store in
            try await store.update("e", ["k": "now"])
            let early = store.time.date.addingTimeInterval(-100)
            for _ in 1...2 {
                let reference = Entity.identifiedBy("e")
                reference.addUpdates(["k": PropertyValue("early", datestamp: early)])
                try await store.datastore.add(properties: [reference])
            }
            #expect(try await store.read("e")["k"] == "now")
            // The same value of the same date is the same entry.
            #expect(try await store.values(of: "k", in: "e") == ["early", "now"])
        }
    }

    @Test func `are written all or none`() async throws {
        try await Store.with { store in
            let good = Entity.identifiedBy("good", createAs: "p", with: ["k": 1])
            let bad = Entity.identifiedBy("bad", createAs: "p")
            bad.addUpdates(["k": Double.nan])
            let error = try await #require(throws: DatastoreError.self) {
                try await store.datastore.add(properties: [good, bad])
            }
            #expect(error.code == .invalidValue)
            #expect(error.entity == "bad")
            #expect(error.key == "k")
            #expect(try store.database.totalDocumentCount == 0)
        }
    }

    @Test(arguments: [
        ("type", PropertyValue("x")), ("identifier", PropertyValue("x")),
        ("datestamp", PropertyValue("x")),
        ("", PropertyValue("x")), (String(repeating: "k", count: 1_025), PropertyValue("x")),
        ("k", PropertyValue("x", type: "")), ("k", PropertyValue(.double(.infinity))),
        ("k", PropertyValue(.date(.distantFuture.addingTimeInterval(1e13)))),
        ("k", PropertyValue(.list([.dictionary(["a": .double(.nan)])]))),
        ("k", PropertyValue("x", datestamp: Date(timeIntervalSince1970: 1e13))),
        ("k", PropertyValue(Entity.named("Nobody"))),
    ]) func `that cannot be are refused by entity and key`(key: String, value: PropertyValue)
        async throws
    {
        try await Store.with { store in
            let reference = Entity.identifiedBy("e", createAs: "p")
            reference.addUpdates([PropertyKey(key): value])
            let error = try await #require(throws: DatastoreError.self) {
                try await store.datastore.update(properties: [reference])
            }
            #expect(error.entity == "e")
            #expect(error.key == key)
            #expect(try store.database.totalDocumentCount == 0)
        }
    }

    @Test func `are removed with their whole history, and may be set again`() async throws {
        try await Store.with { store in
            for value in 1...3 { try await store.update("e", ["k": value, "l": value]) }
            try await store.datastore.remove(
                properties: ["k", "never"], of: [Entity.identifiedBy("e")])
            #expect(try await store.read("e").keys == ["l"])
            let history = try await store.datastore.history(of: "k", in: Entity.identifiedBy("e"))
            #expect(history.map(\.change) == [.removed])
            #expect(try await store.values(of: "l", in: "e") == [1, 2, 3])
            try await store.update("e", ["k": 4])
            #expect(try await store.values(of: "k", in: "e") == [4])
            // An entry from before, which arrives late, does not come back.
            let late = Entity.identifiedBy("e")
            late.addUpdates([
                "k": PropertyValue(9, datestamp: store.time.date.addingTimeInterval(-50))
            ])
            try await store.datastore.add(properties: [late])
            #expect(try await store.values(of: "k", in: "e") == [4])
        }
    }

    @Test func `are inherited from prototypes when asked for`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            try await store.update(
                "base", ["colour": "red", "size": 1, "prototype": Entity.identifiedBy("loop")])
            try await store.update(
                "loop", ["loop": true, "prototype": Entity.identifiedBy("base")])
            try await store.update("e", ["size": 2, "prototype": Entity.identifiedBy("base")])
            let own = try await store.read("e")
            #expect(own["colour"] == nil)
            let all = try await datastore.get(
                allPropertiesOf: [Entity.identifiedBy("e")], inheriting: true)[0]
            #expect(all["colour"] == "red")
            #expect(all["size"] == 2)
            #expect(all["loop"] == true)
            #expect(all["prototype"] == .entity("base"))
            let some = try await datastore.get(
                properties: ["colour", .identifier, "loop"], of: [Entity.identifiedBy("e")],
                inheriting: true)[0]
            #expect(some["colour"] == "red")
            #expect(some[.identifier] == "e")
            #expect(some.count == 3)
            try await datastore.delete(entities: [Entity.identifiedBy("base")])
            #expect(
                try await datastore.get(
                    allPropertiesOf: [Entity.identifiedBy("e")], inheriting: true)[0]
                    .keys == ["size", "prototype"])
        }
    }

    @Test func `never changed cost one document, and history never makes the entity larger`()
        async throws
    {
        try await Store.with { store in
            try await store.update("e", ["k": 1, "l": "x"])
            #expect(try store.database.totalDocumentCount == 1)
            func size() async throws -> Int {
                try await #require(store.database.fetchDocument("e")).toJSON().count
            }
            store.time.advance(0.001)
            try await store.update("e", ["k": 2])
            let before = try await size()
            for value in 3...9 {
                store.time.advance(0.001)
                try await store.update("e", ["k": value])
            }
            #expect(try await size() == before)
            #expect(try store.database.totalDocumentCount == 9)
        }
    }
}
