import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `CouchDB indexes` {
    /// A face whose database has some documents, given as JSON.
    private func withDocuments(
        _ documents: [String], isolation: isolated (any Actor)? = #isolation,
        _ body: (Face) async throws -> Void
    ) async throws {
        try await withFace { face async throws in
            let stored = try await face.send(
                "POST", "/db/_bulk_docs", "{\"docs\":[\(documents.joined(separator: ","))]}")
            #expect(stored.status == 201, "\(stored)")
            try await body(face)
        }
    }

    private func declare(_ index: String, _ name: String, on face: Face) async throws {
        let answer = try await face.send(
            "POST", "/db/_index", #"{"index":\#(index),"ddoc":"d","name":"\#(name)"}"#)
        #expect(answer.json["result"] == "created", "\(answer)")
    }

    private func find(
        _ selector: String, _ rest: String = "", on face: Face
    ) async throws -> [String]? {
        let answer = try await face.send("POST", "/db/_find", "{\"selector\":\(selector)\(rest)}")
        return answer.json["docs"]?.arrayValue?.compactMap { $0["_id"]?.stringValue }
    }

    private func error(_ method: String, _ target: String, _ body: String, on face: Face)
        async throws -> String?
    {
        let answer = try await face.send(method, target, body)
        return answer.status == 400 ? answer.json["error"]?.stringValue : nil
    }

    private static let unsorted = "no_usable_index"

    // MARK: Other processes

    @Test func `are asked as soon as another process has declared them`() async throws {
        try await withDocuments([
            #"{"_id":"a","k":1,"v":5}"#, #"{"_id":"b","k":2,"v":6}"#,
        ]) { face async throws in
            let database = try await face.databases.database("db").database
            for name in ["x/viewed", "x/found"] {
                try await database.buildElsewhere(
                    Database.IndexDeclaration(
                        name: name, keys: [["k"]], value: ["v"], reduce: .sum))
            }
            let view = try await face.send("GET", "/db/_design/x/_view/viewed")
            #expect(view.json["rows"]?.arrayValue?.first?["value"] == 11, "\(view)")
            #expect(try await find(#"{"k":2}"#, on: face) == ["b"])
            #expect(try await face.send("GET", "/db/_index").json["total_rows"] == 3)
            #expect(try await face.send("GET", "/db/_design/x/_view/none").status == 404)
        }
    }

    @Test(arguments: ["", #","update":false"#])
    func `find by what another process has put in their place`(rest: String) async throws {
        try await withDocuments([
            #"{"_id":"a","a":1,"b":70}"#, #"{"_id":"b","a":2,"b":80}"#, #"{"_id":"c","a":3}"#,
        ]) { face async throws in
            try await declare(#"{"fields":["a"]}"#, "i", on: face)
            let selector = #"{"a":{"$lte":2}}"#
            #expect(try await find(selector, rest, on: face) == ["a", "b"])
            let database = try await face.databases.database("db").database
            try await database.buildElsewhere(
                Database.IndexDeclaration(name: "d/i", keys: [["b"]]))
            #expect(try await find(selector, rest, on: face) == ["a", "b"])
            #expect(try await find(#"{"b":{"$gt":70}}"#, rest, on: face) == ["b"])
        }
    }

    @Test func `do not come back when another process has removed them`() async throws {
        try await withDocuments([#"{"_id":"a","a":1}"#]) { face async throws in
            try await declare(#"{"fields":["a"]}"#, "i", on: face)
            let view = "/db/_design/d/_view/i"
            #expect(try await face.send("GET", view).status == 200)
            let database = try await face.databases.database("db").database
            try await database.removeElsewhere(named: "d/i")
            #expect(try await find(#"{"a":1}"#, on: face) == ["a"])
            #expect(try await face.send("GET", view).status == 404)
            #expect(try await face.send("GET", view + "?stale=ok").status == 404)
            #expect(try await face.send("GET", "/db/_index").json["total_rows"] == 1)
            try await declare(#"{"fields":["a"]}"#, "i", on: face)
            #expect(try await face.send("GET", view).status == 200)
        }
    }

    // MARK: Members

    @Test func `are of a member id as of any other`() async throws {
        try await withDocuments([
            #"{"_id":"z","id":1,"w":1}"#, #"{"_id":"m","id":3,"w":2}"#,
            #"{"_id":"a","id":2,"w":3}"#, #"{"_id":"n","w":4}"#,
        ]) { face async throws in
            let sorted = #"{"selector":{"id":{"$gt":0}},"sort":["id"]}"#
            #expect(try await error("POST", "/db/_find", sorted, on: face) == Self.unsorted)
            try await declare(#"{"fields":["id"]}"#, "member", on: face)
            try await declare(#"{"fields":["_id"]}"#, "own", on: face)
            try await declare(#"{"fields":["id","_id"]}"#, "both", on: face)
            let listed = try await face.send("GET", "/db/_index").json["indexes"]?.arrayValue
            #expect(
                listed?.map { $0["def"]?["fields"] } == [
                    [["_id": "asc"]], [["id": "asc"], ["_id": "asc"]], [["id": "asc"]],
                    [["_id": "asc"]],
                ])
            #expect(
                try await find(#"{"id":{"$gt":0}}"#, #","sort":["id"]"#, on: face)
                    == ["z", "a", "m"])
            #expect(
                try await find(#"{"id":{"$gt":1}}"#, #","sort":[{"id":"desc"}]"#, on: face)
                    == ["m", "a"])
            #expect(try await find(#"{"id":2}"#, on: face) == ["a"])
            #expect(try await find(#"{"_id":"z"}"#, #","sort":["_id"]"#, on: face) == ["z"])
            #expect(
                try await find(#"{}"#, #","sort":["_id"],"use_index":["d","own"]"#, on: face)
                    == ["a", "m", "n", "z"])
            let rows = try await face.send("GET", "/db/_design/d/_view/both").json["rows"]
            #expect(
                rows?.arrayValue?.map { $0["key"] } == [
                    [.null, "n"], [1, "z"], [2, "a"], [3, "m"],
                ])
            try await declare(
                #"{"fields":["w"],"partial_filter_selector":{"id":3}}"#, "some", on: face)
            #expect(
                try await find(
                    #"{"w":{"$gt":0},"id":3}"#, #","use_index":["d","some"]"#, on: face) == ["m"])
        }
    }

    @Test func `give the order of what the selector does not name`() async throws {
        try await withDocuments([
            #"{"_id":"1","type":"x","name":"c","at":1}"#, #"{"_id":"2","type":"x","name":"a"}"#,
            #"{"_id":"3","type":"y","name":"b","at":2}"#, #"{"_id":"4","type":"x","at":3}"#,
            #"{"_id":"5","type":"x","name":null,"at":4}"#,
        ]) { face async throws in
            try await declare(#"{"fields":["name"]}"#, "name", on: face)
            for rest in ["", #","use_index":["d","name"]"#, #","limit":9,"update":false"#] {
                #expect(
                    try await find(#"{"type":"x"}"#, #","sort":["name"]"# + rest, on: face)
                        == ["5", "2", "1"])
                #expect(
                    try await find(#"{}"#, #","sort":[{"name":"desc"}]"# + rest, on: face)
                        == ["1", "3", "2", "5"])
            }
            #expect(
                try await find(
                    #"{"$or":[{"name":"a"},{"name":"c"}]}"#, #","sort":["name"]"#, on: face)
                    == ["2", "1"])
            // Without a sort the index would leave out documents.
            #expect(try await find(#"{"type":"x"}"#, on: face) == ["1", "2", "4", "5"])
            #expect(
                try await find(#"{"type":"x"}"#, #","use_index":["d","name"]"#, on: face)
                    == ["1", "2", "4", "5"])
            try await declare(#"{"fields":["at","name"]}"#, "both", on: face)
            #expect(
                try await find(#"{"type":"x"}"#, #","sort":["at","name"]"#, on: face)
                    == ["1", "5"])
            #expect(
                try await find(#"{"type":"x"}"#, #","sort":["at"]"#, on: face) == ["1", "4", "5"])
            let other = #"{"selector":{},"sort":["type"]}"#
            #expect(try await error("POST", "/db/_find", other, on: face) == Self.unsorted)
        }
    }

    @Test func `do not lead into arrays, and lose nothing by that`() async throws {
        try await withDocuments([
            #"{"_id":"a","tags":["x","y"]}"#, #"{"_id":"b","tags":["y"]}"#,
            #"{"_id":"c","tags":{"0":"x"},"0":1}"#,
        ]) { face async throws in
            for index in [
                #"{"fields":["tags.0"]}"#, #"{"fields":["tags","a.1.b"]}"#,
                #"{"fields":["w"],"partial_filter_selector":{"tags.0":"x"}}"#,
            ] {
                let body = #"{"index":\#(index)}"#
                let refused = try await error("POST", "/db/_index", body, on: face)
                #expect(refused == "invalid_index", "\(body)")
            }
            try await declare(#"{"fields":["0"]}"#, "top", on: face)
            let database = try await face.databases.database("db").database
            try await database.addIndex(
                Database.IndexDeclaration(name: "d/i", keys: [["tags", "0"]]).index)
            #expect(try await find(#"{"tags.0":"x"}"#, on: face) == ["a", "c"])
            #expect(
                try await find(#"{"tags.0":"x"}"#, #","use_index":["d","i"]"#, on: face)
                    == ["a", "c"])
            #expect(try await find(#"{"0":1}"#, on: face) == ["c"])
        }
    }

    @Test func `are declared in either direction, but in one`() async throws {
        try await withDocuments([
            #"{"_id":"x","a":1,"b":1}"#, #"{"_id":"y","a":2,"b":2}"#,
        ]) { face async throws in
            try await declare(#"{"fields":[{"a":"desc"},{"b":"desc"}]}"#, "down", on: face)
            for (direction, expected) in [("asc", ["x", "y"]), ("desc", ["y", "x"])] {
                let sort = #","sort":[{"a":"\#(direction)"},{"b":"\#(direction)"}]"#
                #expect(try await find(#"{}"#, sort, on: face) == expected)
            }
            for (fields, expected) in [
                (#"[{"a":"desc"},"b"]"#, "unsupported_mixed_sort"),
                (#"[{"a":"up"}]"#, "invalid_index"), (#"[{"a":"asc","b":"asc"}]"#, "invalid_index"),
                (#"[1]"#, "invalid_index"),
            ] {
                let body = #"{"index":{"fields":\#(fields)}}"#
                #expect(
                    try await error("POST", "/db/_index", body, on: face) == expected, "\(body)")
            }
        }
    }

    // MARK: Pages

    @Test(arguments: ["asc", "desc"])
    func `are walked in pages over identifiers that look the same`(direction: String) async throws {
        let ids = ["x\u{E9}", "xe\u{301}", "y"]
        try await withDocuments(
            ids.map { "{\"_id\":\"\($0)\",\"k\":\"\u{E9}\"}" }
        ) { face async throws in
            try await declare(#"{"fields":["k"]}"#, "k", on: face)
            var found: [[UInt8]] = []
            var bookmark = "nil"
            while found.count < 9 {
                let page = try await face.send(
                    "POST", "/db/_find",
                    """
                    {"selector":{"k":"e\u{301}"},"limit":1,"sort":[{"k":"\(direction)"}],
                    "bookmark":"\(bookmark)"}
                    """)
                guard let id = page.json["docs"]?.arrayValue?.first?["_id"]?.stringValue else {
                    break
                }
                found.append(Array(id.utf8))
                bookmark = page.json["bookmark"]?.stringValue ?? "nil"
            }
            let expected = [ids[1], ids[0], ids[2]].map { Array($0.utf8) }
            #expect(found == (direction == "asc" ? expected : expected.reversed()))
        }
    }
}
