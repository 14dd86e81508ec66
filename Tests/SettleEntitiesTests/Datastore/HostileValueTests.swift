import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

/// Lists in lists.
private enum Nested {
    static func lists(_ depth: Int) -> Primitive {
        (0..<depth).reduce(1) { value, _ in .list([value]) }
    }
}

/// What an app, or a server, may hand over that nobody thought of.
@Suite struct `Values that nobody thought of` {
    @Test func `may lead back to where they came from`() async throws {
        try await Store.with { store in
            let anna = Entity.named("Anna", createAs: "person")
            let bob = Entity.named("Bob", createAs: "person", with: ["boss": anna])
            anna.addUpdates(["friend": bob, "self": anna])
            bob.addUpdates([
                "friend": anna,
                "both": [.entity("x"), .list([.entity("y")])] as [Primitive],
            ])
            let written = try await store.datastore.update(properties: [anna, bob])
            let ids = written.compactMap(\.identifier)
            #expect(Set(ids).count == 2)
            #expect(written[0]["friend"]?.entity == ids[1])
            #expect(written[0]["self"]?.entity == ids[0])
            #expect(written[1]["friend"]?.entity == ids[0])
            #expect(try await store.datastore.count(entitiesOfTypes: ["person"]) == [2])
            #expect(try await store.datastore.relationships(to: written[0]).count == 3)
            // In a list and in a list of a list.
            for id in ["x", "y"] {
                let found = try await store.datastore.relationships(to: Entity.identifiedBy(id))
                #expect(found.map(\.source.identifier) == [ids[1]])
            }
            // Prototypes in a circle end.
            for (one, other) in [(0, 1), (1, 0)] {
                let reference = Entity.identifiedBy(ids[one])
                reference.addUpdates(["prototype": Entity.identifiedBy(ids[other])])
                try await store.datastore.update(properties: [reference])
            }
            let inherited = try await store.datastore.get(
                allPropertiesOf: [written[0]], inheriting: true)[0]
            #expect(inherited["boss"]?.entity == ids[0])
        }
    }

    // Foundation traps where it describes a date that is no number, so these are no arguments, which are described.
    private static let unstorable: [Primitive] = [
        .double(.nan), .double(.infinity), .list([1, .double(.nan)]),
        .dictionary(["k": .list([.double(-.infinity)])]), .date(Date(timeIntervalSince1970: .nan)),
        .date(Date(timeIntervalSince1970: 1e18)),
        .list([.date(.distantFuture.addingTimeInterval(1e15))]),
        Nested.lists(101), Nested.lists(20_000),
    ]

    @Test func `that cannot be stored are refused by key, and nothing is stored`() async throws {
        try await Store.with { store in
            for (place, value) in Self.unstorable.enumerated() {
                let reference = Entity.identifiedBy("e", createAs: "p", with: ["good": 1])
                reference.addUpdates(["k": value])
                let error = try await #require(throws: DatastoreError.self, "value \(place)") {
                    try await store.datastore.add(properties: [reference])
                }
                #expect(error.code == .invalidValue, "value \(place)")
                #expect(error.entity == "e")
                #expect(error.key == "k")
                #expect(try store.database.totalDocumentCount == 0)
                // What cannot be stored is not there.
                let found = try await store.datastore.get(
                    entity: Entity.whereKey("k", equals: value))
                #expect(!found.isResolved)
            }
        }
    }

    @Test func `are as deep as an interchange can say`() async throws {
        try await Store.with { store in
            let lists = Nested.lists(100)
            let dictionaries = (0..<100).reduce(1 as Primitive) { value, _ in
                .dictionary(["d": value])
            }
            try await store.update("e", ["lists": lists, "dictionaries": dictionaries])
            store.time.advance()
            try await store.update("e", ["lists": 1, "dictionaries": 1])
            let text = try await store.datastore.encodeJSON()
            try await Store.with { other in
                try await other.datastore.decode(json: text)
                #expect(try await other.values(of: "lists", in: "e") == [lists, 1])
                #expect(try await other.values(of: "dictionaries", in: "e") == [dictionaries, 1])
            }
        }
    }

    @Test func `and identifiers may be longer than any that there is`() async throws {
        try await Store.with { store in
            let long = String(repeating: "é", count: 150)
            let datastore = store.datastore
            #expect(try await !datastore.get(entity: Entity.identifiedBy(long)).isResolved)
            #expect(
                try await !datastore.get(entity: Entity.with(identifier: long, orName: "x"))
                    .isResolved)
            #expect(try await datastore.history(of: Entity.identifiedBy(long)).isEmpty)
            try await datastore.delete(entities: [Entity.identifiedBy(long)])
            // As a value it refers to what is not there.
            try await store.update(
                "e",
                [
                    "one": Entity.identifiedBy(long), "none": .entity("") as Primitive,
                    "list": [.entity(long), .entity(String(repeating: "x", count: 10_000))],
                ])
            #expect(
                try await datastore.relationships(to: Entity.identifiedBy(long)).map(\.key) == [
                    "list", "one",
                ])
            #expect(
                try await datastore.relationships(
                    to: Entity.identifiedBy(String(repeating: "x", count: 10_000))
                ).count == 1)
            let text = try await datastore.encodeJSON()
            #expect(try await datastore.decode(json: text).entityCount == 1)
            #expect(try await datastore.encodeJSON() == text)
        }
    }

    @Test func `and types, names and keys may be long and strange`() async throws {
        try await Store.with { store in
            let datastore = store.datastore
            let long = String(repeating: "t", count: 100_000)
            let strange = "\u{0}\u{1}\u{FFFF}\u{10FFFF}\"\\\n"
            for (id, text) in [("l", long), ("s", strange)] {
                let reference = Entity.identifiedBy(
                    id, createAs: EntityType(text), with: ["name": text])
                #expect(try await datastore.get(entity: reference).type?.rawValue == text)
                #expect(try await datastore.get(entity: Entity.named(text)).identifier == id)
                #expect(try await datastore.count(entitiesOfTypes: [EntityType(text)]) == [1])
                #expect(
                    try await datastore.get(allEntitiesOfType: EntityType(text)).map(\.identifier)
                        == [id])
            }
            try await store.update("s", [PropertyKey(strange): 1, "a.b/c[0]": 2, " ": 3])
            #expect(try await store.read("s")[PropertyKey(strange)] == 1)
            #expect(try await store.read("s")["a.b/c[0]"] == 2)
            #expect(try await store.read("s")[" "] == 3)
            let text = try await datastore.encodeJSON()
            try await Store.with { other in
                try await other.datastore.decode(json: text)
                #expect(try await other.datastore.encodeJSON() == text)
            }
        }
    }

    @Test(arguments: [
        Primitive.date(Date(timeIntervalSince1970: 86_400)), .data(Data([1])), .entity("x"),
        .double(2), .list([1]), .dictionary(["a": 1]), .boolean(false), 1, 1.5, "x",
    ]) func `of a deleted entity that is created again are those that it is created with`(
        value: Primitive
    ) async throws {
        try await Store.with { store in
            let typed = PropertyValue("y" as Primitive, type: "a label")
            let created = Entity.identifiedBy(
                "e", createAs: "p", with: ["k": value, "t": typed, "old": value])
            _ = try await store.datastore.get(entity: created)
            for moves in [true, false] {
                if moves { store.time.advance() }
                try await store.datastore.delete(entities: [Entity.identifiedBy("e")])
                let again = Entity.identifiedBy("e", createAs: "p", with: ["k": value, "t": typed])
                _ = try await store.datastore.get(entity: again)
                let read = try await store.read("e")
                #expect(read.keys == ["k", "t"])
                #expect(read["k"] == value)
                #expect(read["t", as: "a label"] == "y")
            }
            #expect(try await store.values(of: "k", in: "e") == [value, nil, value, nil, value])
        }
    }

    @Test(arguments: [
        "\"datestamp\":\"2026-01-01T00:00:00.000Z\",\"counter\":9223372036854775807",
        "\"datestamp\":\"2026-01-01T00:00:00.000Z\",\"counter\":-1",
        "\"datestamp\":\"2026-01-01T00:00:00.000Z\",\"counter\":\"many\"",
        "\"datestamp\":\"9999-12-31T23:59:59-10:00\"", "\"datestamp\":7",
    ])
    func `in stamps from elsewhere are refused when the entity is written, and stop nothing else`(
        stamp: String
    ) async throws {
        try await Store.with { store in
            for (layout, properties) in [
                (1, "{\"k\":{\"value\":1,\(stamp)}}"),
                (2, "{\"k\":1},\"entries\":{\"k\":{\(stamp)}}"),
            ] {
                let text = """
                    {"entityFormat":\(layout),"type":"p","datestamp":"2026-01-01T00:00:00Z","properties":\(properties)}
                    """
                var document = try Document(json: text)
                document.id = "e\(layout)"
                try await store.database.save(document)
                let error = try await #require(throws: DatastoreError.self) {
                    try await store.update(document.id, ["k": 2])
                }
                #expect(error.code == .unreadable)
                #expect(error.entity == document.id)
                #expect(error.key == "k")
            }
            try await store.update("other", ["k": 1])
            #expect(try await store.datastore.count(entitiesOfTypes: ["entity"]) == [3])
        }
    }

    @Test func `said to be older than they are do not lose against what is written later`()
        async throws
    {
        try await Store.with { store in
            // Something else has set a value, and not the date of the last change.
            let text = """
                {"entityFormat":2,"type":"p","datestamp":"2026-01-01T00:00:00.000Z","device":"x",
                 "properties":{"k":1,"l":1},"entries":{"k":{"datestamp":"2026-06-01T00:00:00.000Z"}}}
                """
            var document = try Document(json: text)
            document.id = "e"
            try await store.database.save(document)
            store.time.advance()
            try await store.update("e", ["k": 2, "l": 2])
            #expect(try await store.values(of: "k", in: "e") == [1, 2])
            #expect(try await store.values(of: "l", in: "e") == [1, 2])
            #expect(try await store.read("e")["k"] == 2)
        }
    }

    @Test func `beside those that are known stay in the documents that replications bring`()
        async throws
    {
        try await Store.with { store in
            let text = """
                {"entityFormat":2,"type":"p","datestamp":"2026-01-01T00:00:00.000Z","later":{"x":1},
                 "properties":{"k":1,"l":2},"entries":{"l":{"note":"unknown","type":"t"}}}
                """
            var document = try Document(json: text)
            document.id = "e"
            try await store.database.save(document)
            store.time.advance()
            try await store.update("e", ["k": 2])
            let stored = try #require(try await store.database.fetchDocument("e")?.json)
            #expect(stored["later"] == ["x": 1])
            #expect(stored["entries"]?["l"]?["note"] == "unknown")
            #expect(try await store.read("e")["l", as: "t"] == 2)
            // A removal finds the documents of entries by what they say, whatever else they have.
            let all = try await store.datastore.history(of: "k", in: Entity.identifiedBy("e"))
            #expect(all.count == 2)
            try await store.database.write { transaction in
                var id: String?
                try transaction.forEachDocument { document in
                    if document.id.hasPrefix("~") { id = document.id }
                    return true
                }
                guard var entry = try id.flatMap({ try transaction.document($0) }) else { return }
                entry[json: "entry"] = .object(
                    (entry[json: "entry"]?.objectValue ?? [:]).merging(["note": "x"]) { $1 })
                try transaction.save(entry)
            }
            try await store.datastore.remove(properties: ["k"], of: [Entity.identifiedBy("e")])
            #expect(try store.database.totalDocumentCount == 1)
        }
    }
}
