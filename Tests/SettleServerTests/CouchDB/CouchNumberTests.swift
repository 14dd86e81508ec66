import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Numbers in requests of CouchDB's protocol` {
    private static let numbers = [
        "0", "1", "-1", "4294967295", "4294967296", "9223372036854775807", "-9223372036854775808",
        "18446744073709551615", "99999999999999999999999",
    ]

    /// Each with `#` in the place of the number.
    private static let requests: [(method: String, target: String, body: String)] = [
        ("GET", "/db/_all_docs?skip=#&limit=#", ""), ("GET", "/_all_dbs?skip=#&limit=#", ""),
        ("POST", "/db/_all_docs", #"{"skip":#,"limit":#}"#),
        ("GET", "/db/_design_docs?skip=#&limit=#", ""),
        ("GET", "/db/_local_docs?skip=#&limit=#", ""),
        ("GET", "/db/_design/d/_view/v?skip=#&limit=#", ""),
        ("GET", "/db/_design/d/_view/v?key=#&skip=#&descending=true", ""),
        ("POST", "/db/_design/d/_view/v", #"{"skip":#,"limit":#,"keys":[#,1]}"#),
        ("GET", "/db/_design/d/_view/v?group_level=#", ""),
        ("GET", "/db/_changes?since=#&limit=#&timeout=#", ""),
        ("GET", "/db/_changes?feed=longpoll&since=0&limit=#&timeout=#", ""),
        ("POST", "/db/_find", #"{"selector":{"n":{"$gte":#}},"skip":#,"limit":#}"#),
        ("POST", "/db/_find", #"{"selector":{"n":{"$mod":[#,#]}}}"#),
        ("POST", "/db/_find", #"{"selector":{"n":{"$mod":[-1,#]}}}"#),
        ("POST", "/db/_find", #"{"selector":{"l":{"$size":#}}}"#),
        ("POST", "/db/_find", #"{"selector":{"t":{"$regex":"a{#}"}}}"#),
        ("POST", "/db/_find", #"{"selector":{"t":{"$regex":"a{#,}"}}}"#),
        ("POST", "/db/_find", #"{"selector":{"t":{"$regex":"a{1,#}"}}}"#),
        ("POST", "/db/_find", #"{"selector":{"l.#":1}}"#),
        ("GET", "/db/_local/x?rev=0-#", ""), ("PUT", "/db/_local/x?rev=0-#", "{}"),
        ("PUT", "/db/y?rev=#-a", "{}"), ("GET", "/_uuids?count=#", ""),
        (
            "POST", "/db/_bulk_docs",
            ##"{"new_edits":false,"docs":[{"_id":"g#","_rev":"#-a","_revisions":{"start":#,"ids":["a","b"]},"_attachments":{"f":{"data":"","revpos":#}}}]}"##
        ),
        ("PUT", "/db/g#?rev=#-a", "{}"),
        ("GET", "/db/g#?revs=true&revs_info=true&attachments=true", ""),
        ("POST", "/db/_revs_diff", ##"{"g#":["#-b"]}"##),
        ("POST", "/db/_purge", ##"{"g#":["#-a"]}"##),
        ("PUT", "/db/_revs_limit", "#"), ("GET", "/db/_revs_limit", ""),
        ("PUT", "/db/n", #"{"n":2,"l":[1,2]}"#), ("GET", "/_scheduler/jobs?skip=#&limit=#", ""),
    ]

    @Test(arguments: numbers)
    func `end no server, however large they are`(number: String) async throws {
        try await withFace { face async throws in
            for id in ["a", "b"] {
                let body = #"{"n":\#(Int64.min),"l":[1],"t":"aaa"}"#
                #expect(try await face.send("PUT", "/db/\(id)", body).status == 201)
            }
            let index = #"{"index":{"fields":["n"]},"ddoc":"d","name":"v"}"#
            #expect(try await face.send("POST", "/db/_index", index).status == 200)
            for (method, target, body) in Self.requests {
                let response = try await face.send(
                    method, target.replacing("#", with: number),
                    body.replacing("#", with: number))
                #expect(response.status < 500, "\(method) \(target) \(number): \(response)")
            }
            #expect(try await face.send("GET", "/db/a").status == 200)
            #expect(try await face.databases.database("db").database.check() == [])
        }
    }
}
