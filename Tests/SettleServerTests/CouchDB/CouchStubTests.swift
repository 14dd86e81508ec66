import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Stubs of attachments in CouchDB's protocol` {
    /// Stores `x` as 1-a with a content, and as 2-b with another one or the same.
    ///
    /// - Returns: The digests of both contents.
    private func prepare(
        _ face: Face, keeping: Bool
    ) async throws -> (first: String, second: String) {
        let first = #"{"f":{"data":"QQ==","revpos":1}}"#
        let second = keeping ? #"{"f":{"stub":true,"revpos":1}}"# : #"{"f":{"data":"Qg=="}}"#
        try await give(face, "1-a", [], first)
        #expect(try await give(face, "2-b", ["a"], second) == nil)
        return ("md5-" + md5("A"), "md5-" + md5("B"))
    }

    private func md5(_ content: String) -> String {
        Data(CouchContent.md5(of: Data(content.utf8))).base64EncodedString()
    }

    /// Stores a revision as it was made elsewhere.
    ///
    /// - Returns: The error; nil for none.
    @discardableResult
    private func give(
        _ face: Face, _ revision: String, _ ancestors: [String], _ attachments: String
    ) async throws -> String? {
        let parts = revision.split(separator: "-")
        let ids = ([String(parts[1])] + ancestors).map { "\"\($0)\"" }.joined(separator: ",")
        let document = """
            {"_id":"x","_rev":"\(revision)","_revisions":{"start":\(parts[0]),"ids":[\(ids)]},\
            "_attachments":\(attachments)}
            """
        let answer = try await face.send(
            "POST", "/db/_bulk_docs", "{\"new_edits\":false,\"docs\":[\(document)]}")
        #expect(answer.status == 201, "\(answer)")
        let single = try await face.send("PUT", "/db/x?new_edits=false", document)
        let error = answer.json.arrayValue?.first?["error"]?.stringValue
        #expect(single.status == (error == nil ? 201 : 412), "\(single)")
        return error
    }

    private func content(_ face: Face, _ revision: String) async -> String {
        let answer = await face.respond("GET", "/db/x/f?rev=\(revision)")
        return String(decoding: answer.bytes, as: UTF8.self)
    }

    @Test func `never stand for a content that came after their ancestor`() async throws {
        try await withFace { face async throws in
            let (first, second) = try await prepare(face, keeping: false)
            for stub in [
                #""revpos":1,"digest":"\#(first)""#, #""revpos":1"#, #""digest":"\#(first)""#,
                #""revpos":2,"digest":"\#(second)""#, #""length":1"#,
            ] {
                let attachments = "{\"f\":{\"stub\":true,\(stub)}}"
                #expect(
                    try await give(face, "2-z", ["a"], attachments) == "missing_stub", "\(stub)")
            }
            let open = try await face.send("GET", "/db/x?open_revs=all").json.arrayValue
            #expect(open?.compactMap { $0["ok"]?["_rev"] } == ["2-b"])
            // With the content, as a replicator sends it then.
            #expect(try await give(face, "2-z", ["a"], #"{"f":{"data":"QQ=="}}"#) == nil)
            #expect(await content(face, "2-z") == "A")
            #expect(await content(face, "2-b") == "B")
        }
    }

    @Test func `stand for what another branch has kept since their ancestor`() async throws {
        try await withFace { face async throws in
            let (first, second) = try await prepare(face, keeping: true)
            let right = #"{"f":{"stub":true,"revpos":1,"digest":"\#(first)"}}"#
            let wrong = #"{"f":{"stub":true,"revpos":1,"digest":"\#(second)"}}"#
            #expect(try await give(face, "2-z", ["a"], wrong) == "missing_stub")
            #expect(try await give(face, "2-z", ["a"], right) == nil)
            // Several that nobody has seen may lie between.
            #expect(try await give(face, "4-y", ["q", "r", "a"], right) == nil)
            for revision in ["2-z", "4-y"] {
                #expect(await content(face, revision) == "A")
                let read = try await face.send("GET", "/db/x?rev=\(revision)").json
                #expect(read["_attachments"]?["f"]?["revpos"] == 1)
            }
            // A generation that only this branch may have had since.
            #expect(
                try await give(face, "3-w", ["v", "a"], #"{"f":{"stub":true,"revpos":2}}"#)
                    == "missing_stub")
        }
    }

    @Test func `of packed contents are not told apart by the digest of what is packed`()
        async throws
    {
        try await withFace { face async throws in
            _ = try await prepare(face, keeping: true)
            let stub = #"{"f":{"stub":true,"revpos":1,"digest":"md5-x","encoding":"gzip"}}"#
            #expect(try await give(face, "3-c", ["b", "a"], stub) == nil)
            #expect(await content(face, "3-c") == "A")
        }
    }

    @Test func `of an edit have the generation that is there, where they name one`() async throws {
        try await withFace { face async throws in
            let first = try await face.send(
                "PUT", "/db/x", #"{"_attachments":{"f":{"data":"QQ=="}}}"#)
            let target = "/db/x?rev=\(first.revision)"
            let wrong = try await face.send(
                "PUT", target, #"{"_attachments":{"f":{"stub":true,"revpos":2}}}"#)
            #expect(
                wrong
                    == .failure(
                        412, "missing_stub", "Invalid attachment stub in x for f"))
            let right = try await face.send(
                "PUT", target, #"{"_attachments":{"f":{"stub":true,"revpos":1,"digest":"md5-"}}}"#)
            #expect(right.status == 201)
            let next = try await face.send(
                "PUT", "/db/x?rev=\(right.revision)",
                #"{"_attachments":{"f":{"stub":true,"revpos":1}}}"#)
            #expect(next.status == 201)
        }
    }

    @Test func `and contents of revisions from elsewhere are kept whatever they are called`()
        async throws
    {
        try await withFace { face async throws in
            #expect(
                try await give(face, "1-a", [], #"{"_thumb":{"data":"QQ==","revpos":1}}"#) == nil)
            let edited = try await face.send(
                "PUT", "/db/x", #"{"_rev":"1-a","k":1,"_attachments":{"_thumb":{"stub":true}}}"#)
            #expect(edited.status == 201, "\(edited)")
            let revision = try #require(edited.json["rev"]?.stringValue)
            let answer = await face.respond("GET", "/db/x/_thumb?rev=\(revision)")
            #expect(String(decoding: answer.bytes, as: UTF8.self) == "A")
            let made = try await face.send(
                "PUT", "/db/y", #"{"_attachments":{"_thumb":{"data":"QQ=="}}}"#)
            #expect(made.status == 400, "\(made)")
        }
    }
}
