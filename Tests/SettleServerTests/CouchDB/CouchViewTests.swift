import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `CouchDB views` {
    /// A database of 12 documents with a view of sums and one of rows.
    private func withViews(_ body: (Face) async throws -> Void) async throws {
        try await withFace { face async throws in
            for number in 0..<12 {
                let id = "d\(10 + number)"
                let text =
                    "{\"type\":\"\(number % 2 == 0 ? "a" : "b")\",\"city\":\(number % 3),\"n\":\(number)}"
                #expect(try await face.send("PUT", "/db/\(id)", text).status == 201)
            }
            let database = try await face.databases.database("db").database
            try await database.addIndex(
                Database.IndexDeclaration(
                    name: "by/sum", keys: [["type"], ["city"]], value: ["n"], reduce: .sum
                ).index)
            try await database.addIndex(
                Database.IndexDeclaration(name: "byN", keys: [["n"]]).index)
            try await body(face)
        }
    }

    private func rows(_ answer: Face.Answer, _ name: String) -> [JSONValue?] {
        answer.json["rows"]?.arrayValue?.map { $0[name] } ?? []
    }

    @Test func `are asked by key, range, page and direction`() async throws {
        try await withViews { face async throws in
            let view = "/db/_design/settle/_view/byN"
            let all = try await face.send("GET", view)
            #expect(all.json["total_rows"] == 12 && all.json["offset"] == 0)
            #expect(rows(all, "key").count == 12)
            let range = try await face.send("GET", view + "?startkey=3&endkey=5")
            #expect(rows(range, "key") == [3, 4, 5] && range.json["offset"] == 3)
            #expect(rows(range, "id") == ["d13", "d14", "d15"])
            let open = try await face.send("GET", view + "?startkey=3&endkey=5&inclusive_end=false")
            #expect(rows(open, "key") == [3, 4])
            let down = try await face.send(
                "GET", view + "?descending=true&startkey=5&limit=2&skip=1")
            #expect(rows(down, "key") == [4, 3])
            #expect(rows(try await face.send("GET", view + "?key=7"), "id") == ["d17"])
            let listed = try await face.send("POST", view, #"{"keys":[7,99,1,7]}"#)
            #expect(rows(listed, "key") == [7, 1, 7])
            let turned = try await face.send(
                "POST", view, #"{"keys":[7,99,1,3],"descending":true,"skip":1,"limit":1}"#)
            #expect(rows(turned, "key") == [1])
            let none = try await face.send("GET", view + "?limit=0")
            #expect(none.json["rows"] == [] && none.json["total_rows"] == 12)
            let shown = try await face.send(
                "GET", view + "?key=7&include_docs=true&update_seq=true")
            #expect(shown.json["rows"]?.arrayValue?[0]["doc"]?["city"] == 1)
            #expect(shown.json["update_seq"] == "12-settle")
            // The query wins over the body.
            let both = try await face.send("POST", view + "?startkey=11", #"{"startkey":1}"#)
            #expect(rows(both, "key") == [11])
            let many = try await face.send(
                "POST", view + "/queries", #"{"queries":[{"key":1},{"startkey":10,"skip":1}]}"#)
            let results = many.json["results"]?.arrayValue
            #expect(results?.count == 2 && results?[1]["rows"]?.arrayValue?[0]["key"] == 11)
        }
    }

    @Test func `take one key in a list as a key`() async throws {
        try await withViews { face async throws in
            let sum = "/db/_design/by/_view/sum"
            let reduced = Face.Answer(
                status: 200, json: ["rows": [["key": .null, "value": 12]]])
            for answer in [
                try await face.send("GET", sum + "?keys=[[\"b\",0]]"),
                try await face.send("POST", sum, #"{"keys":[["b",0]]}"#),
            ] {
                #expect(answer == reduced)
            }
            let grouped = try await face.send("POST", sum + "?group=true", #"{"keys":[["b",1]]}"#)
            #expect(rows(grouped, "value") == [8])
            let plain = try await face.send(
                "POST", "/db/_design/settle/_view/byN", #"{"keys":[7]}"#)
            #expect(rows(plain, "key") == [7] && plain.json["offset"] == 7)
        }
    }

    @Test func `are reduced as a whole, by group and by level`() async throws {
        try await withViews { face async throws in
            let view = "/db/_design/by/_view/sum"
            let whole = try await face.send("GET", view)
            #expect(whole.json == ["rows": [["key": .null, "value": 66]]])
            let level = try await face.send("GET", view + "?group_level=1")
            #expect(rows(level, "key") == [["a"], ["b"]] && rows(level, "value") == [30, 36])
            let exact = try await face.send("GET", view + "?group=true&startkey=[\"b\"]&limit=2")
            #expect(rows(exact, "key") == [["b", 0], ["b", 1]])
            let some = try await face.send(
                "POST", view + "?group=true", #"{"keys":[["b",1],["z"]]}"#)
            #expect(rows(some, "value") == [8])
            // Groups of a list of keys are not turned round.
            let turned = try await face.send(
                "POST", view + "?group=true&descending=true", #"{"keys":[["b",1],["b",0]]}"#)
            #expect(rows(turned, "key") == [["b", 1], ["b", 0]])
            let plain = try await face.send("GET", view + "?reduce=false&limit=1")
            #expect(plain.json["total_rows"] == 12 && rows(plain, "value") == [0])
            let empty = try await face.send("GET", view + "?startkey=[\"x\"]")
            #expect(empty.json == ["rows": []])
        }
    }

    @Test(arguments: [
        ("settle/_view/byN?reduce=true", "Reduce is invalid for map-only views."),
        ("settle/_view/byN?group=true", "Invalid use of grouping on a map view."),
        ("settle/_view/byN?descending=x", "Invalid boolean parameter: \"x\""),
        ("settle/_view/byN?limit=-1", "Invalid value for positive integer: \"-1\""),
        ("settle/_view/byN?skip=x", "Invalid value for integer: \"x\""),
        ("settle/_view/byN?keys=1", "`keys` must be an array of strings."),
        ("settle/_view/byN?stale=x", "Invalid value for `stale`."),
        ("settle/_view/byN?update=x", "Invalid value for `update`."),
        (
            "settle/_view/byN?startkey=5&endkey=3",
            "No rows can match your key range, reverse your start_key and end_key or set descending=true"
        ),
        (
            "by/_view/sum?keys=[1,2]",
            "Multi-key fetches for reduce views must use `group=true`"
        ),
        (
            "by/_view/sum?keys=[1,2]&group_level=1",
            "Multi-key fetches for reduce views must use `group=true`"
        ),
        (
            "by/_view/sum?keys=[1,2]&group=true&group_level=1",
            "Multi-key fetches for reduce views must use `group=true`"
        ),
        (
            "by/_view/sum?keys=[1]&startkey=0",
            "`keys` is incompatible with `key`, `start_key` and `end_key`"
        ),
        ("by/_view/sum?include_docs=true", "`include_docs` is invalid for reduce"),
        (
            "by/_view/sum?group=false&group_level=1",
            "Can't specify group=false and group_level>0 at the same time"
        ),
    ])
    func `refuse what makes no sense in CouchDB's words`(target: String, reason: String)
        async throws
    {
        try await withViews { face async throws in
            #expect(
                try await face.send("GET", "/db/_design/\(target)")
                    == .failure(400, "query_parse_error", reason))
        }
    }

    @Test func `that are not there say which part is missing`() async throws {
        try await withViews { face async throws in
            #expect(
                try await face.send("GET", "/db/_design/by/_view/x").json["reason"]
                    == "missing_named_view")
            #expect(try await face.send("GET", "/db/_design/x/_view/x").json["reason"] == "missing")
            #expect(try await face.send("POST", "/db/_temp_view", "{}").status == 410)
        }
    }

    @Test func `show a reader the rows of the channels alone`() async throws {
        let guarded = try await GuardedFace()
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let reader = try await GuardedFace.token("bob", ["a"])
        try await guarded.send(admin, "PUT", "/db")
        for (id, channels, number) in [("x", "a", 1), ("y", "b", 2), ("z", "a", 3)] {
            try await guarded.send(
                admin, "PUT", "/db/\(id)", "{\"channels\":[\"\(channels)\"],\"n\":\(number)}")
        }
        let database = try await guarded.face.databases.database("db").database
        try await database.addIndex(
            Database.IndexDeclaration(name: "byN", keys: [["n"]], reduce: .count).index)
        let view = "/db/_design/settle/_view/byN"
        #expect(try await guarded.send(admin, "GET", view).json["rows"]?.arrayValue?.count == 1)
        let counted = try await guarded.send(reader, "GET", view)
        #expect(counted.status == 403)
        let rows = try await guarded.send(
            reader, "GET", view + "?reduce=false&skip=1&include_docs=true")
        #expect(rows.json["rows"]?.arrayValue?.map { $0["id"] } == ["z"])
        #expect(rows.json["total_rows"] == nil)
        let found = try await guarded.send(
            reader, "POST", "/db/_find", #"{"selector":{"n":{"$gt":0}}}"#)
        #expect(found.json["docs"]?.arrayValue?.map { $0["_id"] } == ["x", "z"])
        let index = #"{"index":{"fields":["n"]}}"#
        #expect(try await guarded.send(reader, "POST", "/db/_index", index).status == 401)
        await guarded.face.databases.close()
    }

    @Test func `and databases are closed to those whom their security object does not name`()
        async throws
    {
        let guarded = try await GuardedFace()
        let admin = try await GuardedFace.token("anna", roles: ["_admin"])
        let (bob, eve) = (
            try await GuardedFace.token("bob", roles: ["staff"]), try await GuardedFace.token("eve")
        )
        try await guarded.send(admin, "PUT", "/db")
        let object = #"{"admins":{"names":["bob"]},"members":{"names":[],"roles":["staff","x"]}}"#
        #expect(try await guarded.send(eve, "PUT", "/db/_security", object).status == 401)
        #expect(try await guarded.send(admin, "PUT", "/db/_security", object).status == 200)
        #expect(
            try await guarded.send(bob, "GET", "/db/_security").json == JSONValue(jsonText: object))
        #expect(try await guarded.send(eve, "GET", "/db").status == 403)
        #expect(try await guarded.send(bob, "POST", "/db/_compact").status == 202)
        #expect(
            try await guarded.send(admin, "PUT", "/db/_security", #"{"members":1}"#).status == 400)
        // Purging is for administrators of the server.
        let stored = try await guarded.send(bob, "PUT", "/db/x", #"{"channels":["a"]}"#)
        let purge = "{\"x\":[\"\(stored.revision)\",\"9-z\"],\"y\":[\"1-a\"]}"
        #expect(try await guarded.send(bob, "POST", "/db/_purge", purge).status == 401)
        let purged = try await guarded.send(admin, "POST", "/db/_purge", purge)
        #expect(
            purged.status == 201
                && purged.json["purged"] == ["x": [.string(stored.revision)], "y": []])
        #expect(try await guarded.send(bob, "GET", "/db/x").json["reason"] == "missing")
        #expect(try await guarded.send(bob, "GET", "/db/_changes").json["results"] == [])
        await guarded.face.databases.close()
    }
}
