import SettleDocuments
import TestSupport
import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `An index filter` {
    private func matches(
        _ filter: JSONValue, _ document: JSONValue, id: String = "doc-1"
    ) throws -> Bool {
        let body = try PackedValue(document).bytes
        let bytes = Array(id.utf8)
        return try IndexFilter(json: filter).matches(body.span, id: bytes.span)
    }

    @Test func `compares members, and all of them must fit`() throws {
        let order: JSONValue = ["type": "order", "amount": 7, "address": ["city": "Rome"]]
        #expect(try matches([:], order))
        #expect(try matches(["type": "order"], order))
        #expect(try matches(["type": "order", "amount": ["$gt": 5]], order))
        #expect(try !matches(["type": "order", "amount": ["$gt": 7]], order))
        #expect(try matches(["amount": ["$gte": 7, "$lt": 7.5]], order))
        #expect(try matches(["address": ["city": "Rome"]], order))
        #expect(try matches(["address.city": "Rome"], order))
        #expect(try matches(["address": ["$eq": ["city": "Rome"]]], order))
        #expect(try !matches(["address.city": "rome"], order))
        #expect(try matches(["amount": ["$in": [1, 7.0]]], order))
        #expect(try matches(["$or": [["amount": 1], ["type": ["$ne": "invoice"]]]], order))
    }

    @Test func `compares values of different kinds by the order of kinds`() throws {
        #expect(try matches(["a": ["$gt": 5]], ["a": "text"]))
        #expect(try matches(["a": ["$lt": 5]], ["a": nullValue]))
        #expect(try matches(["a": ["$lt": [:]]], ["a": [9]]))
        #expect(try !matches(["a": ["$gt": 5]], ["a": true]))
    }

    private let nullValue = JSONValue.null

    @Test func `does not hold for an absent member, negated or not, unless it asks for that`()
        throws
    {
        for condition: JSONValue in [
            ["$eq": .null], ["$ne": 1], ["$nin": [1]], ["$not": ["$gt": 5]], ["$type": "null"],
            ["$exists": true], ["$not": ["$exists": false]], ["$not": ["$type": "string"]],
        ] {
            #expect(try !matches(["a": condition], ["b": 1]), "\(condition.jsonText)")
        }
        #expect(try matches(["a": ["$exists": false]], ["b": 1]))
        #expect(try matches(["$not": ["a": ["$exists": true]]], ["b": 1]))
        #expect(try matches(["a.b": ["$exists": false]], ["a": 1]))
        #expect(try matches(["a": ["$exists": true]], ["a": nullValue]))
        #expect(try !matches(["$nor": [["a": 1]]], ["b": 1]))
    }

    @Test func `looks into arrays for lists alone`() throws {
        #expect(try matches(["tags": ["$in": ["x", "b"]]], ["tags": ["a", "b"]]))
        #expect(try !matches(["tags": ["$nin": ["x", "b"]]], ["tags": ["a", "b"]]))
        #expect(try !matches(["tags": "a"], ["tags": ["a", "b"]]))
        #expect(try matches(["tags": ["a", "b"]], ["tags": ["a", "b"]]))
        #expect(try !matches(["tags": ["$in": [["a"]]]], ["tags": ["a"]]))
    }

    @Test func `takes a dot after a backslash as part of a name`() throws {
        #expect(try matches([#"a\.b"#: 1], ["a.b": 1, "a": ["b": 2]]))
        #expect(try matches(["a.b": 2], ["a.b": 1, "a": ["b": 2]]))
        #expect(try matches([#"a\b"#: 1], [#"a\b"#: 1]))
    }

    @Test func `knows the identifier by both names, unless a member has one of them`() throws {
        #expect(try matches(["id": "doc-1"], [:]) && matches(["_id": "doc-1"], [:]))
        #expect(try matches(["_id": 5], ["_id": 5]))
        #expect(try matches(["id": ["$gte": "doc", "$lt": "doc/"]], [:], id: "doc-9"))
        // By bytes: upper case first.
        #expect(try matches(["id": ["$lt": "a"]], [:], id: "B"))
    }

    @Test func `orders strings as the index does`() throws {
        let (body, id) = (try PackedValue(["a": "B"]).bytes, Array("x".utf8))
        let filter = try IndexFilter(json: ["a": ["$gt": "a"]])
        #expect(try filter.matches(body.span, id: id.span))
        #expect(try !filter.comparing(.raw).matches(body.span, id: id.span))
    }

    @Test func `agrees with one that evaluates trees`() throws {
        var random = RandomJSON(generator: SeededGenerator())
        var matchCount = 0
        for round in 0..<6_000 {
            let (filter, document) = (random.filter(depth: 3), random.document())
            let strings: Collator.Strings = round % 4 == 0 ? .raw : .unicode
            let id = ["a", "AB", "doc-1"][round % 3]
            let (body, bytes) = (try PackedValue(document).bytes, Array(id.utf8))
            let found = try IndexFilter(json: filter).comparing(strings)
                .matches(body.span, id: bytes.span)
            let wanted = NaiveFilter.matches(filter, document, id: id, strings)
            if found { matchCount += 1 }
            guard found == wanted else {
                Issue.record(
                    "\(random.generator): \(filter.jsonText) of \(document.jsonText) is \(found)")
                return
            }
        }
        // Both outcomes occur often.
        #expect((150...5_850).contains(matchCount), "\(random.generator): \(matchCount)")
    }

    @Test func `is refused when it says something else, with the place and what is expected`() {
        for (filter, sentence): (JSONValue, String) in [
            ([1], "The index filter is an object such as"),
            (["$gt": 5], "The member '$gt' of the index filter stands outside of any member"),
            (["a": ["$regex": "x"]], "'a', '$regex' of the index filter is no operator"),
            (["a": ["$in": 5]], "'a', '$in' of the index filter is a list, not a number"),
            (["a": ["$exists": 1]], "'$exists' of the index filter is true or false, not a number"),
            (["a": ["$type": "float"]], "'boolean', 'number', 'string', 'array', or 'object', not"),
            (["$or": []], "'$or' of the index filter is a list of at least one filter"),
            (
                ["$or": [["a": 1], 5]],
                "The member '$or', '1' of the index filter is an object with"
            ),
            (["$not": 5], "The member '$not' of the index filter is a filter, an object, not"),
            (["a..b": 1], "The member 'a..b' of the index filter has an empty name"),
            (["": 1], "The member '' of the index filter has an empty name"),
            (["a": .double(.nan)], "The index filter cannot be stored"),
        ] {
            do throws(IndexDeclarationError) {
                _ = try IndexFilter(json: filter)
                Issue.record("accepted: \(filter.jsonText)")
            } catch {
                let found = error.sentence(about: "index filter")
                #expect(found.contains(sentence) && found.hasSuffix("."), "\(found)")
            }
        }
    }

    @Test func `is equal to one of the same JSON`() throws {
        let filter = try IndexFilter(json: ["a": ["$gt": 5, "$lt": 9]])
        let same = try IndexFilter(json: JSONValue(jsonText: #"{"a":{"$lt":9,"$gt":5}}"#))
        #expect(filter == same && filter.hashValue == same.hashValue && filter.json == same.json)
        #expect(try filter != IndexFilter(json: ["a": ["$gt": 5]]))
    }

    @Test func `reports a damaged document`() throws {
        var body = try PackedValue(["a": "text"]).bytes
        body[body.count - 1] = 0xFF
        body[body.count - 5] = 0xFE
        let id = Array("x".utf8)
        let filter = try IndexFilter(json: ["a": 1])
        #expect(throws: PackedError.self) { try filter.matches(body.span, id: id.span) }
    }
}
