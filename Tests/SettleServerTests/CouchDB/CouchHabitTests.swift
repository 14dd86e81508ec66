import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// What CouchDB 3.5.0 was seen to answer, and clients and its replicator depend on.
@Suite(.serialized) struct `Habits of CouchDB's clients` {
    @Test func `its replicator's checkpoints name a revision of generation 0`() async throws {
        try await withFace { face async throws in
            for ids in ["[]", #"["1"]"#] {
                let body =
                    "{\"_id\":\"_local/r\",\"_rev\":\"0-1\",\"_revisions\":{\"start\":0,\"ids\":\(ids)},\"n\":1}"
                let stored = try await face.send("PUT", "/db/_local/r", body)
                #expect(stored.status == 201 && stored.revision == "0-2", "\(stored)")
            }
            #expect(
                try await face.send("GET", "/db/_local/r").json
                    == ["_id": "_local/r", "_rev": "0-2", "n": 1])
        }
    }

    @Test(arguments: ["1234567890123456789012345", "1e999", "-9223372036854775809"])
    func `a number that no document here can hold is a failure of its own document`(number: String)
        async throws
    {
        try await withFace { face async throws in
            let body = """
                { "new_edits" : false , "docs" : [ {"_id":"a\\"],[","_rev":"1-a","x":[{"y":\(number)}]},
                {"_id":"b","_rev":"1-a","_revisions":{"start":1,"ids":["a"]},"t":"},{\\\\"}, {"_id":"c","_rev":"1-a"} ] }
                """
            let stored = try await face.send("POST", "/db/_bulk_docs", body)
            #expect(stored.status == 201 && stored.json.arrayValue?.count == 1, "\(stored)")
            #expect(stored.json.arrayValue?[0]["id"] == "a\"],[")
            #expect(stored.json.arrayValue?[0]["error"] == "doc_validation")
            #expect(try await face.send("GET", "/db/b").json["t"] == "},{\\")
            let rows = try await face.send("GET", "/db/_all_docs").json["rows"]?.arrayValue
            #expect(rows?.map { $0["id"] } == ["b", "c"])
            let edits = "{\"docs\":[{\"x\":\(number),\"_id\":\"d\"},{\"_id\":\"e\"}]}"
            let results = try await face.send("POST", "/db/_bulk_docs", edits).json.arrayValue
            #expect(results?.count == 2 && results?[0]["error"] != nil && results?[1]["ok"] == true)
            // What is no JSON at all, or has no identifier to name, fails the request.
            for wrong in ["{\"docs\":[{\"x\":\(number)}]}", "{\"docs\":[{\"x\":\(number)},{]}"] {
                #expect(try await face.send("POST", "/db/_bulk_docs", wrong).status == 400)
            }
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func
        `a batch that is read document by document is read in linear time, whatever its names are`()
        async throws
    {
        try await withFace { face async throws in
            // A million colons in a string: looking at it once for each of them would take hours.
            let colons = String(repeating: ":", count: 1 << 20)
            let document = "{\"_id\":\"a\",\"x\":1e999,\"\(colons)\":0}"
            let body = "{\"docs\":[\(document),{\"_id\":\"b\"}],\"\(colons)\":0}"
            let results = try await face.send("POST", "/db/_bulk_docs", body).json.arrayValue
            #expect(results?.count == 2 && results?[0]["error"] == "doc_validation")
            #expect(results?[1]["ok"] == true)
        }
    }

    @Test(arguments: [
        #"{"docs":[{"_id":"a","x":1e999}],"y":tru}"#, #"{"docs":[{"_id":"a","x":1e999}],y:1}"#,
        #"{"docs":[{"_id":"a","x":1e999}],"y"}"#, #"{"docs":[{"_id":"a","x":1e999}]"#,
        #"{"docs":[{"_id":"a","x":1e999},],"y":1}"#, #"{"docs":[{"_id":"a","x":1e999}]],"y":1}"#,
        #"{"docs":[{"_id":"a","x":1e999}],"y":"}"#, #"{"docs":[{"_id":"a","x":1e999}]}]"#,
        #"{"docs":[{"_id":"a","x":1e999}],"y":1,}"#, #"{"x":1e999}"#, #"{"docs":{"x":1e999}}"#,
        #"[1e999]"#, "1e999", #"{"docs":[{"_id":"b"},{"_id":"a","x":1e999}"#,
    ])
    func `a batch that is no JSON behind such a number fails as a whole`(body: String) async throws
    {
        try await withFace { face async throws in
            let answer = try await face.send("POST", "/db/_bulk_docs", body)
            #expect(answer.status == 400, "\(answer)")
            #expect(try await face.send("GET", "/db").json["doc_count"] == 0)
        }
    }

    @Test func `documents are fetched with all leaves where no revision is asked for`() async throws
    {
        try await withFace { face async throws in
            let given = """
                {"new_edits":false,"docs":[{"_id":"c","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]}},
                {"_id":"c","_rev":"2-c","_revisions":{"start":2,"ids":["c","a"]}}]}
                """
            try await face.send("POST", "/db/_bulk_docs", given)
            let got = try await face.send(
                "POST", "/db/_bulk_get?revs=true", #"{"docs":[{"id":"c"},{"id":"z"}]}"#)
            let results = got.json["results"]?.arrayValue
            #expect(
                results?[0]["docs"]?.arrayValue?.map { $0["ok"]?["_rev"] } == ["2-c", "2-b"])
            #expect(results?[1]["docs"]?.arrayValue?[0]["error"]?["rev"] == "undefined")
        }
    }

    @Test func `a leaf is purged by itself, and the next one wins`() async throws {
        try await withFace { face async throws in
            let given = """
                {"new_edits":false,"docs":[{"_id":"c","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"n":1},
                {"_id":"c","_rev":"2-c","_revisions":{"start":2,"ids":["c","a"]},"n":2},
                {"_id":"c","_rev":"3-d","_revisions":{"start":3,"ids":["d","x","a"]},"_deleted":true}]}
                """
            try await face.send("POST", "/db/_bulk_docs", given)
            let last =
                try await face.send("GET", "/db/_changes").json["last_seq"]?.stringValue ?? ""
            let purged = try await face.send(
                "POST", "/db/_purge", #"{"c":["2-c","1-a","9-z"],"z":["1-a"]}"#)
            #expect(purged.status == 201 && purged.json["purged"] == ["c": ["2-c"], "z": []])
            let read = try await face.send("GET", "/db/c?conflicts=true&deleted_conflicts=true")
                .json
            #expect(read["_rev"] == "2-b" && read["n"] == 1 && read["_conflicts"] == nil)
            #expect(read["_deleted_conflicts"] == ["3-d"])
            // Whoever follows the changes sees it.
            let changes = try await face.send("GET", "/db/_changes?since=\(last)").json["results"]
            #expect(changes?.arrayValue?.map { $0["id"] } == ["c"])
            try await face.send("POST", "/db/_purge", #"{"c":["2-b"]}"#)
            #expect(try await face.send("GET", "/db/c").json["reason"] == "deleted")
            try await face.send("POST", "/db/_purge", #"{"c":["3-d"]}"#)
            #expect(try await face.send("GET", "/db/c").json["reason"] == "missing")
            #expect(try await face.send("GET", "/db/_changes").json["results"] == [])
            let database = try await face.databases.database("db").database
            #expect(try await database.check().isEmpty)
        }
    }

    @Test func `a key of all documents is a range, and a limit of 0 shows nothing`() async throws {
        try await withFace { face async throws in
            for id in ["a", "b", "c"] { try await face.send("PUT", "/db/\(id)", "{}") }
            let one = try await face.send("GET", "/db/_all_docs?key=\"b\"")
            #expect(one.json["rows"]?.arrayValue?.map { $0["id"] } == ["b"])
            #expect(one.json["offset"] == 1)
            for key in ["\"bb\"", "1"] {
                let none = try await face.send("GET", "/db/_all_docs?key=\(key)")
                #expect(none.status == 200 && none.json["rows"] == [], "\(key)")
            }
            let changes = try await face.send("GET", "/db/_changes?limit=0&style=all_docs")
            #expect(
                changes.json == ["results": [], "last_seq": "0-settle", "pending": 3])
            let designs = try await face.send(
                "POST", "/db/_design_docs", #"{"keys":["_design/z"]}"#)
            #expect(
                designs.json == [
                    "total_rows": 0, "offset": .null,
                    "rows": [["key": "_design/z", "error": "not_found"]],
                ])
        }
    }

    @Test func `events name their sequence, so that a reader goes on where it was`() async throws {
        try await withFace { face async throws in
            try await face.send("PUT", "/db/a", "{}")
            let answer = await face.respond("GET", "/db/_changes?feed=eventsource&limit=1")
            var text = ""
            if case .stream(let stream) = answer.body {
                for await piece in stream { text += String(decoding: piece, as: UTF8.self) }
            }
            #expect(text.hasPrefix("data: {") && text.hasSuffix("\nid: 1-settle\n\n"))
        }
    }

    @Test(arguments: [
        ("DELETE", "/db/zzz?rev=1-a", "", 404, "not_found"),
        ("GET", "/db/_bulk_get", "", 405, "method_not_allowed"),
        ("PUT", "/db/_all_docs", "{}", 405, "method_not_allowed"),
        ("POST", "/_all_dbs", "", 405, "method_not_allowed"),
        ("POST", "/db/_bulk_docs", #"{"docs":{}}"#, 400, "bad_request"),
        ("PUT", "/db/x?rev=1-a", #"{"_rev":"1-b"}"#, 400, "bad_request"),
        ("PUT", "/db/_design/d", #"{"views":1}"#, 400, "invalid_design_doc"),
        ("POST", "/db/_find", #"{"selector":{"$text":"x"}}"#, 400, "invalid_selector"),
        ("HEAD", "/db/_all_docs", "", 200, ""), ("HEAD", "/db/_changes", "", 200, ""),
        ("HEAD", "/_all_dbs", "", 200, ""), ("GET", "/db/_all_docs/", "", 200, ""),
    ])
    func `are answered with its status`(
        method: String, target: String, body: String, status: Int, error: String
    ) async throws {
        try await withFace { face async throws in
            let answer = try await face.send(method, target, body)
            #expect(answer.status == status, "\(answer)")
            if !error.isEmpty { #expect(answer.json["error"] == .string(error), "\(answer)") }
        }
    }
}
