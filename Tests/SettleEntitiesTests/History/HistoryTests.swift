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
}
