import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST

@Suite struct `Requests to CouchDB` {
    private func line(_ request: DatabaseRequest) throws -> String {
        let url = try #require(URL(string: "couchdb+http://h:5984/a%2Fb"))
        let body = request.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
        let range = request.range.map { " \($0)" } ?? ""
        let target = request.target(in: try CouchAddress(url))
        return "\(request.method.rawValue) \(target)\(range)\(body)"
    }

    @Test func `are written as CouchDB reads them`() throws {
        #expect(try line(.information) == "GET /a%2Fb")
        #expect(try line(.creation) == "PUT /a%2Fb")
        #expect(try line(.commit) == "POST /a%2Fb/_ensure_full_commit ")
        #expect(try line(.log("x")) == "GET /a%2Fb/_local/x")
        #expect(
            try line(.setLog(["n": 1], "x", "0-3")) == #"PUT /a%2Fb/_local/x {"_rev":"0-3","n":1}"#)
        #expect(try line(.setLog(["n": 1], "x", nil)) == #"PUT /a%2Fb/_local/x {"n":1}"#)
        #expect(
            try line(.difference(["a": ["1-x", "2-y"]]))
                == #"POST /a%2Fb/_revs_diff {"a":["1-x","2-y"]}"#)
        #expect(
            try line(.bulkGet([WantedRevisions(id: "a/é", revisions: ["1-x", "1-y"])]))
                == "POST /a%2Fb/_bulk_get?revs=true&latest=true "
                + #"{"docs":[{"id":"a/é","rev":"1-x"},{"id":"a/é","rev":"1-y"}]}"#)
        #expect(
            try line(.openRevisions(WantedRevisions(id: "a/é", revisions: ["1-x"])))
                == "GET /a%2Fb/a%2F%C3%A9?revs=true&latest=true&open_revs=%5B%221-x%22%5D")
        #expect(
            try line(.content("p q.jpg", of: "a/b", "1-x", range: 0...9))
                == "GET /a%2Fb/a%2Fb/p%20q.jpg?rev=1-x bytes=0-9")
        #expect(
            try line(.bulkDocuments([Array("{}".utf8), Array("[]".utf8)]))
                == #"POST /a%2Fb/_bulk_docs {"new_edits":false,"docs":[{},[]]}"#)
    }

    @Test func `name a sequence as it came`() throws {
        for (sequence, text) in [
            (nil, "0"), (.null, "0"), (.integer(17), "17"), (.string("5-g1AAA"), "5-g1AAA"),
            (.array([5, "x"]), "%5B5,%22x%22%5D"),
        ] as [(JSONValue?, String)] {
            let request = DatabaseRequest.changes(CouchSelection(), after: sequence, limit: 9)
            #expect(
                try line(request)
                    == "GET /a%2Fb/_changes?feed=normal&style=all_docs&since=\(text)&limit=9")
        }
    }

    @Test func `ask for a selection`() throws {
        var named = CouchSelection()
        named.identifiers = ["b", "a"]
        #expect(
            try line(.changes(named, after: nil, limit: 1))
                == "POST /a%2Fb/_changes?feed=normal&style=all_docs&since=0&filter=_doc_ids&limit=1 "
                + #"{"doc_ids":["b","a"]}"#)
        #expect(named.name == #"{"ids":["a","b"]}"#)
        let channels = CouchSelection().within(["y", "x"])
        #expect(
            try line(.awaitedChange(channels, after: "3-a", seconds: 25))
                == "POST /a%2Fb/_changes?feed=longpoll&style=all_docs&since=3-a&filter=_selector"
                + "&limit=1&timeout=25000 "
                + #"{"selector":{"$or":[{"channels":{"$elemMatch":{"$in":["x","y"]}}},{"_deleted":true}]}}"#
        )
        var filtered = CouchSelection()
        filtered.filter = "design/mine"
        filtered.functionParameters = ["who": "me & you"]
        #expect(
            try line(.changes(filtered, after: nil, limit: 1))
                == "GET /a%2Fb/_changes?feed=normal&style=all_docs&since=0&filter=design%2Fmine"
                + "&who=me%20%26%20you&limit=1")
        #expect(CouchSelection().name == "")
        #expect(filtered.within(["x"]).fault != nil)
        #expect(named.fault == nil)
    }

    @Test func `go to an address with its own scheme`() throws {
        func address(_ text: String) throws -> CouchAddress {
            try CouchAddress(try #require(URL(string: text)))
        }
        let simple = try address("couchdb+https://H.example:443/notes/")
        #expect(simple.identifier == "couchdb+https://h.example/notes")
        #expect(simple.serverPath.isEmpty && simple.scheme == "https")
        let deep = try address("couchdb+http://h:5984/couch/notes")
        #expect(deep.serverPath == "/couch" && deep.path == "/couch/notes")
        for wrong in [
            "http://h/notes", "couchdb+ftp://h/notes", "couchdb+http:///notes",
            "couchdb+http://h", "couchdb+http://h/", "couchdb+http://h/_users",
            "couchdb+http://u:p@h/notes", "couchdb+http://h/notes?x=1", "couchdb+http://h/../notes",
        ] {
            #expect(throws: ReplicationError.self, "\(wrong)") { try address(wrong) }
        }
    }
}
