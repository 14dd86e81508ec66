import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleEntities

@Suite struct `The stored form of an entity` {
    static let values: [Primitive] = [
        .integer(0), .integer(.min), .double(1), .double(-2.5), .double(1e300), .boolean(true),
        .string(""), .string("é"), .date(Date(timeIntervalSince1970: 1_700_000_000.123456)),
        .data(Data([0, 255])), .entity("other"), .list([]), .dictionary([:]),
        .list([1, 2.5, 3.0, "x", .date(Date(timeIntervalSince1970: 0)), .entity("e"), [true]]),
        .dictionary(["a": .data(Data([7])), "b": ["c": 1.0], "date": "no date"]),
    ]

    @Test(arguments: values) func `has every value with its kind`(value: Primitive) throws {
        let content = EntryContent.value(try value.storable(), type: nil)
        #expect(try EntryForm.content(EntryForm.members(of: content)) == content)
        #expect(try PrimitiveForm.untagged(PrimitiveForm.tagged(value)) == value)
    }

    @Test(arguments: values)
    func `keeps the kind when whole numbers lose their fraction on the way`(
        value: Primitive
    ) throws {
        func passed(_ json: JSONValue) -> JSONValue {
            switch json {
            case .double(let number):
                Int64(exactly: number).map { .integer($0) } ?? json
            case .array(let elements): .array(elements.map(passed))
            case .object(let members): .object(members.mapValues(passed))
            default: json
            }
        }
        let content = EntryContent.value(value, type: "label")
        let members = EntryForm.members(of: content).mapValues(passed)
        #expect(try EntryForm.content(members) == content)
    }

    @Test func `is read back as it was written`() throws {
        var generator = SeededGenerator()
        for _ in 0..<500 {
            var state = EntityState(
                id: "e", type: "person", stamp: Stamp(moment: 1_000_000, device: "a"))
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                let content: EntryContent =
                    [
                        .absent, .removed,
                        .value(Self.values.randomElement(using: &generator) ?? 1, type: "t"),
                    ].randomElement(using: &generator) ?? .absent
                let key = ["k", "l", "m"].randomElement(using: &generator) ?? ""
                _ = state.take(
                    Entry(
                        content: content,
                        stamp: Stamp(
                            moment: .random(in: 999_999...1_000_002, using: &generator),
                            counter: .random(in: 0...1, using: &generator),
                            device: ["a", "b", ""].randomElement(using: &generator) ?? "")),
                    for: key)
            }
            if Bool.random(using: &generator) {
                _ = state.take(
                    Entry(content: .deleted, stamp: Stamp(moment: 1_000_001, device: "a")),
                    for: Register.deletion)
            }
            var document = Document(id: "e")
            document["channels"] = ["x"]
            state.write(into: &document)
            let text = try document.toJSON()
            let read = try Document(json: text)
            #expect(try EntityState(read) == state, "\(generator)")
            #expect(read.metaData.channels == ["x"])
            #expect((read.bool("isDeleted") ?? false) == state.isDeleted)
        }
    }

    @Test func `says a stamp only where it is another than that of the entity`() throws {
        let stamp = Stamp(moment: 1_000_000, device: "a")
        var state = EntityState(id: "e", type: "person", stamp: stamp)
        _ = state.take(Entry(content: .value("Anna", type: nil), stamp: stamp), for: "name")
        var document = Document(id: "e")
        state.write(into: &document)
        #expect(
            document.json == [
                "entityFormat": 2, "type": "person", "datestamp": "1970-01-01T00:00:01.000Z",
                "device": "a", "properties": ["name": "Anna"],
            ])
    }

    @Test(arguments: [
        ("{\"entityFormat\":2,\"type\":\"p\",\"properties\":{}}", "datestamp"),
        (
            "{\"entityFormat\":2,\"type\":\"p\",\"datestamp\":\"2020-01-01T00:00:00Z\",\"properties\":{\"k\":3},\"entries\":{\"k\":3}}",
            "k"
        ),
        (
            "{\"entityFormat\":2,\"type\":\"p\",\"datestamp\":\"2020-01-01T00:00:00Z\",\"properties\":{\"k\":1},\"entries\":{\"k\":{\"kind\":\"date\"}}}",
            "k"
        ),
        ("{\"entityFormat\":2,\"datestamp\":\"2020-01-01T00:00:00Z\"}", "type"),
    ]) func `that something else has changed is refused by key`(text: String, key: String) throws {
        var document = try Document(json: text)
        document.id = "e"
        let error = try #require(throws: DatastoreError.self) { try EntityState(document) }
        #expect(error.code == .unreadable)
        #expect(error.entity == "e")
        #expect(error.message.contains("'\(key)'"))
    }

    @Test func `of a newer release is refused, and a document of something else is none`() throws {
        let newer = try Document(json: "{\"entityFormat\":3,\"type\":\"p\"}")
        #expect(
            try #require(throws: DatastoreError.self) { try EntityState(newer) }.code
                == .newerFormat)
        #expect(try EntityState(["type": "p", "properties": [:] as [String: Any]]) == nil)
    }
}

@Suite struct `The identifiers of superseded entries` {
    private func entry(_ moment: Int64, _ value: Int = 1) -> Entry {
        Entry(
            content: .value(.integer(value), type: nil), stamp: Stamp(moment: moment, device: "a"))
    }

    @Test func `are in the order of entity and key, the latest first`() {
        let moments: [Int64] = [Moment.latest, 1_000_000, 5, 0, -7, Moment.earliest]
        let texts = moments.map {
            EntryIdentifier.text(entity: "e", key: "k", entry: entry($0))
        }
        #expect(texts == texts.sorted())
        for (moment, text) in zip(moments, texts) {
            #expect(text.utf8.count == 57)
            #expect(text.hasPrefix(EntryIdentifier.beginning(entity: "e", key: "k")))
            #expect(text > EntryIdentifier.place(entity: "e", key: "k", upTo: moment))
        }
        #expect(EntryIdentifier.place(entity: "e", key: "k", upTo: 4) > texts[2])
    }

    @Test func `differ in whatever differs, and in nothing else`() {
        var texts: Set<String> = []
        for entity in ["e", "f"] {
            for key in ["k", "l"] {
                for moment in [1, 2] as [Int64] {
                    for value in 1...2 {
                        for device in ["a", "b"] {
                            let entry = Entry(
                                content: .value(.integer(value), type: nil),
                                stamp: Stamp(moment: moment, device: device))
                            let record = EntryRecord(entity: entity, key: key, entry: entry)
                            texts.insert(record.id)
                            #expect(
                                record.id == EntryRecord(entity: entity, key: key, entry: entry).id)
                        }
                    }
                }
            }
        }
        #expect(texts.count == 32)
    }

    @Test func `are those that the format page shows`() {
        let record = EntryRecord(
            entity: "anna", key: "phone",
            entry: Entry(
                content: .value("555-0100", type: nil),
                stamp: Stamp(moment: 1_767_225_600_000_000, device: "phone-1")))
        #expect(record.id == "~iqucl0tlbaib67u9oq6vfsoi3567vv04pdq5b16knfj6t2rbs389v5i2")
    }
}
