import Foundation
import Settle
import Testing

@testable import SettleCosmos

@Suite struct `Values` {
    @Test func `links are read, written and encoded`() throws {
        let text = "dbs/Test Database/colls/ü/docs/a+b"
        let link = try #require(Cosmos.Link(text, isByResourceIds: false))
        #expect(link.text == text)
        #expect(link.path == "/dbs/Test%20Database/colls/%C3%BC/docs/a%2Bb")
        #expect(link.type == .document && link.name == "a+b")
        #expect(link.ancestors.map(\.text) == ["dbs/Test Database", "dbs/Test Database/colls/ü"])
        #expect(link.isWithin(try #require(link.parent)))
        #expect(!(try #require(link.parent)).isWithin(link))
        #expect(link.nearest(.collection) == link.parent)
        let own = try #require(
            Cosmos.Link("/dbs/1KtjAA==/colls/1KtjAImkcgw=/", isByResourceIds: true))
        #expect(own.signedText == "1ktjaimkcgw=")
    }

    @Test(arguments: [
        "", "/", "dbs", "dbs//colls/c", "colls/c", "dbs/d/docs/1", "dbs/d/colls", "x/y",
        "dbs/d/dbs/e",
    ])
    func `what is no link is none`(text: String) {
        #expect(Cosmos.Link(text, isByResourceIds: false) == nil)
    }

    @Test func `resource identifiers know their type and what is around them`() throws {
        let document = try #require(Cosmos.ResourceIdentifier("1KtjAImkcgwBAAAAAAAAAA=="))
        #expect(document.type == .document)
        #expect(document.parent?.text == "1KtjAImkcgw=")
        #expect(document.parent?.type == .collection)
        #expect(document.parent?.parent?.text == "1KtjAA==")
        #expect(
            document.selfLink?.text
                == "dbs/1KtjAA==/colls/1KtjAImkcgw=/docs/1KtjAImkcgwBAAAAAAAAAA==")
        for text in ["", "a", "AAA", "not base64", "1KtjAImkcgwBAAAAAAA="] {
            #expect(Cosmos.ResourceIdentifier(text) == nil)
        }
    }

    @Test func `types know what is above and below`() {
        #expect(Cosmos.ResourceType.attachment.ancestors == [.database, .collection, .document])
        #expect(Set(Cosmos.ResourceType.database.children) == [.user, .collection])
        #expect(Cosmos.ResourceType.allCases.count == 11)
    }

    @Test func `ids that no resource can be created with are refused`() {
        for id in ["a", "ä", "a.b", "a_b", String(repeating: "a", count: 255)] {
            #expect(Cosmos.IdentifierRule.fault(of: id) == nil)
        }
        for id in [
            "", "a/b", "a\\b", "a?b", "a#b", "a b", "a\nb", "a\u{0}b", "a\u{A0}b",
            String(repeating: "a", count: 256), String(repeating: "ä", count: 128),
        ] {
            #expect(Cosmos.IdentifierRule.fault(of: id) != nil)
        }
    }

    @Test func `partition keys are written in the characters of a header`() {
        let keys: [(Cosmos.PartitionKey, String)] = [
            ("Berlin", #"["Berlin"]"#), (1, "[1]"), (1.5, "[1.5]"), (true, "[true]"),
            (.null, "[null]"), (.undefined, "[{}]"),
            (Cosmos.PartitionKey("tenant", "user"), #"["tenant","user"]"#),
            ("a\"b", #"["a\"b"]"#), ("Zürich", #"["Z\u00fcrich"]"#), ("😀", #"["\ud83d\ude00"]"#),
        ]
        for (key, text) in keys { #expect(key.headerText == text) }
    }

    @Test func `partition keys are found by the paths of a collection`() throws {
        let body = try Cosmos.ResourceBody([
            "id": "1", "address": ["city": "Bern", "a/b": 2], "none": .null, "list": [1],
        ])
        func key(_ paths: String...) -> Cosmos.PartitionKey? {
            Cosmos.PartitionKeyDefinition(paths: paths).key(of: body)
        }
        #expect(key("/address/city") == "Bern")
        #expect(key("/address/\"a/b\"") == 2)
        #expect(key("/none") == .null)
        #expect(key("/absent") == .undefined)
        #expect(key("/list") == nil)
        #expect(
            key("/id", "/address/city") == Cosmos.PartitionKey("1", "Bern"))
    }

    @Test func `dates keep their microseconds`() throws {
        let text = "2018-03-16T12:34:56.123456Z"
        let date = try #require(Cosmos.date(iso8601: text))
        #expect(Cosmos.iso8601(date) == text)
        let person = Person(id: "1", city: "Bern", born: date)
        let body = try person.documentBody()
        #expect(body["born"]?.stringValue == text)
        #expect(try Person(documentBody: body) == person)
        #expect(Cosmos.iso8601(.distantFuture.addingTimeInterval(1e13)) == nil)
    }

    @Test func `shapes are GeoJSON, longitude first`() throws {
        struct Place: Cosmos.Document, Equatable {
            var id = "1"
            var point = Cosmos.Point(latitude: 1, longitude: 2)
            var line = Cosmos.LineString([
                Cosmos.Point(latitude: 1, longitude: 2), Cosmos.Point(latitude: 3, longitude: 4),
            ])
            var area = Cosmos.Polygon([
                Cosmos.Point(latitude: 0, longitude: 0), Cosmos.Point(latitude: 0, longitude: 1),
                Cosmos.Point(latitude: 1, longitude: 1),
            ])
        }
        let body = try Place().documentBody()
        #expect(body["point"] == ["type": "Point", "coordinates": [2.0, 1.0]])
        #expect(body["line"] == ["type": "LineString", "coordinates": [[2.0, 1.0], [4.0, 3.0]]])
        #expect(
            body["area"] == [
                "type": "Polygon",
                "coordinates": [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]],
            ])
        #expect(try Place(documentBody: body) == Place())
        let wrong = try Cosmos.ResourceBody([
            "id": "1", "point": ["type": "Polygon", "coordinates": [1]],
        ])
        #expect(throws: DecodingError.self) { try Place(documentBody: wrong) }
    }

    @Test func `documents of Settle leave out what the service adds`() throws {
        let body = try Cosmos.ResourceBody([
            "id": "1", "name": "Ada", "_rid": "x", "_self": "y", "_etag": "z", "_ts": 1,
            "_attachments": "attachments/",
        ])
        let document = try Document(documentBody: body)
        #expect(document.id == "1")
        #expect(document.json == ["name": "Ada"])
        #expect(try document.documentBody().json == ["id": "1", "name": "Ada"])
    }

    @Test func `indexing policies keep what has no name here`() throws {
        let json: JSONValue = [
            "indexingMode": "Consistent", "automatic": true,
            "includedPaths": [
                ["path": "/*", "indexes": [["kind": "Spatial", "dataType": "Point"]]]
            ],
            "excludedPaths": [["path": "/secret/?"]],
            "compositeIndexes": [[["path": "/a", "order": "ascending"]]],
        ]
        let policy = try #require(Cosmos.IndexingPolicy(json))
        #expect(policy.includedPaths == [.init("/*", indexes: [.spatial(withDataType: .point)])])
        #expect(policy.excludedPaths == ["/secret/?"])
        #expect(policy.json["compositeIndexes"] == json["compositeIndexes"])
        #expect(policy.json["includedPaths"] == json["includedPaths"])
    }
}
