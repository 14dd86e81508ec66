import Dispatch
import Settle
import SettleEntities
import Synchronization
import TestSupport
import Testing

@Suite struct `Changes of entities` {
    @Test func `say what was added, changed and deleted, and which keys`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            try await store.update("a", ["k": 1, "l": 1])
            try await store.update("b", ["k": 1])
            var changes = datastore.changes().makeAsyncIterator()

            let updates = [
                Entity.identifiedBy("a"), Entity.identifiedBy("b"),
                Entity.identifiedBy("c", createAs: "p"),
            ]
            updates[0].addUpdates(["k": 2, "l": 1])
            updates[1].addUpdates(["k": 1])
            updates[2].addUpdates(["m": 1])
            try await datastore.update(properties: updates)
            var change = try #require(await changes.next())
            #expect(change.action == .update)
            #expect(change.added.map(\.identifier) == ["c"])
            #expect(change.changed.map(\.identifier) == ["a"])
            #expect(change.deleted.isEmpty)
            #expect(change.keys == ["k", "m"])
            #expect(!change.isFromReplication)

            // What changes nothing, and what only reads, is not told.
            try await datastore.update(properties: updates)
            _ = try await datastore.get(allPropertiesOf: updates)
            try await datastore.remove(properties: ["l"], of: [Entity.identifiedBy("a")])
            change = try #require(await changes.next())
            #expect(change.action == .remove)
            #expect(change.changed.map(\.identifier) == ["a"])
            #expect(change.keys == ["l"])

            try await datastore.add(properties: [updates[1]])
            change = try #require(await changes.next())
            #expect(change.action == .add)
            #expect(change.changed.map(\.identifier) == ["b"])

            try await datastore.delete(entities: [Entity.identifiedBy("b")])
            change = try #require(await changes.next())
            #expect(change.action == .delete)
            #expect(change.deleted.map(\.identifier) == ["b"])
            #expect(change.deleted.first?.type == "person")

            // Whoever writes it.
            try await store.database.delete(documentWithId: "a")
            change = try #require(await changes.next())
            #expect(change.action == .delete)
            #expect(change.deleted.map(\.identifier) == ["a"])
        }
    }

    @Test func `come to a closure on the completion queue until that is cancelled`() async throws {
        try await Store.with { store in
            let (stream, continuation) = AsyncStream<EntityChanges>.makeStream()
            let observer = store.datastore.observeChanges { changes in
                dispatchPrecondition(condition: .onQueue(.main))
                continuation.yield(changes)
            }
            try await store.update("a", ["k": 1])
            try await store.update("b", ["k": 1])
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next()?.added.map(\.identifier) == ["a"])
            #expect(await iterator.next()?.added.map(\.identifier) == ["b"])
            observer.cancel()
        }
    }

    @Test func `end when the database is closed`() async throws {
        let store = try await Store()
        let changes = store.datastore.changes()
        await store.database.close()
        for await _ in changes { Issue.record("Nothing was changed.") }
        for await _ in store.datastore.changes() { Issue.record("Nothing can be changed.") }
    }
}
