import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `Relationships` {
    @Test func `are found from both ends, by kind`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            let bob = Entity.identifiedBy("bob")
            try await store.update(
                "anna", ["boss": PropertyValue(bob, as: "superior"), "friend": bob])
            try await store.update(
                "cleo",
                ["friends": .list([.entity("anna"), .entity("bob"), .entity("bob")]) as Primitive])
            try await store.update("dan", ["note": "bob"])
            let all = try await datastore.relationships(to: bob)
            #expect(
                all.map { "\($0.source.identifier ?? "").\($0.key)" } == [
                    "anna.boss", "anna.friend", "cleo.friends",
                ])
            #expect(all[0].source["boss"] == .entity("bob"))
            let bosses = try await datastore.relationships(to: bob, type: "superior")
            #expect(bosses.map(\.key) == ["boss"])
            // From the other end a property says it.
            let boss = try #require(try await store.read("anna")[referenceWithKey: "boss"])
            #expect(boss == bob)
            try await store.update("anna", ["boss": "nobody"])
            #expect(try await datastore.relationships(to: bob).map(\.key) == ["friend", "friends"])
            #expect(try await datastore.relationships(to: Entity.named("Nobody")).isEmpty)
        }
    }
}
