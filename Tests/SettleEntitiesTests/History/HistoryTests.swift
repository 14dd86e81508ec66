import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `The history` {
    @Test func `has an entity as of any date`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            let start = store.time.date
            for value in 0..<5 {
                try await store.update("e", ["k": value, "fixed": true])
                if value == 2 { try await store.update("e", ["late": "x"]) }
                store.time.advance(10)
            }
            func asOf(_ seconds: Double) async throws -> EntityReference {
                try await datastore.get(
                    allPropertiesOf: [Entity.identifiedBy("e")],
                    asOf: start.addingTimeInterval(seconds))[0]
            }
            #expect(try await !asOf(-1).isResolved)
            for value in 0..<5 {
                let past = try await asOf(Double(value) * 10 + 5)
                #expect(past["k"] == .integer(value))
                #expect(past["fixed"] == true)
                #expect(past["late"] == (value < 2 ? nil : "x"))
                #expect(past.datestamp == start)
            }
            let some = try await datastore.get(
                properties: ["k"], of: [Entity.identifiedBy("e"), Entity.identifiedBy("no")],
                asOf: start.addingTimeInterval(10))
            #expect(some[0].keys == ["k"])
            #expect(some[0]["k"] == 1)
            #expect(!some[1].isResolved)
        }
    }

    @Test func `tells what changed between two dates, of some entities or of all`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            let start = store.time.date
            for (index, id) in ["b", "a", "b", "c"].enumerated() {
                try await store.update(id, ["k": index])
                store.time.advance(10)
            }
            let all = try await datastore.changes(
                after: start.addingTimeInterval(5), through: start.addingTimeInterval(20))
            #expect(all.map(\.entity) == ["a", "a", "b"])
            #expect(all.compactMap { $0.value?.value } == [1, 2])
            let first = try await datastore.changes(
                of: [Entity.identifiedBy("b")], after: .distantPast, through: .distantFuture)
            #expect(first.map(\.key.name) == ["type", "k", "k"])
            #expect(first.map(\.isCurrent) == [true, false, true])
            #expect(
                try await datastore.changes(
                    after: start.addingTimeInterval(20), through: start.addingTimeInterval(20)
                ).isEmpty)
            #expect(
                try await datastore.changes(
                    after: start.addingTimeInterval(20), through: start.addingTimeInterval(5)
                ).isEmpty)
        }
    }

    @Test func `puts an old value back as a new entry, with its type`() async throws {
        try await Store.with { store in
            try await store.update("e", ["k": PropertyValue("old", as: "label")])
            store.time.advance()
            try await store.update("e", ["k": "new"])
            store.time.advance()
            let entries = try await store.datastore.history(of: "k", in: Entity.identifiedBy("e"))
            try await store.datastore.putBack([entries[0]])
            let now = try await store.read("e")
            #expect(now["k", as: "label"] == "old")
            #expect(now[datestampWithKey: "k"] == store.time.date)
            #expect(try await store.values(of: "k", in: "e") == ["old", "new", "old"])
        }
    }

    @Test func `of an entity that is not here cannot be put back`() async throws {
        let elsewhere = try await Store()
        try await elsewhere.update("e", ["k": 1])
        let entries = try await elsewhere.datastore.history(of: Entity.identifiedBy("e"))
        try await Store.with { store in
            let error = try await #require(throws: DatastoreError.self) {
                try await store.datastore.putBack(entries)
            }
            #expect(error.code == .unresolved)
        }
        await elsewhere.database.close()
    }

    @Test func `is pruned by age and by count, and never of what is current`() async throws {
        try await Store.with { store in
            let start = store.time.date
            for value in 0..<6 {
                try await store.update("e", ["k": value, "l": value])
                store.time.advance(10)
            }
            let datastore = store.datastore
            #expect(try await datastore.prune(olderThan: start.addingTimeInterval(10)) == 2)
            #expect(try await store.values(of: "k", in: "e") == [1, 2, 3, 4, 5])
            #expect(try await datastore.prune(keeping: 2) == 4)
            #expect(try await store.values(of: "k", in: "e") == [3, 4, 5])
            // Both: older than the date, and not among the latest.
            #expect(
                try await datastore.prune(olderThan: start.addingTimeInterval(35), keeping: 1) == 2)
            #expect(try await datastore.prune(keeping: 0) == 2)
            #expect(try await store.values(of: "l", in: "e") == [5])
            #expect(try store.database.totalDocumentCount == 1)
            #expect(try await datastore.prune(olderThan: .distantFuture) == 0)
        }
    }

    @Test func `says of some keys that an entity was there, and when it had changed, as of all`()
        async throws
    {
        try await Store.with { store in
            let anna = Entity.identifiedBy("anna")
            try await store.update("anna", ["name": "Anna", "phone": "1"])
            store.time.advance()
            try await store.datastore.delete(entities: [anna])
            store.time.advance()
            let phones = try await store.datastore.history(of: "phone", in: anna)
            try await store.datastore.putBack(phones)
            let then = store.time.date
            store.time.advance()
            try await store.update("anna", ["name": "Ann"])
            let all = try await store.datastore.get(allPropertiesOf: [anna], asOf: then)[0]
            let some = try await store.datastore.get(
                properties: ["name"], of: [anna], asOf: then)[0]
            #expect(all.isResolved)
            #expect(some.isResolved)
            #expect(some.keys == ["name"])
            #expect(some["name"] == "Anna")
            #expect(some.modified == all.modified)
            #expect(some.modified == then)
        }
    }

    @Test(
        arguments: [
            ["key": "type", "value": 5], ["key": "type", "state": "absent"],
            ["key": "", "value": "x"], ["key": "phone", "state": "deleted"],
            ["key": "identifier", "value": "x"],
        ] as [[String: JSONValue]])
    func `refuses an entry that no datastore has written`(_ made: [String: JSONValue]) async throws
    {
        try await Store.with { store in
            try await store.update("anna", ["phone": "1"])
            let first = store.time.date
            store.time.advance()
            try await store.update("anna", ["phone": "2"])
            try await store.datastore.delete(entities: [Entity.identifiedBy("anna")])
            store.time.advance()
            try await store.update("anna", ["phone": "3"])
            // As a replication may bring it: in the place of a true one.
            let ids = try store.database.contents().keys.filter { $0.hasPrefix("~") }
            let id = try #require(ids.first)
            try await store.database.write { transaction in
                var document = try #require(try transaction.document(id))
                var entry = made
                entry["key"] = nil
                entry["datestamp"] = .string("2026-01-01T00:00:00Z")
                document[json: "entity"] = "anna"
                document[json: "key"] = made["key"]
                document[json: "entry"] = .object(entry)
                try transaction.save(document)
            }
            let error = await #expect(throws: DatastoreError.self) {
                try await store.datastore.history(of: Entity.identifiedBy("anna"))
            }
            #expect(error?.code == .unreadable)
            // It may lie where no reading as of a date comes by; none ends the process.
            _ = try? await store.datastore.get(
                allPropertiesOf: [Entity.identifiedBy("anna")], asOf: first)
        }
    }
}
