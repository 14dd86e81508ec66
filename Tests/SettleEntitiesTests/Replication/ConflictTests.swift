import Foundation
import Settle
import SettleEntities
import SettleSync
import TestSupport
import Testing

@Suite struct `Entities on two devices` {
    private let server = MeetingServer()

    @discardableResult
    private func sync(
        _ store: Store, _ change: (inout ReplicationConfiguration) -> Void = { _ in }
    ) async throws -> ReplicationSummary {
        var configuration = ReplicationConfiguration(
            url: try #require(URL(string: "meeting:")), isRepeating: false)
        configuration.scope = .entities
        configuration.conflictHandler = .entities
        change(&configuration)
        return try await store.database.replicate(
            with: configuration, using: MeetingBackend(server: server))
    }

    private func meet(_ one: Store, _ other: Store) async throws {
        for store in [one, other, one, other] { try await sync(store) }
        #expect(try one.database.contents() == other.database.contents())
    }

    private func pair() async throws -> (Store, Store) {
        let one = try await Store("one")
        let other = try await Store("other")
        try await one.update("anna", ["name": "Anna", "phone": "1", "city": "Graz"])
        try await meet(one, other)
        return (one, other)
    }

    private func close(_ stores: Store...) async {
        for store in stores { await store.database.close() }
    }

    @Test func `are merged property by property, and nothing is lost`() async throws {
        let (one, other) = try await pair()
        one.time.advance(10)
        other.time.advance(20)
        try await one.update("anna", ["phone": "2", "name": "Ann"])
        try await other.update("anna", ["city": "Linz", "name": "Anne"])
        try await meet(one, other)
        for store in [one, other] {
            let anna = try await store.read("anna")
            #expect(anna["phone"] == "2")
            #expect(anna["city"] == "Linz")
            #expect(anna["name"] == "Anne")
            #expect(try await store.values(of: "name", in: "anna") == ["Anna", "Ann", "Anne"])
            #expect(try store.database.replicationConflicts().isEmpty)
        }
        await close(one, other)
    }

    @Test func `that were created on both under one identifier are one, as old as the older`()
        async throws
    {
        let (one, other) = (try await Store("one"), try await Store("other"))
        other.time.advance(100)
        try await one.update("bob", ["name": "Bob"])
        _ = try await other.datastore.get(
            entity: Entity.identifiedBy("bob", createAs: "robot", with: ["model": 7]))
        try await meet(one, other)
        for store in [one, other] {
            let bob = try await store.read("bob")
            #expect(bob.type == "robot")
            #expect(bob.datestamp == one.time.date)
            #expect(bob.keys == ["name", "model"])
            let changes = try await store.datastore.history(of: bob).map(\.change)
            #expect(changes.contains(.created("person")) && changes.contains(.created("robot")))
        }
        await close(one, other)
    }

    @Test
    func
        `that were deleted on one come back with a later value of the other, and not with an earlier one`()
        async throws
    {
        let (one, other) = try await pair()
        one.time.advance(10)
        other.time.advance(5)
        try await one.datastore.delete(entities: [Entity.identifiedBy("anna")])
        try await other.update("anna", ["phone": "earlier"])
        try await meet(one, other)
        #expect(try await !other.read("anna").isResolved)
        #expect(try await one.values(of: "phone", in: "anna") == ["1", "earlier"])
        // Merged entities go on after what they have seen.
        other.time.advance(-500)
        try await other.datastore.putBack(
            try await other.datastore.history(of: "phone", in: Entity.identifiedBy("anna")))
        try await meet(one, other)
        #expect(try await one.read("anna")["phone"] == "earlier")
        #expect(
            try await one.datastore.history(of: Entity.identifiedBy("anna")).contains {
                $0.change == .deleted
            })
        await close(one, other)
    }

    @Test func `whose property was removed lose its history everywhere, but not a later value`()
        async throws
    {
        let (one, other) = try await pair()
        try await one.update("anna", ["phone": "2"])
        try await meet(one, other)
        one.time.advance(10)
        other.time.advance(20)
        try await one.datastore.remove(properties: ["phone"], of: [Entity.identifiedBy("anna")])
        try await other.update("anna", ["phone": "later"])
        try await meet(one, other)
        for store in [one, other] {
            #expect(try await store.values(of: "phone", in: "anna") == ["later"])
        }
        await close(one, other)
    }

    @Test func `win over a wrong clock with the next edit that has seen it`() async throws {
        let (one, other) = try await pair()
        other.time.advance(86_400 * 365)
        try await other.update("anna", ["phone": "from the future"])
        try await meet(one, other)
        try await one.update("anna", ["phone": "now"])
        try await meet(one, other)
        #expect(try await other.read("anna")["phone"] == "now")
        await close(one, other)
    }

    @Test func `are told of when a replication changes them`() async throws {
        let (one, other) = try await pair()
        var changes = other.datastore.changes().makeAsyncIterator()
        try await one.update("anna", ["phone": "2"])
        try await sync(one)
        try await sync(other)
        let change = try #require(await changes.next())
        #expect(change.isFromReplication)
        #expect(change.action == .update)
        #expect(change.changed.map(\.identifier) == ["anna"])
        #expect(change.keys == ["phone"])
        await close(one, other)
    }

    @Test func `leave other documents and their conflicts to another handler`() async throws {
        let (one, other) = try await pair()
        for (store, value) in [(one, 1), (other, 2)] {
            try await store.database.save(["id": "doc", "n": value])
            try await sync(store) {
                $0.scope = .all
                $0.conflictHandler = .entities(otherwise: .leave)
            }
        }
        #expect(try other.database.replicationConflicts().map(\.documentId) == ["doc"])
        #expect(try await sync(other).conflictsResolved == 0)
        await close(one, other)
    }

    @Test func `do not send other documents with the scope of entities`() async throws {
        let (one, other) = try await pair()
        try await one.database.save(["id": "doc", "n": 1, "entityFormat": "a text"])
        try await meetWithoutEqual(one, other)
        #expect(try await other.database.fetchDocument("doc") == nil)
        await close(one, other)
    }

    private func meetWithoutEqual(_ one: Store, _ other: Store) async throws {
        for store in [one, other] { try await sync(store) }
    }

    @Test func `keep members that are not the entity's, merged as those of documents are`()
        async throws
    {
        let (one, other) = try await pair()
        for (store, member) in [(one, "mine"), (other, "yours")] {
            try await store.database.write { transaction in
                var document = try #require(try transaction.document("anna"))
                document[member] = true
                try transaction.save(document)
            }
            try await store.update("anna", [PropertyKey(member): 1])
        }
        try await meet(one, other)
        let document = try #require(try await one.database.fetchDocument("anna"))
        #expect(document.bool("mine") == true)
        #expect(document.bool("yours") == true)
        #expect(try await one.read("anna").keys == ["name", "phone", "city", "mine", "yours"])
        await close(one, other)
    }

    @Test func `give superseded entries to the channels of the entity`() async throws {
        try await Store.with { store in
            try await store.update("anna", ["phone": "1"])
            try await store.database.write { transaction in
                var document = try #require(try transaction.document("anna"))
                document["channels"] = ["family"]
                try transaction.save(document)
            }
            try await store.update("anna", ["phone": "2"])
            let channels = try store.database.contents().values.map { $0["channels"] }
            #expect(channels == [["family"], ["family"]])
        }
    }

    @Test func `are pruned but for what was not sent, and what was pruned does not come back`()
        async throws
    {
        let (one, other) = try await pair()
        for value in 2...4 {
            try await one.update("anna", ["phone": .string("\(value)") as Primitive])
        }
        // Nothing of this has been sent.
        #expect(try await one.datastore.prune(keeping: 0) == 0)
        try await meet(one, other)
        #expect(try await one.datastore.prune(keeping: 1) == 2)
        try await sync(one)
        #expect(try await one.values(of: "phone", in: "anna") == ["3", "4"])
        #expect(try await other.values(of: "phone", in: "anna") == ["1", "2", "3", "4"])
        // A full pull brings it, and it goes again.
        try await one.database.removePullCheckpoints(of: "meeting")
        try await sync(one)
        await one.datastore.finishPruning()
        #expect(try await one.values(of: "phone", in: "anna") == ["3", "4"])
        try await one.datastore.endPruning()
        try await one.database.removePullCheckpoints(of: "meeting")
        try await sync(one)
        await one.datastore.finishPruning()
        #expect(try await one.values(of: "phone", in: "anna") == ["1", "2", "3", "4"])
        await close(one, other)
    }

    @Test func `keep no document of what was removed, whoever has superseded it meanwhile`()
        async throws
    {
        let (one, other) = try await pair()
        try await one.update("anna", ["phone": "2"])
        try await meet(one, other)
        other.time.advance(5)
        try await other.update("anna", ["phone": "3"])
        one.time.advance(10)
        try await one.datastore.remove(properties: ["phone"], of: [Entity.identifiedBy("anna")])
        for store in [one, other, one, other, one] { try await sync(store) }
        for store in [one, other] {
            #expect(try store.database.contents().keys.sorted() == ["anna"])
            #expect(try await store.read("anna").keys == ["name", "city"])
        }
        let third = try await Store("third")
        try await sync(third)
        #expect(try third.database.contents().keys.sorted() == ["anna"])
        await close(one, other, third)
    }

    @Test func `leave members that are not theirs to another handler`() async throws {
        let (one, other) = try await pair()
        for (store, flag) in [(one, "one"), (other, "other")] {
            store.time.advance(flag == "one" ? 5 : 10)
            try await store.update("anna", ["phone": .string(flag) as Primitive])
            try await store.database.write { transaction in
                var document = try #require(try transaction.document("anna"))
                document["flag"] = flag
                try transaction.save(document)
            }
        }
        for store in [one, other, one, other] {
            try await sync(store) { $0.conflictHandler = .entities(otherwise: .serverWins) }
        }
        for store in [one, other] {
            let flag = try store.database.read { try $0.document("anna")?.string("flag") }
            #expect(flag == "one")
            #expect(try await store.read("anna")["phone"] == "other")
            #expect(
                try await store.values(of: "phone", in: "anna") == ["1", "one", "other"])
        }
        await close(one, other)
    }

    @Test func `keep the attachments of both`() async throws {
        try await Store.with { store in
            try await store.update("anna", ["phone": "1"])
            let document = try #require(try store.database.read { try $0.document("anna") })
            try await store.database.write { transaction in
                try transaction.purge(documentsWithIds: ["anna"])
                var (one, other) = (Document(id: "anna"), Document(id: "anna"))
                for (name, value) in document.json where name != "id" {
                    (one[json: name], other[json: name]) = (value, value)
                }
                one.attachments = [
                    DocumentAttachment(name: "one", contentType: "text/plain", data: Data("1".utf8))
                ]
                other.attachments = [
                    DocumentAttachment(
                        name: "other", contentType: "text/plain", data: Data("2".utf8))
                ]
                try transaction.store(one, revisions: ["1-a"], from: "r")
                try transaction.store(other, revisions: ["1-b"], from: "r")
            }
            #expect(try await store.database.resolveConflicts(of: "anna", with: .entities))
            let merged = try store.database.read { try $0.document("anna") }
            #expect(merged?.attachments.map(\.name).sorted() == ["one", "other"])
            #expect(try await store.read("anna")["phone"] == "1")
        }
    }
}
