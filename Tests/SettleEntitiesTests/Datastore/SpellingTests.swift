import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

/// Texts that are canonically equivalent: Swift takes them for equal, documents do not.
@Suite struct `Two spellings of one text` {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

    @Test func `are one key, whose history has all values`() async throws {
        try await Store.with { store in
            try await store.update("e", [PropertyKey(composed): 1, "other": 0])
            for (number, key) in [decomposed, composed, decomposed].enumerated() {
                store.time.advance()
                try await store.update("e", [PropertyKey(key): .integer(number + 2) as Primitive])
                let entity = try await store.datastore.get(
                    properties: [PropertyKey(key)], of: [Entity.identifiedBy("e")])[0]
                #expect(entity[PropertyKey(composed)] == .integer(number + 2))
                #expect(entity[PropertyKey(decomposed)] == .integer(number + 2))
            }
            for key in [composed, decomposed] {
                #expect(try await store.values(of: PropertyKey(key), in: "e") == [1, 2, 3, 4])
            }
            let again = try await Store("again")
            try await again.datastore.decode(json: try await store.datastore.encodeJSON())
            #expect(try await again.values(of: PropertyKey(decomposed), in: "e") == [1, 2, 3, 4])
            await again.database.close()
        }
    }

    @Test func `are one key in a document that something else has written, too`() async throws {
        try await Store.with { store in
            try await store.database.save([
                "id": "e", "entityFormat": 2, "type": "place",
                "datestamp": "2025-01-01T00:00:00Z", "properties": [decomposed: "old"],
            ])
            #expect(try await store.read("e")[PropertyKey(composed)] == "old")
            let found = try await store.datastore.get(
                entity: Entity.whereKey(PropertyKey(composed), equals: "old"))
            #expect(found.identifier == "e")
            try await store.update("e", [PropertyKey(composed): "new"])
            #expect(try await store.read("e")[PropertyKey(decomposed)] == "new")
            #expect(try await store.values(of: PropertyKey(composed), in: "e") == ["old", "new"])
        }
    }

    @Test func `are two identifiers, also in one call and in one interchange`() async throws {
        try await Store.with { store in
            let references = [composed, decomposed].map { id in
                let reference = Entity.identifiedBy(id, createAs: "place")
                reference.addUpdates(["bytes": .integer(id.utf8.count) as Primitive])
                return reference
            }
            #expect(Set(references).count == 2)
            try await store.datastore.update(properties: references)
            #expect(try await store.datastore.count(entitiesOfTypes: ["place"]) == [2])
            let json = try await store.datastore.encodeJSON()
            let again = try await Store("again")
            #expect(try await again.datastore.decode(json: json).entityCount == 2)
            for datastore in [store.datastore, again.datastore] {
                for id in [composed, decomposed] {
                    let entity = try await datastore.get(
                        allPropertiesOf: [Entity.identifiedBy(id)])[0]
                    #expect(bytes(entity.identifier) == bytes(id))
                    #expect(entity["bytes"] == .integer(id.utf8.count))
                }
            }
            #expect(try await again.datastore.encodeJSON() == json)
            await again.database.close()
        }
    }

    @Test(arguments: [
        ("\"caf\u{E9}\"", "\"cafe\u{301}\""), ("{\"double\":0.0}", "{\"double\":-0.0}"),
    ])
    func `are two values, of which none is lost in either order`(one: String, other: String)
        async throws
    {
        func interchange(_ value: String) -> Data {
            Data(
                """
                {"entities":[{"identifier":"e","type":"p","datestamp":"2025-01-01T00:00:00Z","k":\(value)}]}
                """.utf8)
        }
        var texts: [Data] = []
        for order in [[one, other], [other, one]] {
            let store = try await Store()
            for value in order { try await store.datastore.decode(json: interchange(value)) }
            #expect(try await store.values(of: "k", in: "e").count == 2)
            texts.append(try await store.datastore.encodeJSON())
            await store.database.close()
        }
        #expect(texts[0] == texts[1])
    }

    @Test func `are another value to an update, and to a look-up`() async throws {
        try await Store.with { store in
            try await store.update("e", ["name": .string(composed) as Primitive])
            store.time.advance()
            try await store.update("e", ["name": .string(decomposed) as Primitive])
            #expect(bytes(try await store.read("e")["name"]?.string) == bytes(decomposed))
            #expect(try await store.values(of: "name", in: "e").count == 2)
            #expect(try await store.datastore.get(entity: Entity.named(decomposed)).isResolved)
            #expect(try await !store.datastore.get(entity: Entity.named(composed)).isResolved)
        }
    }
}
