import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A document` {
    @Test func `from a literal has the members and an identifier of its own`() {
        let document: Document = ["type": "fruit", "weight": 12, "price": 1.5, "ripe": true]
        #expect(UUID(uuidString: document.id) != nil)
        #expect(document["weight"] as? Int == 12)
        #expect(document["price"] as? Double == 1.5)
        #expect(document["ripe"] as? Bool == true)
        #expect(document["nothing"] == nil)
        #expect(document.metaData.type == "fruit")
        #expect(document.metaData.revision == nil && document.metaData.lastChange == nil)
        let named: Document = ["id": "apple", "type": "fruit"]
        #expect(named.id == "apple" && named["id"] as? String == "apple")
        #expect(named.keys == ["type"])
    }

    @Test func `without an identifier asks the factory`() {
        let before = Document.idFactory
        defer { Document.idFactory = before }
        Document.idFactory = { "made-here" }
        #expect(Document().id == "made-here")
        #expect((["a": 1] as Document).id == "made-here")
        #expect((["id": "own"] as Document).id == "own")
    }

    @Test func `reads ISO 8601 strings as dates and leaves others alone`() throws {
        let document = try Document(
            json: #"{"id":"a","at":"2018-03-16T12:00:00.250Z","day":"2018-03-16","text":"T"}"#)
        #expect(document["at"] as? Date == Date(timeIntervalSince1970: 1_521_201_600.25))
        #expect(document.string("at") == "2018-03-16T12:00:00.250Z")
        #expect(document["day"] as? String == "2018-03-16")
        #expect(document["text"] as? String == "T")
    }

    @Test func `writes a date so that it is read as the same date`() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.123)
        var document = Document(id: "a")
        document["at"] = date
        #expect(document.string("at") == "2023-11-14T22:13:20.123Z")
        #expect((document["at"] as? Date).map { abs($0.timeIntervalSince(date)) < 1e-6 } == true)
    }

    @Test func `uses the date formatter that was put in place`() {
        struct Years: DocumentDateFormatter {
            func date(from string: String) -> Date? {
                string.hasPrefix("year ") ? Date(timeIntervalSince1970: 0) : nil
            }
            func string(from date: Date) -> String { "year 1970" }
        }
        let before = Document.dateFormatter
        defer { Document.dateFormatter = before }
        Document.dateFormatter = Years()
        let document: Document = ["a": Date(), "b": "2018-03-16T12:00:00Z"]
        #expect(document.string("a") == "year 1970" && document["a"] is Date)
        #expect(document["b"] is String)
    }

    @Test func `takes nested values, optionals, and null apart from the absent`() throws {
        let missing: Int? = nil
        let there: Int? = 7
        let document: Document = [
            "list": [1, "two", NSNull()] as [Any], "object": ["a": [true]], "missing": missing,
            "there": there, "null": NSNull(), "tiny": UInt8(3), "uuid": UUID(),
        ]
        #expect(document[json: "list"] == [1, "two", .null])
        #expect(document[json: "object"] == ["a": [true]])
        #expect(document[json: "missing"] == nil && document[json: "there"] == 7)
        #expect(document["null"] is NSNull)
        #expect(document[json: "tiny"] == 3)
    }

    @Test func `takes the numbers, booleans, and strings of Foundation as what they are`() throws {
        let text = #"{"a":[1,0],"f":false,"half":0.5,"n":1,"s":"x","t":true,"z":0}"#
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        var document = Document(object)
        #expect(
            document.json == [
                "a": [1, 0], "f": false, "half": .double(0.5), "n": 1, "s": "x", "t": true, "z": 0,
            ])
        document["x"] = NSNumber(value: 5)
        document["y"] = NSNumber(value: 5.0)
        document["b"] = NSNumber(value: true)
        #expect(document[json: "x"] == 5 && document[json: "y"] == .double(5))
        #expect(document[json: "b"] == true)
        // A decimal has all of its digits.
        document["x"] = NSDecimalNumber(string: "9007199254740993")
        document["y"] = NSDecimalNumber(string: "0.5")
        #expect(document[json: "x"] == 9_007_199_254_740_993)
        #expect(document[json: "y"] == .double(0.5))
    }

    @Test func `can be mended after something unsuitable was put into it`() async throws {
        try await withDatabase { database async throws in
            var document = Document(["id": 5])
            document.id = "right"
            document.metaData.revision = "nonsense"
            document.metaData.revision = nil
            document["x"] = Double.nan
            document["x"] = 1
            #expect(try await database.save(document).id == "right")
        }
    }

    @Test func `under another identifier is another document`() async throws {
        try await withDatabase { database async throws in
            var copy = try await database.add(["id": "a", "n": 1])
            copy.id = "b"
            #expect(copy.metaData.revision == nil)
            try await database.add(copy)
            #expect(try database.totalDocumentCount == 2)
        }
    }

    @Test func `refuses what JSON cannot express when it is saved, naming the member`() async throws
    {
        final class Thing {}
        try await withDatabase { database async throws in
            for (value, word) in [
                (Thing() as Any, "Thing"), (Double.nan, "finite"), (JSONValue.double(.nan), "NaN"),
                (UInt64.max, "64 bits"),
                ([1: "a"], "dictionary"),
            ] {
                var document = Document(id: "a")
                document["odd"] = value
                do {
                    _ = try await database.save(document)
                    Issue.record("\(word) was stored.")
                } catch let error as DatabaseError {
                    #expect(error.code == .invalidDocument && error.documentId == "a")
                    #expect(error.message.contains(word))
                    #expect(word == "NaN" || error.message.contains("'odd'"))
                }
                document["odd"] = nil
                try await database.save(document)
                try await database.delete(documentWithId: "a")
            }
        }
    }

    @Test func `goes to JSON and back`() throws {
        let text = #"{"a":[1,2.5,{"b":null}],"c":"é","id":"x","n":-9223372036854775808}"#
        let document = try Document(json: text)
        #expect(String(decoding: try document.toJSON(), as: UTF8.self) == text)
        #expect(try Document(json: document.toJSON()) == document)
    }

    @Test(arguments: ["", "[1]", "{", #"{"id":5}"#, "nonsense", "{\"a\":01}"])
    func `from bad text is an error`(text: String) {
        #expect(throws: (any Error).self) { try Document(json: text) }
    }

    @Test func `shows channels and type as members`() {
        var document = Document(id: "a")
        document.metaData.channels = ["north", "south"]
        document.metaData.type = "order"
        #expect(document[json: "channels"] == ["north", "south"])
        #expect(document[json: "type"] == "order")
        document.metaData.channels = []
        document.metaData.type = nil
        #expect(document.keys.isEmpty)
    }

    @Test func `with the same identifier and members is equal, whatever way it was made`()
        async throws
    {
        try await withDatabase { database async throws in
            let made: Document = ["id": "a", "x": 1, "y": ["z"]]
            let saved = try await database.save(made)
            #expect(saved == made && saved.metaData.revision != nil)
            var edited = saved
            edited["x"] = 2
            #expect(edited != made)
            edited["x"] = 1
            #expect(edited == made)
        }
    }
}
