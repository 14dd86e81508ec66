import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `Writing an interchange` {
    /// Fills a store with everything that there can be.
    private func fill(
        _ store: Store, _ generator: inout SeededGenerator
    ) async throws {
        for _ in 0..<40 {
            store.time.advance([0, 1.5].randomElement(using: &generator) ?? 0)
            let id =
                ["a", "b", "é", "C41DB873-323D-4026-95D1-603120B9ADF6"]
                .randomElement(using: &generator) ?? ""
            let key = PropertyKey(["k", "l"].randomElement(using: &generator) ?? "")
            let reference = Entity.identifiedBy(
                id, createAs: ["p", "q"].randomElement(using: &generator) ?? "")
            switch Int.random(in: 0...9, using: &generator) {
            case 0: try await store.datastore.delete(entities: [reference])
            case 1: try await store.datastore.remove(properties: [key], of: [reference])
            default:
                let value = Self.values.randomElement(using: &generator) ?? 0
                reference.addUpdates([
                    key: PropertyValue(value, type: Bool.random(using: &generator) ? "label" : nil)
                ])
                try await store.datastore.add(properties: [reference])
            }
        }
    }

    private static let values: [Primitive] = [
        1, 1.5, 2.0, true, "x", .date(Date(timeIntervalSince1970: 1.5)), .data(Data([1])),
        .entity("b"), .entity("C41DB873-323D-4026-95D1-603120B9ADF6"),
        .list([1, .date(Date(timeIntervalSince1970: 0)), ["x": 2.0]]),
        .dictionary(["date": .data(Data()), "l": [.entity("a")]]), [], [:],
    ]

    @Test(arguments: 0..<6) func `loses nothing, and equal stores have equal texts`(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        let (one, other) = (try await Store("one"), try await Store("other"))
        try await fill(one, &generator)
        let text = try await one.datastore.encodeJSON()
        try await other.datastore.decode(json: text)
        #expect(try await other.datastore.encodeJSON() == text, "\(generator)")
        for entity in ["a", "b", "é", "C41DB873-323D-4026-95D1-603120B9ADF6"] {
            let reference = Entity.identifiedBy(entity)
            #expect(
                try await other.datastore.history(of: reference)
                    == one.datastore.history(of: reference), "\(generator)")
        }
        // Again changes nothing.
        let sequence = try other.database.lastSequence
        try await other.datastore.decode(json: text)
        #expect(try other.database.lastSequence == sequence, "\(generator)")

        let file = other.scratch.file("out.json")
        for _ in 0..<2 { try await other.datastore.encodeJSON(to: file) }
        #expect(try Data(contentsOf: file) == text)
        let third = try await Store("third")
        try await third.datastore.decode(
            interchange: try await one.datastore.encodeInterchange())
        #expect(try await third.datastore.encodeJSON() == text, "\(generator)")
        try await third.datastore.decode(
            interchange: try await one.datastore.encodeInterchange(
                encoder: JSONInterchangeEncoder()),
            decoder: JSONInterchangeDecoder())
        #expect(try await third.datastore.encodeJSON() == text, "\(generator)")
        for store in [one, other, third] { await store.database.close() }
    }

    @Test(arguments: 0..<6) func `of two stores can be read in either order`(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        var texts: [Data] = []
        for (device, later) in [("one", 0.0), ("two", 3.0)] {
            let store = try await Store(device, time: TestTime(later: later))
            try await fill(store, &generator)
            texts.append(try await store.datastore.encodeJSON())
            await store.database.close()
        }
        var results: [Data] = []
        for order in [texts, texts.reversed(), texts + texts.reversed()] {
            try await Store.with { store in
                for text in order { try await store.datastore.decode(json: text) }
                results.append(try await store.datastore.encodeJSON())
            }
        }
        #expect(results[0] == results[1], "\(generator)")
        #expect(results[0] == results[2], "\(generator)")
    }

    @Test func `is compact where nothing has to be said`() async throws {
        try await Store.with("") { store in
            try await store.update("e", ["name": "Anna", "age": 41])
            store.time.advance()
            try await store.update("e", ["age": 42])
            let text = try await store.datastore.encodeJSON()
            #expect(
                String(decoding: text, as: UTF8.self) == """
                    {"entities":[
                    {"age":{"entries":[41,{"datestamp":"2026-01-01T00:00:01.000Z","integer":42}]},\
                    "datestamp":{"date":"2026-01-01T00:00:00.000Z"},"identifier":"e","name":"Anna","type":"person"}
                    ]}

                    """)
        }
    }

    @Test func `of no entities is an interchange, too`() async throws {
        try await Store.with { store in
            let text = try await store.datastore.encodeJSON()
            #expect(try await store.datastore.decode(json: text).entityCount == 0)
        }
    }

    @Test func `has an entity whose history is longer than any document may be`() async throws {
        try await Store.with { store in
            for number in 0..<24 {
                store.time.advance()
                let data = Data(repeating: UInt8(number), count: 1 << 20)
                try await store.update("anna", ["photo": .data(data) as Primitive])
            }
            let json = try await store.datastore.encodeJSON()
            #expect(json.count > 20 << 20)
            let again = try await Store("again")
            #expect(try await again.datastore.decode(json: json).entityCount == 1)
            #expect(try await again.values(of: "photo", in: "anna").count == 24)
            #expect(try await again.datastore.encodeJSON() == json)
            await again.database.close()
        }
    }
}
