import SettleDocuments
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `An index declaration` {
    @Test func `has one canonical form in JSON and comes back from it`() throws {
        let declaration = IndexDeclaration(
            keys: [["type"], ["address", "city"]], value: ["amount"],
            filter: try IndexFilter(json: ["type": "order"]), reduce: .sum, collation: .raw)
        let text =
            #"{"collation":"raw","filter":{"type":"order"},"keys":[["type"],["address","city"]],"#
            + #""reduce":"_sum","value":["amount"]}"#
        #expect(declaration.json.jsonText == text)
        #expect(try IndexDeclaration(json: JSONValue(jsonText: text)) == declaration)
        let least = try IndexDeclaration(json: ["keys": [["a"]], "value": .null])
        #expect(least == IndexDeclaration(keys: [["a"]]))
        #expect(least.json.jsonText == #"{"collation":"unicode","keys":[["a"]]}"#)
        #expect(least.hashValue == IndexDeclaration(keys: [["a"]]).hashValue)
        let called = try IndexDeclaration(
            json: ["keys": [["id"]], "filter": ["id": 1], "identifier": "_id"])
        #expect(
            called.json.jsonText
                == #"{"collation":"unicode","filter":{"id":1},"identifier":"_id","keys":[["id"]]}"#)
        #expect(called.identifier == .couchDB)
        let own = try IndexDeclaration(json: ["keys": [["a"]], "identifier": "id"])
        #expect(own == least && own.identifier == .own)
        for kind in ReducerKind.allCases {
            let json: JSONValue = ["keys": [["a"]], "reduce": .string(kind.rawValue)]
            #expect(try IndexDeclaration(json: json).reduce == kind)
        }
    }

    @Test func `has an identity that any change changes`() throws {
        let declarations = [
            IndexDeclaration(keys: [["a"]]), IndexDeclaration(keys: [["a"], ["b"]]),
            IndexDeclaration(keys: [["a", "b"]]), IndexDeclaration(keys: [["a"]], value: ["b"]),
            IndexDeclaration(keys: [["a"]], filter: try IndexFilter(json: ["b": 1])),
            IndexDeclaration(keys: [["a"]], reduce: .count),
            IndexDeclaration(keys: [["a"]], collation: .raw),
            IndexDeclaration(keys: [["a"]], identifier: .couchDB),
        ]
        var identities = declarations.map { $0.identity(version: "1") }
        identities.append(declarations[0].identity(version: "2"))
        #expect(Set(identities).count == identities.count)
        // Stored in databases, so the text itself is a promise.
        #expect(identities[0] == #"1 {"collation":"unicode","keys":[["a"]]}"#)
        // Names that are equivalent in Unicode are names of different members.
        #expect(IndexDeclaration(keys: [["é"]]) != IndexDeclaration(keys: [["e\u{301}"]]))
    }

    @Test func `is refused when it says something else, with the place and what is expected`() {
        for (json, sentence): (JSONValue, String) in [
            ("x", "The index declaration is an object with the member 'keys', not a string."),
            ([:], "The member 'keys' of the index declaration is a list of at least one path"),
            (["keys": []], "not an empty array."),
            (["keys": "type"], "not a string."),
            (["keys": [["a"], []]], "The member 'keys', '1' of the index declaration is a path"),
            (["keys": [["a", 1]]], "The member 'keys', '0' of the index declaration is a path"),
            (["keys": [["a"]], "valeu": ["b"]], "The member 'valeu' of the index declaration is"),
            (["keys": [["a"]], "value": []], "The member 'value' of the index declaration is"),
            (["keys": [["a"]], "reduce": "sum"], "'_approx_count_distinct', not 'sum'."),
            (["keys": [["a"]], "reduce": 1], "'_approx_count_distinct', not a number."),
            (["keys": [["a"]], "collation": "de"], "is 'unicode' or 'raw', not 'de'."),
            (["keys": [["a"]], "identifier": "rev"], "is 'id' or '_id', not 'rev'."),
            (["keys": [["a"]], "identifier": 1], "is 'id' or '_id', not a number."),
            (["keys": [["a"]], "filter": 5], "The member 'filter' of the index declaration is an"),
            (
                ["keys": [["a"]], "filter": ["b": ["$in": 5]]],
                "The member 'filter', 'b', '$in' of the index declaration is a list"
            ),
        ] {
            do throws(IndexDeclarationError) {
                _ = try IndexDeclaration(json: json)
                Issue.record("accepted: \(json.jsonText)")
            } catch {
                #expect("\(error)".contains(sentence), "\(error)")
            }
        }
    }
}
