import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Answers of CouchDB's protocol` {
    private func header(_ name: String, _ response: CouchResponse) -> String? {
        response.headers.last { $0.name == name }?.value
    }

    private static let conflict =
        #"{"new_edits":false,"docs":[{"_id":"x","_rev":"1-0","n":1}]}"#

    @Test func `to the deletion of a document without an identifier spare the database`()
        async throws
    {
        try await withFace { face async throws in
            try await face.send("PUT", "/db/x", "{}")
            for target in ["/db?rev=1-a", "/db/?rev=1-a", "/db?rev="] {
                #expect(
                    try await face.send("DELETE", target)
                        == .failure(
                            400, "bad_request",
                            "You tried to DELETE a database with a ?=rev parameter. Did you mean to DELETE a document instead?"
                        ))
            }
            #expect(try await face.send("GET", "/db/x").status == 200)
        }
    }

    @Test func `to the deletion of what is deleted say so`() async throws {
        try await withFace { face async throws in
            let first = try await face.send("PUT", "/db/x", "{}")
            let gone = try await face.send("DELETE", "/db/x?rev=\(first.revision)")
            #expect(gone.status == 200)
            let deleted = Face.Answer.failure(404, "not_found", "deleted")
            for query in ["?rev=\(first.revision)", "?rev=\(gone.revision)", "", "?rev=9-q"] {
                #expect(try await face.send("DELETE", "/db/x\(query)") == deleted, "\(query)")
            }
            #expect(
                try await face.send("DELETE", "/db/none?rev=1-a")
                    == .failure(404, "not_found", "missing"))
            let leaves = try await face.send("GET", "/db/x?open_revs=all").json.arrayValue
            #expect(leaves?.map { $0["ok"]?["_rev"]?.stringValue } == [gone.revision])
        }
    }

    @Test(arguments: [
        "conflicts", "deleted_conflicts", "revs", "revs_info", "meta", "local_seq",
    ])
    func `with more than the revision are never the same for it`(option: String) async throws {
        try await withFace { face async throws in
            let stored = try await face.send("PUT", "/db/x", "{}")
            let tag = ["if-none-match": "\"\(stored.revision)\""]
            let plain = await face.respond("GET", "/db/x", headers: tag)
            #expect(plain.status == 304)
            try await face.send("POST", "/db/_bulk_docs", Self.conflict)
            let full = await face.respond("GET", "/db/x?\(option)=true", headers: tag)
            #expect(full.status == 200 && header("ETag", full) == nil)
            let parts = await face.respond(
                "GET", "/db/x?\(option)=true&attachments=true",
                headers: ["accept": "multipart/related"])
            #expect(header("ETag", parts) == nil)
        }
    }

    @Test func `to copies have the whole destination for an identifier`() async throws {
        try await withFace { face async throws in
            let first = try await face.send("PUT", "/db/x", #"{"n":1}"#)
            for (target, path) in [
                ("_design/b", "/db/_design/b"), ("a/b", "/db/a%2Fb"), ("a%2Fc", "/db/a%2Fc"),
                ("db/d", "/db/db%2Fd"), ("%C3%A9", "/db/%C3%A9"),
            ] {
                let copy = try await face.send("COPY", "/db/x", headers: ["destination": target])
                #expect(copy.status == 201, "\(target): \(copy)")
                #expect(try await face.send("GET", path).json["n"] == 1, "\(target)")
            }
            let again = try await face.send("GET", "/db/a%2Fb").json["_rev"]?.stringValue ?? ""
            let after = try await face.send(
                "COPY", "/db/x", headers: ["destination": "a/b?rev=\(again)"])
            #expect(after.revision.hasPrefix("2-"))
            for scheme in ["http", "https"] {
                let away = try await face.send(
                    "COPY", "/db/x", headers: ["destination": "\(scheme)://h/db/y"])
                #expect(
                    away == .failure(400, "bad_request", "Destination URL must be relative."))
            }
            for target in ["", "?rev=1-a", "_y"] {
                let refused = try await face.send(
                    "COPY", "/db/x", headers: ["destination": target])
                #expect(refused.status == 400, "\(target): \(refused)")
            }
            let other = try await face.send(
                "COPY", "/db/x?rev=1-a",
                headers: ["destination": "z", "if-match": "\"\(first.revision)\""])
            #expect(
                other
                    == .failure(
                        400, "bad_request", "Document rev and etag have different values"))
        }
    }

    @Test func `say where something lies that was made`() async throws {
        try await withFace { face async throws in
            let host = ["host": "example.org:5984"]
            func location(
                _ method: String, _ target: String, _ body: String = "",
                _ more: [String: String] = [:]
            ) async -> String? {
                let all = host.merging(more) { $1 }
                return header("Location", await face.respond(method, target, body, headers: all))
            }
            #expect(await location("PUT", "/a%2Fb") == "http://example.org:5984/a%2Fb")
            #expect(
                await location("PUT", "/db/x%2Fy", "{}") == "http://example.org:5984/db/x%2Fy")
            #expect(
                await location("POST", "/db", #"{"_id":"é"}"#)
                    == "http://example.org:5984/db/%C3%A9")
            #expect(
                await location("PUT", "/db/new/f", "abc") == "http://example.org:5984/db/new/f")
            #expect(
                await location("COPY", "/db/new", "", ["destination": "c"])
                    == "http://example.org:5984/db/c")
        }
    }

    @Test(arguments: [
        "/db", "/db/_all_docs", "/db/_bulk_docs", "/db/_bulk_get", "/db/_revs_diff",
        "/db/_missing_revs", "/db/_find", "/db/_explain", "/db/_index", "/db/_index/_bulk_delete",
        "/db/_ensure_full_commit", "/db/_compact", "/db/_view_cleanup", "/db/_purge",
        "/db/_changes", "/db/_all_docs/queries", "/db/_design/d/_view/v",
        "/db/_design/d/_view/v/queries",
    ])
    func `to bodies that are not said to be JSON are refusals`(target: String) async throws {
        try await withFace { face async throws in
            for type in ["text/plain", "application/x-www-form-urlencoded", ""] {
                let answer = try await face.send(
                    "POST", target, "{}", headers: ["content-type": type])
                #expect(
                    answer
                        == .failure(
                            415, "bad_content_type", "Content-Type must be application/json"))
            }
            let named = try await face.send(
                "POST", target, "{}", headers: ["content-type": "application/json;charset=utf-8"])
            #expect(named.status != 415)
        }
    }

    @Test func `without new revisions are about documents that have one`() async throws {
        try await withFace { face async throws in
            let missing = Face.Answer.failure(
                400, "bad_request",
                "When `new_edits: false`, the document needs `_rev` or `_revisions` specified")
            #expect(
                try await face.send(
                    "POST", "/db/_bulk_docs",
                    #"{"new_edits":false,"docs":[{"_id":"a","_rev":"1-a"},{"_id":"b"}]}"#)
                    == missing)
            #expect(try await face.send("PUT", "/db/b?new_edits=false", "{}") == missing)
            for value in ["1", "\"false\"", "null"] {
                let body = "{\"docs\":[{\"_id\":\"a\"}],\"new_edits\":\(value)}"
                #expect(
                    try await face.send("POST", "/db/_bulk_docs", body)
                        == .failure(
                            400, "bad_request", "`new_edits` parameter must be a boolean."))
            }
            #expect(try await face.send("GET", "/db").json["doc_count"] == 0)
        }
    }

    @Test func `refuse names of attachments that begin with an underscore`() async throws {
        try await withFace { face async throws in
            let refused = Face.Answer.failure(
                400, "bad_request", "Attachment name '_f' starts with prohibited character '_'")
            #expect(try await face.send("PUT", "/db/x/_f", "abc") == refused)
            #expect(
                try await face.send("PUT", "/db/x", #"{"_attachments":{"_f":{"data":""}}}"#)
                    == refused)
        }
    }

    @Test func `come in parts to whoever takes everything`() async throws {
        try await withFace { face async throws in
            let stored = try await face.send("PUT", "/db/x/f", "abc")
            func type(_ target: String, _ accept: String?) async -> String {
                var request = CouchRequest("GET", target)
                request.headers["accept"] = accept
                return header("Content-Type", await face.responder.respond(to: request)) ?? ""
            }
            for accept in [nil, "*/*", "text/html, */*;q=0.1", "multipart/*"] {
                #expect(
                    await type("/db/x?open_revs=all", accept).hasPrefix("multipart/mixed"))
                #expect(
                    await type("/db/x?attachments=true", accept).hasPrefix("multipart/related"))
                #expect(await type("/db/x", accept) == "application/json")
            }
            for accept in ["application/json", "text/html, */*;q=0"] {
                #expect(await type("/db/x?open_revs=all", accept) == "application/json")
                #expect(await type("/db/x?attachments=true", accept) == "application/json")
            }
            // Who says what they have wants the rest.
            for (since, isStub) in [("[\"1-a\"]", false), ("[\"\(stored.revision)\"]", true)] {
                let read = try await face.send("GET", "/db/x?atts_since=\(since)").json
                #expect(read["_attachments"]?["f"]?["stub"] == (isStub ? true : nil), "\(since)")
            }
        }
    }
}
