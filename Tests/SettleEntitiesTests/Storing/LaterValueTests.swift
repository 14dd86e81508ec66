import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

/// Values that are later than all that an entity has, which are written without reading the others.
@Suite struct `A later value` {
    @Test func `is written as any other, whatever the clock says`() async throws {
        try await Store.with { moving in
            try await Store.with { standing in
                for store in [moving, standing] {
                    try await store.update("e", ["k": 1, "l": "x", "m": Date()])
                }
                for value in 2...4 {
                    moving.time.advance()
                    for store in [moving, standing] {
                        try await store.update("e", ["k": .integer(value) as Primitive, "l": "x"])
                    }
                }
                for store in [moving, standing] {
                    #expect(try await store.values(of: "k", in: "e") == [1, 2, 3, 4])
                    #expect(try await store.values(of: "l", in: "e") == ["x"])
                    #expect(try await store.read("e")["k"] == 4)
                    #expect(try await store.read("e").count == 3)
                }
                #expect(try await moving.read("e").modified == moving.time.date)
            }
        }
    }

    @Test func `is returned with its date, and what did not differ with the date that it has`()
        async throws
    {
        try await Store.with { store in
            try await store.update("e", ["k": 1, "l": "x"])
            let before = store.time.date
            store.time.advance()
            let reference = Entity.identifiedBy("e")
            reference.addUpdates(["k": 2, "l": "x"])
            let written = try await store.datastore.update(properties: [reference])[0]
            #expect(written.type == "person")
            #expect(written.datestamp == before)
            #expect(written.modified == store.time.date)
            #expect(written["k"] == 2)
            #expect(written[datestampWithKey: "k"] == store.time.date)
            #expect(written["l"] == "x")
            #expect(written[datestampWithKey: "l"] == before)
        }
    }

    @Test func `twice in one call for an entity is two entries`() async throws {
        try await Store.with { store in
            try await store.update("e", ["k": 1])
            store.time.advance()
            let references = (2...3).map { value in
                let reference = Entity.identifiedBy("e")
                reference.addUpdates(["k": .integer(value) as Primitive])
                return reference
            }
            try await store.datastore.update(properties: references)
            #expect(try await store.values(of: "k", in: "e") == [1, 2, 3])
        }
    }

    @Test func `goes past a property that something else has spoilt, and not over it`() async throws
    {
        try await Store.with { store in
            try await store.update("e", ["k": 1, "l": "x"])
            try await store.database.write { transaction in
                guard var document = try transaction.document("e") else { return }
                document["entries"] = ["l": ["kind": "nothing that there is"]]
                try transaction.save(document)
            }
            store.time.advance()
            try await store.update("e", ["k": 2])
            #expect(try await store.read("e")["k"] == 2)
            let error = try await #require(throws: DatastoreError.self) {
                try await store.update("e", ["l": "y"])
            }
            #expect(error.code == .unreadable)
            #expect(error.key == "l")
        }
    }
}
