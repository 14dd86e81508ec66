import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `CouchDB documents` {
    @Test func `lie in databases that are made, described and deleted`() async throws {
        try await withFace { face async throws in
            #expect(
                try await face.send("PUT", "/db")
                    == .failure(
                        412, "file_exists",
                        "The database could not be created, the file already exists."))
            #expect(try await face.send("PUT", "/Db").json["error"] == "illegal_database_name")
            #expect(
                try await face.send("GET", "/none")
                    == .failure(404, "not_found", "Database does not exist."))
            #expect(try await face.send("PUT", "/a%2Fb").status == 201)
            #expect(try await face.send("GET", "/_all_dbs").json == ["a/b", "db"])
            try await face.send("PUT", "/db/x", #"{"n":1}"#)
            let info = try await face.send("GET", "/db").json
            #expect(info["db_name"] == "db" && info["doc_count"] == 1)
            #expect(info["update_seq"]?.stringValue?.hasPrefix("1-") == true)
            #expect(try await face.send("DELETE", "/a%2Fb").json == ["ok": true])
            #expect(try await face.send("DELETE", "/a%2Fb").status == 404)
            #expect(try await face.send("GET", "/_all_dbs").json == ["db"])
            #expect(try await face.send("GET", "/").json["couchdb"] == "Welcome")
            #expect(try await face.send("GET", "/_up").json["status"] == "ok")
            let uuids = try await face.send("GET", "/_uuids?count=3").json["uuids"]?.arrayValue
            #expect(uuids?.count == 3)
        }
    }

    @Test func `are written after the revision that is there, and refused after any other`()
        async throws
    {
        try await withFace { face async throws in
            let conflict = Face.Answer.failure(409, "conflict", "Document update conflict.")
            #expect(
                try await face.send("GET", "/db/x") == .failure(404, "not_found", "missing"))
            let first = try await face.send("PUT", "/db/x", #"{"n":1,"id":"own"}"#)
            #expect(first.status == 201 && first.revision.hasPrefix("1-"))
            #expect(try await face.send("PUT", "/db/x", #"{"n":2}"#) == conflict)
            #expect(
                try await face.send("PUT", "/db/x?rev=bad", #"{"n":2}"#)
                    == .failure(400, "bad_request", "Invalid rev format"))
            #expect(try await face.send("PUT", "/db/x?rev=1-abc", #"{"n":2}"#) == conflict)
            #expect(try await face.send("PUT", "/db/y?rev=1-abc", #"{"n":2}"#) == conflict)
            let read = try await face.send("GET", "/db/x").json
            #expect(
                read == ["_id": "x", "_rev": .string(first.revision), "n": 1, "id": "own"])
            let second = try await face.send(
                "PUT", "/db/x", #"{"n":2}"#, headers: ["if-match": "\"\(first.revision)\""])
            #expect(second.status == 201 && second.revision.hasPrefix("2-"))
            #expect(try await face.send("DELETE", "/db/x") == conflict)
            #expect(try await face.send("DELETE", "/db/x?rev=\(first.revision)") == conflict)
            let gone = try await face.send("DELETE", "/db/x?rev=\(second.revision)")
            #expect(gone.status == 200 && gone.revision.hasPrefix("3-"))
            #expect(try await face.send("GET", "/db/x") == .failure(404, "not_found", "deleted"))
            #expect(
                try await face.send("GET", "/db/x?rev=\(gone.revision)").json
                    == ["_id": "x", "_rev": .string(gone.revision), "_deleted": true])
            // Its history is continued.
            let again = try await face.send("PUT", "/db/x", "{}")
            #expect(again.revision.hasPrefix("4-"))
            let revisions = try await face.send("GET", "/db/x?revs=true&revs_info=true").json
            #expect(revisions["_revisions"]?["start"] == 4)
            #expect(revisions["_revisions"]?["ids"]?.arrayValue?.count == 4)
            #expect(
                revisions["_revs_info"]?.arrayValue?.map { $0["status"] }
                    == ["available", "missing", "missing", "missing"])
        }
    }

    @Test(arguments: [
        ("PUT", "/db/_x", "{}", 400, "illegal_docid"),
        ("PUT", "/db/x", "[]", 400, "bad_request"),
        ("PUT", "/db/x", "{", 400, "bad_request"),
        ("PUT", "/db/x", #"{"_odd":1}"#, 400, "doc_validation"),
        ("PUT", "/db/_design/", #"{"views":{}}"#, 404, "not_found"),
        ("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"_design/"}]}"#, 400, "illegal_docid"),
        ("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"_a"}]}"#, 400, "illegal_docid"),
        ("POST", "/db/_bulk_docs", "{}", 400, "bad_request"),
        ("GET", "/db/_all_docs?limit=-1", "", 400, "query_parse_error"),
        ("GET", "/db/_all_docs?descending=maybe", "", 400, "query_parse_error"),
        ("GET", "/db/_changes?since=x", "", 400, "bad_request"),
        ("PATCH", "/db/x", "", 405, "method_not_allowed"),
        ("GET", "/db/_design/d/_view/v", "", 404, "not_found"),
    ])
    func `are refused in its words`(
        method: String, target: String, body: String, status: Int, error: String
    ) async throws {
        try await withFace { face async throws in
            let answer = try await face.send(method, target, body)
            #expect(answer.status == status && answer.json["error"] == .string(error), "\(answer)")
        }
    }

    @Test func `have conflicts, which replicators make and anybody resolves`() async throws {
        try await withFace { face async throws in
            let body = #"""
                {"new_edits":false,"docs":[
                {"_id":"x","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"n":1},
                {"_id":"x","_rev":"2-c","_revisions":{"start":2,"ids":["c","a"]},"n":2},
                {"_id":"x","_rev":"3-d","_revisions":{"start":3,"ids":["d","z","a"]},"_deleted":true},
                {"_id":"\#(String(repeating: "d", count: 256))","_rev":"1-a"}]}
                """#
            let stored = try await face.send("POST", "/db/_bulk_docs", body)
            #expect(stored.status == 201 && stored.json.arrayValue?.count == 1)
            #expect(stored.json.arrayValue?[0]["error"] == "illegal_docid")
            let read = try await face.send("GET", "/db/x?meta=true").json
            #expect(read["_rev"] == "2-c" && read["n"] == 2)
            #expect(read["_conflicts"] == ["2-b"] && read["_deleted_conflicts"] == ["3-d"])
            let open = try await face.send("GET", "/db/x?open_revs=all").json.arrayValue
            #expect(open?.compactMap { $0["ok"]?["_rev"] } == ["2-c", "2-b", "3-d"])
            let some = try await face.send(
                "GET", "/db/x?open_revs=[\"2-b\",\"9-q\",\"1-a\"]&revs=true"
            ).json.arrayValue
            #expect(some?.count == 3 && some?[1] == ["missing": "9-q"])
            #expect(some?[0]["ok"]?["_revisions"] == ["start": 2, "ids": ["b", "a"]])
            let latest = try await face.send("GET", "/db/x?open_revs=[\"1-a\"]&latest=true").json
            #expect(latest.arrayValue?.count == 3)
            let difference = try await face.send(
                "POST", "/db/_revs_diff", #"{"x":["2-b","3-e","1-a"],"y":["1-q"],"z":[]}"#)
            #expect(
                difference.json == [
                    "x": ["missing": ["3-e"], "possible_ancestors": ["2-c", "2-b"]],
                    "y": ["missing": ["1-q"]],
                ])
            #expect(
                try await face.send("POST", "/db/_missing_revs", #"{"x":["2-b","3-e"]}"#).json
                    == ["missing_revs": ["x": ["3-e"]]])
            // A losing leaf may be written after, and wins then.
            let longer = try await face.send("PUT", "/db/x?rev=2-b", #"{"n":3}"#)
            #expect(longer.revision.hasPrefix("3-"))
            #expect(try await face.send("GET", "/db/x").json["n"] == 3)
            let end = try await face.send("DELETE", "/db/x?rev=2-c")
            #expect(end.status == 200)
            #expect(try await face.send("GET", "/db/x?conflicts=true").json["_conflicts"] == nil)
            #expect(
                try await face.databases.database("db").database.check() == [])
        }
    }

    @Test func `are listed by identifier, in ranges, backwards and by keys`() async throws {
        try await withFace { face async throws in
            for id in ["a", "b", "c", "d"] { try await face.send("PUT", "/db/\(id)", "{}") }
            let gone = try await face.send("GET", "/db/b").json["_rev"]?.stringValue ?? ""
            try await face.send("DELETE", "/db/b?rev=\(gone)")
            func ids(_ query: String) async throws -> [String?] {
                try await face.send("GET", "/db/_all_docs?\(query)").json["rows"]?.arrayValue?
                    .map { $0["id"]?.stringValue } ?? []
            }
            #expect(try await ids("") == ["a", "c", "d"])
            #expect(try await ids("startkey=\"b\"&endkey=\"d\"") == ["c", "d"])
            #expect(try await ids("startkey=\"b\"&endkey=\"d\"&inclusive_end=false") == ["c"])
            #expect(try await ids("descending=true&limit=2") == ["d", "c"])
            #expect(try await ids("descending=true&startkey=\"c\"") == ["c", "a"])
            #expect(try await ids("skip=1&limit=1") == ["c"])
            let page = try await face.send("GET", "/db/_all_docs?skip=2").json
            #expect(page["total_rows"] == 3 && page["offset"] == 2)
            let many = try await face.send(
                "POST", "/db/_all_docs/queries", #"{"queries":[{"keys":["c"]},{"skip":2}]}"#)
            let lists = many.json["results"]?.arrayValue?.map { $0["rows"]?.arrayValue?[0]["id"] }
            #expect(lists == ["c", "d"])
            let keys = try await face.send(
                "POST", "/db/_all_docs?include_docs=true", #"{"keys":["c","x","b"]}"#
            ).json["rows"]?.arrayValue
            #expect(keys?[0]["doc"]?["_id"] == "c")
            #expect(keys?[1] == ["key": "x", "error": "not_found"])
            #expect(keys?[2]["value"]?["deleted"] == true && keys?[2]["doc"] == .null)
        }
    }

    @Test func `have attachments, inline and by themselves, under their MD5`() async throws {
        try await withFace { face async throws in
            let body = #"{"_attachments":{"a.txt":{"content_type":"text/plain","data":"YWJj"}}}"#
            let first = try await face.send("PUT", "/db/x", body)
            var read = try await face.send("GET", "/db/x").json
            let expected: JSONValue = [
                "content_type": "text/plain", "digest": "md5-kAFQmDzST7DWlj99KOF/cg==",
                "length": 3, "revpos": 1, "stub": true,
            ]
            #expect(read["_attachments"]?["a.txt"] == expected)
            // A stub keeps it.
            let stub = #"{"n":1,"_attachments":{"a.txt":{"stub":true}}}"#
            let second = try await face.send("PUT", "/db/x?rev=\(first.revision)", stub)
            #expect(second.status == 201)
            let lost = #"{"_attachments":{"b.txt":{"stub":true}}}"#
            #expect(
                try await face.send("PUT", "/db/x?rev=\(second.revision)", lost).json["error"]
                    == "missing_stub")
            let content = await face.respond("GET", "/db/x/a.txt")
            #expect(content.bytes == Array("abc".utf8))
            #expect(
                content.headers.contains { $0.name == "Content-Type" && $0.value == "text/plain" })
            let third = try await face.send(
                "PUT", "/db/x/dir/b?rev=\(second.revision)", "more",
                headers: ["content-type": "image/x"])
            #expect(third.status == 201)
            read = try await face.send("GET", "/db/x?attachments=true").json
            #expect(read["_attachments"]?["a.txt"]?["data"] == "YWJj")
            #expect(read["_attachments"]?["dir/b"]?["data"] == "bW9yZQ==")
            #expect(try await face.send("DELETE", "/db/x/a.txt").status == 409)
            let fourth = try await face.send("DELETE", "/db/x/a.txt?rev=\(third.revision)")
            #expect(fourth.status == 200)
            #expect(
                try await face.send("GET", "/db/x/a.txt")
                    == .failure(404, "not_found", "Document is missing attachment"))
            #expect(try await face.send("PUT", "/db/new/f", "x").revision.hasPrefix("1-"))
        }
    }

    @Test func `that are local are in no feed, and count their revisions as told`() async throws {
        try await withFace { face async throws in
            #expect(try await face.send("GET", "/db/_local/a").status == 404)
            #expect(try await face.send("PUT", "/db/_local/a", #"{"n":1}"#).revision == "0-1")
            #expect(
                try await face.send("PUT", "/db/_local%2Fa", #"{"_rev":"0-1","n":2}"#).revision
                    == "0-2")
            #expect(
                try await face.send("GET", "/db/_local/a").json
                    == ["_id": "_local/a", "_rev": "0-2", "n": 2])
            #expect(try await face.send("PUT", "/db/_local/a", "{}").revision == "0-1")
            #expect(
                try await face.send("GET", "/db/_local_docs").json["rows"]?.arrayValue?.count == 1)
            #expect(try await face.send("GET", "/db/_changes").json["results"] == [])
            #expect(try await face.send("DELETE", "/db/_local/a").status == 200)
            #expect(try await face.send("DELETE", "/db/_local/a").status == 404)
        }
    }

    @Test func `are copied with their attachments`() async throws {
        try await withFace { face async throws in
            try await face.send("PUT", "/db/x/f", "abc")
            let copy = try await face.send("COPY", "/db/x", headers: ["destination": "y"])
            #expect(copy.status == 201)
            #expect(await face.respond("GET", "/db/y/f").bytes == Array("abc".utf8))
            #expect(
                try await face.send("COPY", "/db/x", headers: ["destination": "y"]).status == 409)
            let target = "y?rev=\(copy.revision)"
            #expect(
                try await face.send("COPY", "/db/x", headers: ["destination": target]).revision
                    .hasPrefix("2-"))
            #expect(
                try await face.send("COPY", "/db/none", headers: ["destination": "z"]).status == 404
            )
        }
    }

    @Test func `have the digests of RFC 1321`() {
        func text(_ content: String) -> String {
            CouchContent.md5(of: Data(content.utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
        }
        #expect(text("") == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(text("abc") == "900150983cd24fb0d6963f7d28e17f72")
        #expect(text("message digest") == "f96b697d7cb7938d525a2f31aaf161d0")
        #expect(
            text(String(repeating: "1234567890", count: 8)) == "57edf4a22be3c955ac49da2e2107b67a")
    }
}
