import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A declared index` {
    private let text =
        #"{"name":"byPlace","version":"2","keys":[["type"],["address","city"]],"value":["amount"],"#
        + #""filter":{"type":"order","amount":{"$gt":5}},"reduce":"_sum","collation":"raw"}"#

    @Test func `is the same from JSON, from a decoder, and from code`() throws {
        let declaration = Database.IndexDeclaration(
            name: "byPlace", version: "2", keys: [["type"], ["address", "city"]],
            value: ["amount"], filter: ["type": "order", "amount": ["$gt": 5]], reduce: .sum,
            collation: .raw)
        #expect(try Database.IndexDeclaration(parsing: text) == declaration)
        let decoder = JSONDecoder()
        #expect(
            try decoder.decode(Database.IndexDeclaration.self, from: Data(text.utf8))
                == declaration)
        let encoded = try JSONEncoder().encode(declaration)
        #expect(
            try decoder.decode(Database.IndexDeclaration.self, from: encoded) == declaration)
        #expect(declaration.json == (try JSONValue(jsonText: text)))
        #expect(declaration.keys == [["type"], ["address", "city"]])
        #expect(declaration.value == ["amount"] && declaration.reduce == .sum)
        #expect(declaration.filter?.json == ["type": "order", "amount": ["$gt": 5]])
        #expect(declaration.collation == .raw && declaration.version == "2")
        let index = declaration.index
        #expect(index.declaration == declaration && index.collation == .raw)
        #expect(index.name == "byPlace" && index.version == "2" && index.reduce != nil)
        let least = try Database.IndexDeclaration(parsing: #"{"name":"n","keys":[["a"]]}"#)
        #expect(least == Database.IndexDeclaration(name: "n", keys: [["a"]]))
        #expect(least.index.reduce == nil && least.version == "1")
        #expect(least.identifierName == "id")
        let called = Database.IndexDeclaration(name: "n", keys: [["id"]], identifierName: "_id")
        #expect(called.identifierName == "_id" && called.json["identifier"] == "_id")
        #expect(try Database.IndexDeclaration(json: called.json) == called)
    }

    @Test func `is refused when it says something else, with the place and what is expected`()
        throws
    {
        for (json, sentence): (JSONValue, String) in [
            (5, "The index declaration is an object"),
            (["keys": [["a"]]], "The member 'name' of the index declaration is a string"),
            (
                ["name": 5, "keys": [["a"]]],
                "The member 'name' of the index declaration is a string"
            ),
            (
                ["name": "n", "keys": [["a"]], "version": 1],
                "The member 'version' of the index declaration is a string."
            ),
            (
                ["name": "n", "keys": [["a"]], "reducer": "_sum"],
                "The member 'reducer' of the index declaration is not known; the members are 'name'"
            ),
            (["name": "n"], "The member 'keys' of the index declaration is a list"),
            (
                ["name": "n", "keys": [["a"]], "filter": ["$gt": 1]],
                "The member 'filter', '$gt' of the index declaration stands outside"
            ),
        ] {
            do {
                _ = try Database.IndexDeclaration(json: json)
                Issue.record("accepted: \(json.jsonText)")
            } catch let error as DatabaseError {
                #expect(
                    error.code == .invalidIndex && error.message.hasPrefix(sentence), "\(error)")
            }
            #expect(throws: DecodingError.self) {
                _ = try JSONDecoder().decode(
                    Database.IndexDeclaration.self, from: Data(json.jsonText.utf8))
            }
        }
        #expect(throws: JSONError.self) { try Database.IndexDeclaration(parsing: "{") }
        #expect(throws: JSONError.self) { try Database.IndexFilter(parsing: "{") }
        do {
            _ = try Database.IndexFilter(json: ["a": ["$in": 5]])
            Issue.record("accepted")
        } catch let error as DatabaseError {
            #expect(
                error.message
                    == "The member 'a', '$in' of the index filter is a list, not a number.")
        }
    }

    @Test func `has filters that go through coders`() throws {
        let filter: Database.IndexFilter = [
            "a": ["$in": [1, 2.5, "x", true, .null, ["deep": []]]], "b.c": ["$exists": false],
        ]
        let encoded = try JSONEncoder().encode(filter)
        let decoded = try JSONDecoder().decode(Database.IndexFilter.self, from: encoded)
        #expect(decoded == filter && decoded.json == filter.json)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Database.IndexFilter.self, from: Data("[1]".utf8))
        }
    }

    @Test func `maps documents as its description says`() throws {
        func rows(
            _ index: Database.Index, _ document: Document
        ) throws -> [(key: JSONValue?, value: JSONValue?)] {
            var rows: [(key: JSONValue?, value: JSONValue?)] = []
            try index.map(document) { rows.append(($0 as? JSONValue, $1 as? JSONValue)) }
            return rows
        }
        let two = Database.Index.keyPaths(name: "n", keys: [["id"], ["a"]], value: ["v"])
        let found = try rows(two, ["id": "x", "v": NSNull()])
        #expect(found.map(\.key) == [["x", .null]] && found.map(\.value) == [.null])
        let one = Database.Index.keyPaths(
            name: "n", keys: [["a"]], value: ["v"], filter: ["id": ["$gt": "w"]], reduce: .max)
        #expect(try rows(one, ["id": "x", "b": 1]).isEmpty)
        #expect(try rows(one, ["id": "v", "a": 1]).isEmpty)
        let row = try rows(one, ["id": "x", "a": 1, "v": NSNull()])
        #expect(row.map(\.key) == [1] && row.map(\.value) == [nil])
    }

    @Test func `orders strings as it says`() async throws {
        let indexes: [Database.Index] = [
            .keyPaths(name: "unicode", keys: [["a"]]),
            .keyPaths(name: "raw", keys: [["a"]], collation: .raw),
            Database.Index(
                name: "closure", version: "1", collation: .raw,
                map: { document, addIndexRow in addIndexRow(document["a"], nil) }),
        ]
        try await withDatabase(indexes: indexes) { database async throws in
            try await database.write { transaction in
                for text in ["b", "B", "a", "A"] { try transaction.add(["a": text]) }
            }
            for (name, wanted) in [
                ("unicode", ["a", "A", "b", "B"]), ("raw", ["A", "B", "a", "b"]),
                ("closure", ["A", "B", "a", "b"]),
            ] {
                let rows = try await database.runQuery(on: name).rows
                #expect(rows.map { $0.key as? String } == wanted, "\(name)")
            }
        }
    }
}
