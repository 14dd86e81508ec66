import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `CouchDB selectors` {
    private static let value: JSONValue = [
        "_id": "x", "n": 5, "name": "Bonn", "tags": ["a", "b"], "at": ["city": "Rome", "zip": 7],
        "list": [["k": 1], ["k": 5]], "nothing": .null, "a.b": 1,
    ]

    @Test(arguments: [
        (#"{}"#, true), (#"{"n":5}"#, true), (#"{"n":5.0}"#, true), (#"{"n":6}"#, false),
        (#"{"at.city":"Rome"}"#, true), (#"{"at":{"city":"Rome"}}"#, true),
        (#"{"at":{"zip":{"$gt":6}}}"#, true), (#"{"a\\.b":1}"#, true),
        (#"{"n":{"$gt":4,"$lte":5}}"#, true), (#"{"n":{"$gt":5}}"#, false),
        (#"{"name":{"$gt":1000}}"#, true), (#"{"name":{"$lt":"bonn"}}"#, false),
        (#"{"none":{"$ne":1}}"#, false), (#"{"none":{"$exists":false}}"#, true),
        (#"{"nothing":{"$exists":true}}"#, true), (#"{"nothing":null}"#, true),
        (#"{"$not":{"n":{"$gt":5}}}"#, true), (#"{"$not":{"none":1}}"#, false),
        (#"{"$or":[{"n":1},{"name":"Bonn"}]}"#, true), (#"{"$nor":[{"n":1},{"n":5}]}"#, false),
        (#"{"$and":[{"n":5},{"name":"Ulm"}]}"#, false), (#"{"n":{"$in":[1,5]}}"#, true),
        (#"{"tags":{"$in":["b"]}}"#, true), (#"{"tags":{"$nin":["b"]}}"#, false),
        (#"{"tags":{"$all":["b","a"]}}"#, true), (#"{"tags":{"$all":["c"]}}"#, false),
        (#"{"tags":{"$size":2}}"#, true), (#"{"n":{"$mod":[3,2]}}"#, true),
        (#"{"n":{"$type":"number"}}"#, true), (#"{"name":{"$regex":"^B.*n$"}}"#, true),
        (#"{"$not":{"name":{"$regex":"^B"}}}"#, false), (#"{"name":{"$beginsWith":"Bo"}}"#, true),
        (#"{"list":{"$elemMatch":{"k":{"$gt":4}}}}"#, true),
        (#"{"list":{"$allMatch":{"k":{"$gt":4}}}}"#, false),
        (#"{"tags":{"$elemMatch":{"$eq":"a"}}}"#, true), (#"{"tags.1":"b"}"#, true),
        (#"{"at":{"$keyMapMatch":{"$eq":"zip"}}}"#, true), (#"{"at":{}}"#, false),
        (#"{"at.none":{"$exists":false}}"#, true), (#"{"n.x":{"$exists":false}}"#, false),
        (#"{"none.x":{"$exists":false}}"#, true), (#"{"tags.7":{"$exists":false}}"#, false),
        (#"{"tags.x":{"$exists":false}}"#, false),
        (#"{"$not":{"name.x":{"$exists":true}}}"#, false),
        (#"{"tags":{"$elemMatch":{"x":{"$exists":false}}}}"#, false),
        (#"{"list":{"$elemMatch":{"x":{"$exists":false}}}}"#, true),
    ])
    func `are Mango's`(text: String, expected: Bool) throws {
        let selector = try CouchSelector(try JSONValue(jsonText: text))
        #expect(selector.matches(Self.value) == expected)
    }

    @Test(arguments: [
        #"[]"#, #"{"n":{"$near":1}}"#, #"{"n":{"$in":1}}"#, #"{"n":{"$size":-1}}"#,
        #"{"n":{"$mod":[0,1]}}"#, #"{"n":{"$regex":"("}}"#, #"{"n":{"$exists":1}}"#,
        #"{"$and":1}"#,
    ])
    func `are refused when they are none`(text: String) throws {
        let json = try JSONValue(jsonText: text)
        #expect(throws: CouchError.self) { try CouchSelector(json) }
    }

    private func ids(_ answer: Face.Answer) -> [String] {
        answer.json["docs"]?.arrayValue?.compactMap { $0["_id"]?.stringValue } ?? []
    }

    @Test(arguments: [UInt64](1...6))
    func `find the same documents by every index, in pages, in both directions`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        try await withFace { face async throws in
            var values: [String: JSONValue] = [:]
            var docs: [JSONValue] = []
            let kinds: [JSONValue] = [1, 2, 2.5, "a", "B", "b", .null, ["x"], ["y": 1], true]
            for number in 0..<150 {
                let id = "d\(100 + number)"
                var members: [String: JSONValue] = ["_id": .string(id)]
                for name in ["a", "b"] where random.next() % 5 > 0 {
                    members[name] = kinds.randomElement(using: &random) ?? .null
                }
                values[id] = .object(members)
                docs.append(.object(members))
            }
            let body = String(decoding: JSONText.text(of: ["docs": .array(docs)]), as: UTF8.self)
            #expect(try await face.send("POST", "/db/_bulk_docs", body).status == 201)
            for step in 0..<14 {
                if step == 4 {
                    let made = try await face.send(
                        "POST", "/db/_index", #"{"index":{"fields":["a"]},"ddoc":"d","name":"one"}"#
                    )
                    #expect(made.json["result"] == "created", "\(made)")
                }
                if step == 9 {
                    try await face.send(
                        "POST", "/db/_index",
                        #"{"index":{"fields":["a","b"]},"ddoc":"d","name":"two"}"#)
                }
                let (low, high) = (
                    kinds.randomElement(using: &random) ?? 1,
                    kinds.randomElement(using: &random) ?? 1
                )
                let part: JSONValue =
                    [
                        ["$gte": low, "$lte": high], ["$gt": low], ["$lt": high], low, ["$ne": low],
                        ["$in": [low, high]],
                    ].randomElement(using: &random) ?? [:]
                let selector: JSONValue = ["a": part]
                let mango = try CouchSelector(selector)
                let expected = values.filter { mango.matches($0.value) }.keys.sorted()
                for sort in step < 4 ? [nil, "_id"] : [nil, "_id", "a"] {
                    for direction in ["asc", "desc"] {
                        for index in step < 9 ? [nil] : [nil, "one", "two"] {
                            var query: [String: JSONValue] = [
                                "selector": selector, "limit": 7, "fields": ["_id", "a"],
                            ]
                            if let sort { query["sort"] = [[sort: .string(direction)]] }
                            if let index { query["use_index"] = ["d", .string(index)] }
                            var found: [String] = []
                            var keys: [JSONValue] = []
                            while true {
                                let answer = try await face.send(
                                    "POST", "/db/_find",
                                    String(
                                        decoding: JSONText.text(of: .object(query)), as: UTF8.self))
                                #expect(answer.status == 200, "\(answer)")
                                let page = ids(answer)
                                found += page
                                keys +=
                                    answer.json["docs"]?.arrayValue?.compactMap { $0["a"] } ?? []
                                guard page.count == 7, found.count < 1_000 else { break }
                                query["bookmark"] = answer.json["bookmark"]
                            }
                            let note: Comment = "\(query), \(random)"
                            #expect(found.sorted() == expected, note)
                            if sort == "_id" {
                                #expect(
                                    found == (direction == "asc" ? expected : expected.reversed()),
                                    note)
                            }
                            if sort == "a" {
                                let isSorted = zip(keys, keys.dropFirst()).allSatisfy {
                                    let order = $0.couchOrder(to: $1)
                                    return direction == "asc" ? order <= 0 : order >= 0
                                }
                                #expect(isSorted, note)
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `have indexes that are made, listed, explained and removed`() async throws {
        try await withFace { face async throws in
            for number in 0..<5 {
                try await face.send(
                    "PUT", "/db/d\(number)", "{\"n\":\(number),\"at\":{\"c\":\(number % 2)}}")
            }
            let index = #"{"index":{"fields":["at.c",{"n":"asc"}]},"ddoc":"d","name":"i"}"#
            #expect(
                try await face.send("POST", "/db/_index", index).json
                    == ["result": "created", "id": "_design/d", "name": "i"])
            #expect(try await face.send("POST", "/db/_index", index).json["result"] == "exists")
            let listed = try await face.send("GET", "/db/_index").json
            #expect(listed["total_rows"] == 2)
            #expect(
                listed["indexes"]?.arrayValue?[1] == [
                    "ddoc": "_design/d", "name": "i", "type": "json",
                    "def": ["fields": [["at.c": "asc"], ["n": "asc"]]],
                ])
            let query = #"{"selector":{"at.c":1},"sort":["at.c"],"fields":["n","at.c","no"]}"#
            let found = try await face.send("POST", "/db/_find", query)
            #expect(
                found.json["docs"] == [
                    ["n": 1, "at": ["c": 1]], ["n": 3, "at": ["c": 1]],
                ])
            #expect(found.json["warning"] == nil)
            let explained = try await face.send("POST", "/db/_explain", query).json
            #expect(explained["index"]?["name"] == "i" && explained["dbname"] == "db")
            #expect(
                try await face.send(
                    "POST", "/db/_find", #"{"selector":{"n":{"$gt":0}},"sort":["n"]}"#)
                    == .failure(
                        400, "no_usable_index",
                        "No index exists for this sort, try indexing by the sort fields."))
            let partial = #"""
                {"index":{"fields":["n"],"partial_filter_selector":{"at.c":0}},"ddoc":"p","name":"j"}
                """#
            #expect(try await face.send("POST", "/db/_index", partial).status == 200)
            let some = try await face.send("POST", "/db/_find", #"{"selector":{"n":{"$gte":0}}}"#)
            #expect(ids(some).count == 5)
            let named = try await face.send(
                "POST", "/db/_find", #"{"selector":{"n":{"$gte":0}},"use_index":"_design/p"}"#)
            #expect(ids(named) == ["d0", "d2", "d4"])
            let designs = try await face.send("GET", "/db/_design_docs").json
            #expect(designs["rows"]?.arrayValue?.map { $0["id"] } == ["_design/d", "_design/p"])
            let design = try await face.send("GET", "/db/_design/d").json
            #expect(design["language"] == "query" && design["views"]?["i"] != nil)
            #expect(
                try await face.send("DELETE", "/db/_index/_design/d/json/i").json == ["ok": true])
            #expect(try await face.send("DELETE", "/db/_index/d/json/i").status == 404)
            for (body, error) in [
                ("{}", "missing_required_key"),
                (#"{"selector":{"a":{"$x":1}}}"#, "invalid_selector"),
                (#"{"selector":{},"sort":[{"a":"asc"},{"b":"desc"}]}"#, "unsupported_mixed_sort"),
                (#"{"selector":{},"bookmark":"!"}"#, "invalid_bookmark"),
                (#"{"selector":{},"limit":-1}"#, "invalid_limit"),
            ] {
                let answer = try await face.send("POST", "/db/_find", body)
                #expect(answer.status == 400 && answer.json["error"] == .string(error), "\(body)")
            }
        }
    }

    @Test func `choose what a feed shows`() async throws {
        try await withFace { face async throws in
            for number in 0..<4 {
                try await face.send("PUT", "/db/d\(number)", "{\"n\":\(number)}")
            }
            let answer = try await face.send(
                "POST", "/db/_changes?filter=_selector", #"{"selector":{"n":{"$gte":2}}}"#)
            #expect(answer.json["results"]?.arrayValue?.map { $0["id"] } == ["d2", "d3"])
            let page = try await face.send(
                "POST", "/db/_changes?filter=_selector&limit=1", #"{"selector":{"n":{"$gte":2}}}"#)
            #expect(page.json["pending"] == 1)
            #expect(
                try await face.send("POST", "/db/_changes?filter=_selector", "{}").status == 400)
        }
    }

    @Test func `compare identifiers by their bytes`() async throws {
        try await withFace { face async throws in
            let all = ["B", "a", "user:1", "user:2", "user;", "\u{E9}", "e\u{301}", "z"]
            let docs = all.map { "{\"_id\":\"\($0)\",\"n\":1}" }.joined(separator: ",")
            try await face.send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs)]}")
            for hasIndex in [false, true] {
                if hasIndex {
                    let index = #"{"index":{"fields":["_id"]},"ddoc":"d","name":"i"}"#
                    #expect(try await face.send("POST", "/db/_index", index).status == 200)
                }
                for (condition, expected) in [
                    (#"{"$gte":"user:","$lt":"user;"}"#, ["user:1", "user:2"]),
                    (#"{"$lt":"a"}"#, ["B"]), (#"{"$gt":"z"}"#, ["\u{E9}"]),
                    (#"{"$gt":null,"$lte":"a"}"#, ["B", "a"]), (#"{"$lt":1}"#, []),
                    (#""e\u0301""#, ["e\u{301}"]), (#"{"$eq":"none"}"#, []),
                    (#"{"$in":["\u00e9","B"]}"#, ["B", "\u{E9}"]),
                    (#"{"$gte":"user;","$lt":{}}"#, ["user;", "z", "\u{E9}"]),
                ] {
                    for order in ["asc", "desc"] {
                        let body = """
                            {"selector":{"_id":\(condition)},"sort":[{"_id":"\(order)"}]}
                            """
                        let found = try await face.send("POST", "/db/_find", body)
                        let wanted = order == "asc" ? expected : expected.reversed()
                        #expect(
                            ids(found).map { Array($0.utf8) } == wanted.map { Array($0.utf8) },
                            "\(condition) \(found)")
                    }
                }
                let limited = try await face.send(
                    "POST", "/db/_find",
                    #"{"selector":{"_id":{"$gte":"user:"}},"limit":1,"execution_stats":true}"#)
                #expect(ids(limited) == ["user:1"])
                #expect(limited.json["execution_stats"]?["total_docs_examined"] == 1)
            }
        }
    }

    @Test func `sort by what follows members that they fix`() async throws {
        try await withFace { face async throws in
            var docs: [String] = []
            for number in 0..<12 {
                let members = "\"a\":\(number % 2),\"b\":\(number % 3),\"c\":\(-number)"
                docs.append("{\"_id\":\"d\(number)\",\(members)}")
            }
            try await face.send(
                "POST", "/db/_bulk_docs", "{\"docs\":[\(docs.joined(separator: ","))]}")
            let index = #"{"index":{"fields":["a","b","c"]},"ddoc":"d","name":"i"}"#
            #expect(try await face.send("POST", "/db/_index", index).status == 200)
            func find(_ selector: String, _ sort: String) async throws -> Face.Answer {
                try await face.send(
                    "POST", "/db/_find", "{\"selector\":\(selector),\"sort\":\(sort)}")
            }
            let both = #"{"a":1,"b":{"$eq":0}}"#
            #expect(ids(try await find(both, #"["c"]"#)) == ["d9", "d3"])
            #expect(ids(try await find(both, #"[{"c":"desc"}]"#)) == ["d3", "d9"])
            #expect(
                ids(try await find(#"{"$and":[{"a":1},{"b":{"$gt":0}}]}"#, #"["b","c"]"#))
                    == ["d7", "d1", "d11", "d5"])
            for (selector, sort) in [
                (#"{"a":{"$gte":1}}"#, #"["b"]"#), (#"{"a":1}"#, #"["c"]"#),
                (#"{"$or":[{"a":1},{"a":0}]}"#, #"["b"]"#), (#"{"b":1}"#, #"["c"]"#),
            ] {
                let answer = try await find(selector, sort)
                #expect(
                    answer.status == 400 && answer.json["error"] == "no_usable_index",
                    "\(selector) \(answer)")
            }
        }
    }

    @Test func `lose indexes by their design documents`() async throws {
        try await withFace { face async throws in
            for name in ["i", "j"] {
                let index = #"{"index":{"fields":["\#(name)"]},"ddoc":"d","name":"\#(name)"}"#
                #expect(try await face.send("POST", "/db/_index", index).status == 200)
            }
            let answer = try await face.send(
                "POST", "/db/_index/_bulk_delete", #"{"docids":["_design/d","e"]}"#)
            #expect(
                answer
                    == Face.Answer(
                        status: 200,
                        json: [
                            "success": [["id": "_design/d", "ok": true]],
                            "fail": [["id": "_design/e", "error": "not_found"]],
                        ]))
            #expect(try await face.send("GET", "/db/_index").json["total_rows"] == 1)
        }
    }
}
