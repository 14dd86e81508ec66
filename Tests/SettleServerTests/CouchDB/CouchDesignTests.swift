import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Design documents of CouchDB` {
    private let scripts =
        #"{"language":"javascript","views":{"v":{"map":"function(d){emit(d._id)}"}}}"#

    private func ids(_ answer: Face.Answer, _ list: String = "rows") -> [JSONValue?]? {
        answer.json[list]?.arrayValue?.map { $0["id"] }
    }

    @Test func `are stored as other documents are, and replicate`() async throws {
        try await withFace { face async throws in
            let stored = try await face.send("PUT", "/db/_design/d", scripts)
            #expect(stored.status == 201 && stored.json["id"] == "_design/d")
            try await face.send("PUT", "/db/x", "{}")
            let read = try await face.send("GET", "/db/_design%2Fd?revs=true")
            #expect(read.json["_rev"] == .string(stored.revision))
            #expect(read.json["views"]?["v"]?["map"] != nil)
            #expect(read.json["_revisions"]?["start"] == 1)
            #expect(try await face.send("PUT", "/db/_design/d", scripts).status == 409)
            #expect(ids(try await face.send("GET", "/db/_all_docs")) == ["_design/d", "x"])
            #expect(
                ids(try await face.send("GET", "/db/_changes"), "results") == ["_design/d", "x"])
            let designs = try await face.send("GET", "/db/_changes?filter=_design&limit=5")
            #expect(ids(designs, "results") == ["_design/d"] && designs.json["pending"] == 0)
            #expect(try await face.send("GET", "/db").json["doc_count"] == 2)
            let given = #"{"new_edits":false,"docs":[{"_id":"_design/e","_rev":"2-b","n":1}]}"#
            #expect(try await face.send("POST", "/db/_bulk_docs", given).json == [])
            let difference = #"{"_design/e":["2-b","3-c"]}"#
            #expect(
                try await face.send("POST", "/db/_revs_diff", difference).json["_design/e"]?[
                    "missing"]
                    == ["3-c"])
            let text = try await face.send(
                "PUT", "/db/_design/e/a%2Fb.html?rev=2-b", "page",
                headers: ["content-type": "text/html"])
            #expect(text.status == 201 && text.revision.hasPrefix("3-"))
            let page = await face.respond("GET", "/db/_design/e/a/b.html")
            #expect(page.bytes == Array("page".utf8))
            let gone = try await face.send("DELETE", "/db/_design/d?rev=\(stored.revision)")
            #expect(gone.status == 200)
            #expect(try await face.send("GET", "/db/_design/d").json["reason"] == "deleted")
            #expect(ids(try await face.send("GET", "/db/_design_docs")) == ["_design/e"])
        }
    }

    @Test func `say that their functions are not run when one is asked for, and not before`()
        async throws
    {
        try await withFace { face async throws in
            try await face.send("PUT", "/db/_design/d", scripts)
            let view = try await face.send("GET", "/db/_design/d/_view/v")
            #expect(view.status == 501 && view.json["error"] == "not_implemented")
            #expect(
                try await face.send("GET", "/db/_design/d/_view/w")
                    == .failure(404, "not_found", "missing_named_view"))
            #expect(try await face.send("GET", "/db/_design/d/_show/s/x").status == 501)
            #expect(try await face.send("GET", "/db/_design/d/_nothing").status == 404)
            // An index with the name of the view answers in its place.
            let index = #"{"index":{"fields":["n"]},"ddoc":"d","name":"v"}"#
            try await face.send("PUT", "/db/x", #"{"n":1}"#)
            #expect(try await face.send("POST", "/db/_index", index).status == 200)
            #expect(ids(try await face.send("GET", "/db/_design/d/_view/v")) == ["x"])
            let read = try await face.send("GET", "/db/_design/d")
            #expect(read.json["language"] == "javascript")
        }
    }

    @Test func `have no rows in indexes, and no selector finds them`() async throws {
        try await withFace { face async throws in
            try await face.send("PUT", "/db/_design/d", #"{"n":0,"views":{}}"#)
            try await face.send("PUT", "/db/x", #"{"n":1}"#)
            let database = try await face.databases.database("db").database
            try await database.addIndex(
                Database.IndexDeclaration(name: "d/n", keys: [["n"]], reduce: .count).index)
            try await face.send("PUT", "/db/_design/e", #"{"n":2}"#)
            let whole = try await face.send("GET", "/db/_design/d/_view/n")
            #expect(whole.json["rows"] == [["key": .null, "value": 1]])
            let rows = try await face.send("GET", "/db/_design/d/_view/n?reduce=false")
            #expect(ids(rows) == ["x"] && rows.json["total_rows"] == 1)
            for body in [#"{"selector":{"n":{"$gte":0}}}"#, #"{"selector":{}}"#] {
                let found = try await face.send("POST", "/db/_find", body)
                #expect(found.json["docs"]?.arrayValue?.map { $0["_id"] } == ["x"], "\(body)")
            }
            #expect(try await database.check().isEmpty)
        }
    }

    @Test func `that stand for indexes can be read, changed and stored`() async throws {
        try await withFace { face async throws in
            let index = #"{"index":{"fields":["n"]},"ddoc":"d","name":"v"}"#
            try await face.send("POST", "/db/_index", index)
            let shown = try await face.send("GET", "/db/_design/d")
            let revision = shown.json["_rev"]?.stringValue ?? ""
            #expect(shown.json["language"] == "query" && revision.hasPrefix("1-"))
            let refused = try await face.send("DELETE", "/db/_design/d?rev=\(revision)")
            #expect(refused.status == 403)
            #expect(
                try await face.send("PUT", "/db/_design/d", #"{"_rev":"1-a","views":{}}"#).status
                    == 409)
            let changed = "{\"_rev\":\"\(revision)\",\"views\":{}}"
            let stored = try await face.send("PUT", "/db/_design/d", changed)
            #expect(stored.status == 201 && stored.revision.hasPrefix("1-"))
            let listed = try await face.send("GET", "/db/_design_docs?include_docs=true")
            #expect(ids(listed) == ["_design/d"])
            #expect(
                listed.json["rows"]?.arrayValue?[0]["doc"]?["_rev"] == .string(stored.revision))
            #expect(try await face.send("GET", "/db/_design/d/_view/v").status == 200)
        }
    }

    @Test func `with identifiers that are canonically equivalent are documents of their own`()
        async throws
    {
        try await withFace { face async throws in
            let (composed, decomposed) = ("_design/\u{E9}", "_design/e\u{301}")
            let index = "{\"index\":{\"fields\":[\"n\"]},\"ddoc\":\"\u{E9}\",\"name\":\"v\"}"
            #expect(try await face.send("POST", "/db/_index", index).status == 200)
            let other = "{\"docs\":[{\"_id\":\"\(decomposed)\",\"n\":2}]}"
            #expect(try await face.send("POST", "/db/_bulk_docs", other).status == 201)
            func listed(_ body: String) async throws -> [[UInt8]]? {
                let answer = try await face.send("POST", "/db/_design_docs", body)
                return answer.json["rows"]?.arrayValue?.map {
                    Array(($0["id"]?.stringValue ?? "").utf8)
                }
            }
            let both = [Array(decomposed.utf8), Array(composed.utf8)]
            // The stored one hides only the declared one of the same bytes.
            #expect(try await listed("{}") == both)
            let stored = "{\"docs\":[{\"_id\":\"\(composed)\",\"n\":1}]}"
            #expect(try await face.send("POST", "/db/_bulk_docs", stored).status == 201)
            #expect(try await listed("{}") == both)
            #expect(
                try await listed("{\"keys\":[\"\(composed)\",\"\(decomposed)\"]}")
                    == both.reversed())
            let changes = try await face.send(
                "POST", "/db/_changes?filter=_doc_ids", "{\"doc_ids\":[\"\(composed)\"]}")
            #expect(changes.json["results"]?.arrayValue?.count == 1)
        }
    }

    @Test func `are written by administrators of the database, and seen by their channels`()
        async throws
    {
        let guarded = try await GuardedFace()
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let writer = try await GuardedFace.token("carl")
        let reader = try await GuardedFace.token("bob", ["a"])
        try await guarded.send(admin, "PUT", "/db")
        let notAdmin = Face.Answer.failure(
            401, "unauthorized", "You are not a db or server admin.")
        #expect(try await guarded.send(writer, "PUT", "/db/_design/d", scripts) == notAdmin)
        let many = #"{"docs":[{"_id":"_design/d"},{"_id":"x","channels":["a"]}]}"#
        let results = try await guarded.send(writer, "POST", "/db/_bulk_docs", many).json.arrayValue
        #expect(results?[0]["error"] == "unauthorized" && results?[1]["ok"] == true)
        #expect(try await guarded.send(admin, "PUT", "/db/_design/d", scripts).status == 201)
        #expect(
            try await guarded.send(admin, "PUT", "/db/_design/e", #"{"channels":["a"]}"#).status
                == 201)
        #expect(try await guarded.send(reader, "GET", "/db/_design/d").status == 404)
        #expect(ids(try await guarded.send(reader, "GET", "/db/_design_docs")) == ["_design/e"])
        #expect(ids(try await guarded.send(reader, "GET", "/db/_all_docs")) == ["_design/e", "x"])
        await guarded.face.databases.close()
    }
}
