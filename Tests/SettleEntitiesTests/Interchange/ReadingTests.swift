import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

@Suite struct `Reading an interchange` {
    private static let sample = """
        {"entities": [
          {"identifier": "C41DB873-323D-4026-95D1-603120B9ADF6", "type": "test", "name": "Person 1",
           "datestamp": {"date": "1969-11-12T01:23:45Z"}, "modified": {"date": "1963-09-21T01:23:45Z"},
           "address": {"string": "123 New St", "type": "address", "datestamp": "1970-01-12T01:23:45Z"},
           "data": {"data": "ZW5jb2RlZCBzdHJpbmc="}, "age": 21, "height": 1.75, "whole": {"double": 2},
           "number": {"integer": 123}, "left": true, "tags": ["a", 1, {"date": "1969-11-12T01:23:45Z"}],
           "more": {"dictionary": {"date": "none", "owner": {"entity": "x"}}},
           "owner": {"entity": "C41DB873-323D-4026-95D1-603120B9ADF6", "type": "owner"}}
        ]}
        """

    private func date(_ text: String) throws -> Date {
        try #require(JSONInterchangeDecoder().decodePrimitive(date: .string(text)))
    }

    @Test func `takes compact, tagged and normalized values`() async throws {
        try await Store.with { store in
            let summary = try await store.datastore.decode(json: Data(Self.sample.utf8))
            #expect(summary.entityCount == 1)
            #expect(summary.skipped.isEmpty)
            let read = try await store.read("C41DB873-323D-4026-95D1-603120B9ADF6")
            let added = try date("1969-11-12T01:23:45Z")
            #expect(read.type == "test")
            #expect(read.datestamp == added)
            #expect(read["name"] == "Person 1")
            #expect(read[datestampWithKey: "name"] == added)
            #expect(read["modified"]?.date == (try date("1963-09-21T01:23:45Z")))
            #expect(read["address", as: "address"] == "123 New St")
            #expect(read[datestampWithKey: "address"] == (try date("1970-01-12T01:23:45Z")))
            #expect(read["data"]?.data == Data("encoded string".utf8))
            #expect(read["age"] == 21)
            #expect(read["height"] == 1.75)
            #expect(read["whole"] == .double(2))
            #expect(read["number"] == 123)
            #expect(read["left"] == true)
            #expect(read["tags"] == .list(["a", 1, .date(added)]))
            #expect(read["more"] == .dictionary(["date": "none", "owner": .entity("x")]))
            #expect(read["owner", as: "owner"] == .entity("C41DB873-323D-4026-95D1-603120B9ADF6"))
            #expect(read.count == 12)
        }
    }

    @Test func `twice changes nothing, and passes over what has no identifier or no type`()
        async throws
    {
        try await Store.with { store in
            let text = """
                {"note": {"a": [1, "entities"]}, "entities": [
                {"type": "p", "name": "no identifier"}, {"identifier": "no type", "name": "x"},
                {"identifier": "undated", "type": "p", "k": 1}, {"identifier": "é", "type": "p", "k": "}]"}
                ], "more": []}
                """
            let file = try store.scratch.write(text, to: "file.json")
            for _ in 0..<2 {
                let summary = try await store.datastore.decode(jsonAt: file)
                #expect(summary.entityCount == 2)
                #expect(summary.skipped.map(\.number) == [1, 2])
                #expect(summary.skipped.map(\.identifier) == [nil, "no type"])
                #expect(
                    summary.skipped.map(\.reason) == ["it has no identifier", "it has no type"])
                #expect(try store.database.lastSequence == 2)
            }
            // The date of the file is that of what has none.
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            let changed = try #require(attributes[.modificationDate] as? Date)
            let read = try await store.read("undated")
            #expect(abs(try #require(read.datestamp).timeIntervalSince(changed)) < 0.001)
            #expect(try await store.read("é")["k"] == "}]")
        }
    }

    @Test(arguments: [
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": {\"strin\": \"x\"}}]}",
            "k"
        ),
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": {\"date\": \"x\"}}]}",
            "k"
        ),
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": {\"integer\": 1.5}}]}",
            "k"
        ),
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": {\"data\": \"%\"}}]}",
            "k"
        ),
        ("{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": null}]}", "k"),
        ("{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": [{\"x\": 1}]}]}", "k"),
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": {\"state\": \"gone\"}}]}",
            "k"
        ),
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": {\"state\": \"deleted\"}}]}",
            "k"
        ),
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": {\"entries\": []}}]}",
            "k"
        ),
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": {\"string\": \"x\", \"type\": 3}}]}",
            "k"
        ),
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"k\": {\"string\": \"x\", \"datestamp\": \"now\"}}]}",
            "k"
        ),
        (
            "{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"datestamp\": {\"date\": \"now\"}}]}",
            "datestamp"
        ),
        ("{\"entities\": [{\"identifier\": \"e\", \"type\": 7}]}", "type"),
        ("{\"entities\": [{\"identifier\": \"e\", \"type\": \"entity-entry\"}]}", "type"),
        ("{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"\": 1}]}", ""),
        ("{\"entities\": [{\"identifier\": 3, \"type\": \"p\"}]}", "identifier"),
    ]) func `that has a wrong value says which, and stores nothing`(text: String, key: String)
        async throws
    {
        try await Store.with { store in
            let good = text.replacing(
                "[{\"identifier\"", with: "[{\"identifier\":\"a\",\"type\":\"p\"},{\"identifier\"")
            let error = try await #require(throws: DatastoreError.self) {
                try await store.datastore.decode(json: Data(good.utf8))
            }
            #expect(error.code == .invalidInterchange)
            #expect(error.key == key)
            #expect(try store.database.totalDocumentCount == 0)
        }
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"entities\": 3}", "{\"entities\": [", "{\"entities\": []",
        "{\"entities\": []}}",
        "{\"entities\": [1]}", "{\"entities\": [{},]}", "{\"entities\": [,{}]}",
        "{\"entities\": [{} {}]}",
        "{\"entities\": [{\"a\": }]}", "{\"entities\": [\"x\"]}", "{\"entities\": [}",
        "{\"entities\": []} x",
        "{\"entities\": [], \"entities\": []}", "{\"entities\": [{}]", "{entities: []}",
        "{\"entities\": [[]]}",
    ]) func `that is none is refused`(text: String) async throws {
        try await Store.with { store in
            let error = try await #require(throws: DatastoreError.self) {
                try await store.datastore.decode(json: Data(text.utf8))
            }
            #expect(error.code == .invalidInterchange)
            let sentence = error.message
            #expect(sentence.hasSuffix(".") && !sentence.hasSuffix(".."), "\(sentence)")
        }
    }

    @Test(arguments: [
        ("{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\", \"name\": \"", "\"}]}"),
        ("{\"entities\": [{\"identifier\": \"e\", \"type\": \"p\"}], \"x\": \"", "\"}"),
    ]) func `that is not UTF-8 is refused, and nothing is changed for it`(
        before: String, after: String
    ) async throws {
        try await Store.with { store in
            for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
                let error = try await #require(throws: DatastoreError.self) {
                    try await store.datastore.decode(
                        json: Data(Array(before.utf8) + bytes + Array(after.utf8)))
                }
                #expect(error.code == .invalidInterchange)
                #expect(error.message.contains("UTF-8"))
            }
            #expect(try store.database.totalDocumentCount == 0)
        }
    }

    @Test func `of a file that cannot be read says which, and why`() async throws {
        try await Store.with { store in
            let folder = store.scratch.url
            let missing = folder.appendingPathComponent("missing.json")
            for (url, reason) in [(folder, "a folder"), (missing, "there is none")] {
                let error = try await #require(throws: DatastoreError.self) {
                    try await store.datastore.decode(jsonAt: url)
                }
                #expect(error.code == .fileUnreadable)
                #expect(error.message.contains(url.path) && error.message.contains(reason))
            }
        }
    }

    @Test func `does not write over a document of something else`() async throws {
        try await Store.with { store in
            try await store.database.save(["id": "e", "k": 1])
            let text =
                "{\"entities\":[{\"identifier\":\"a\",\"type\":\"p\"},{\"identifier\":\"e\",\"type\":\"p\"}]}"
            let error = try await #require(throws: DatastoreError.self) {
                try await store.datastore.decode(json: Data(text.utf8))
            }
            #expect(error.code == .documentExists)
            #expect(error.entity == "e")
            #expect(try store.database.totalDocumentCount == 1)
        }
    }

    @Test func `tells what changed once, however many commits it takes`() async throws {
        try await Store.with { store in
            let changes = store.datastore.changes()
            let entities = (0..<1_200).map {
                "{\"identifier\":\"e\($0)\",\"type\":\"p\",\"k\":\($0)}"
            }
            let text = "{\"entities\":[" + entities.joined(separator: ",") + "]}"
            try await store.datastore.decode(json: Data(text.utf8))
            try await store.update("e3", ["k": -1])
            var iterator = changes.makeAsyncIterator()
            let change = try #require(await iterator.next())
            #expect(change.added.count == 1_200)
            #expect(change.changed.isEmpty)
            #expect(await iterator.next()?.changed.map(\.identifier) == ["e3"])
            #expect(try await store.datastore.count(entitiesOfTypes: ["p"]) == [1_200])
        }
    }

    @Test func `fills a store when it is loaded`() async throws {
        let scratch = try ScratchDirectory("entities")
        let datastore = try await Datastore.load(
            name: "sample", url: scratch.url, json: Data(Self.sample.utf8))
        #expect(try await datastore.get(entity: Entity.named("Person 1")).isResolved)
        await datastore.database.close()
    }
}
