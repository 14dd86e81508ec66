import Foundation
import Settle
import SettleTableProtocol
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `CouchDB attachments in parts` {
    private func header(_ answer: CouchResponse, _ name: String) -> String? {
        answer.headers.last { $0.name == name }?.value
    }

    private func parts(_ answer: CouchResponse) throws -> [Multipart.Part] {
        let type = try #require(header(answer, "Content-Type"))
        return try #require(Multipart.parts(of: answer.bytes[...], type: type))
    }

    /// A document with contents behind it, as CouchDB's replicator sends it.
    private func send(
        _ face: Face, _ target: String, _ document: String,
        _ contents: [(headers: String, content: String)]
    ) async throws -> Face.Answer {
        var body = "--x1\r\ncontent-type: application/json\r\n\r\n\(document)"
        for (headers, content) in contents { body += "\r\n--x1\r\n\(headers)\r\n\r\n\(content)" }
        return try await face.send(
            "PUT", target, body + "\r\n--x1--",
            headers: ["content-type": "multipart/related; boundary=\"x1\""])
    }

    @Test func `come and go behind their document`() async throws {
        try await withFace { face async throws in
            let document = #"""
                {"n":1,"_attachments":{"b":{"content_type":"text/b","follows":true,"length":3},
                "a \"1\"":{"content_type":"text/a","follows":true,"length":2}}}
                """#
            let stored = try await send(
                face, "/db/x", document,
                [
                    ("Content-Disposition: attachment; filename=\"b\"", "\r\nB"),
                    ("Content-Disposition: attachment; filename=\"a \\\"1\\\"\"", "A-"),
                ])
            #expect(stored.status == 201, "\(stored)")
            #expect(await face.respond("GET", "/db/x/b").bytes == Array("\r\nB".utf8))
            let answer = await face.respond(
                "GET", "/db/x?attachments=true", headers: ["accept": "multipart/related"])
            let found = try parts(answer)
            #expect(header(answer, "ETag") == "\"\(stored.revision)\"")
            let read = try JSONText.value(from: Array(found[0].content))
            #expect(read["_attachments"]?["b"]?["follows"] == true && read["n"] == 1)
            #expect(found.dropFirst().map(\.fileName) == ["a \"1\"", "b"])
            #expect(
                found.dropFirst().map { Array($0.content) } == [
                    Array("A-".utf8), Array("\r\nB".utf8),
                ])
            #expect(found[1].headers["content-type"] == "text/a")
            // Without the header they come inline.
            let inline = try await face.send("GET", "/db/x?attachments=true").json
            #expect(inline["_attachments"]?["b"]?["data"] == "DQpC")
        }
    }

    @Test func `come as a replicator asks for them, but for those that it has`() async throws {
        try await withFace { face async throws in
            let one = try await face.send(
                "PUT", "/db/x", #"{"_attachments":{"old":{"data":"b2xk"}}}"#)
            let two = try await face.send("PUT", "/db/x/new?rev=\(one.revision)", "NEW")
            let three = try await face.send(
                "PUT", "/db/x?rev=\(two.revision)",
                #"{"n":1,"_attachments":{"old":{"stub":true},"new":{"stub":true}}}"#)
            let read = try await face.send("GET", "/db/x").json["_attachments"]
            #expect(read?["old"]?["revpos"] == 1 && read?["new"]?["revpos"] == 2)
            let answer = await face.respond(
                "GET",
                "/db/x?revs=true&open_revs=[\"\(three.revision)\",\"9-z\"]&atts_since=[\"\(one.revision)\",\"7-q\"]",
                headers: ["accept": "multipart/mixed, application/json"])
            let leaves = try parts(answer)
            #expect(leaves.count == 2)
            #expect(leaves[1].headers["content-type"] == "application/json; error=\"true\"")
            #expect(leaves[1].content.elementsEqual(Array(#"{"missing":"9-z"}"#.utf8)))
            let inner = try #require(leaves[0].parts)
            let document = try JSONText.value(from: Array(inner[0].content))
            #expect(document["_revisions"]?["start"] == 3)
            #expect(document["_attachments"]?["old"]?["stub"] == true)
            #expect(inner.dropFirst().map(\.fileName) == ["new"])
            // The same in a list of documents.
            let bulk = try await face.send(
                "POST", "/db/_bulk_get?attachments=true",
                "{\"docs\":[{\"id\":\"x\",\"atts_since\":[\"\(two.revision)\"]},{\"id\":\"x\"}]}")
            let docs = bulk.json["results"]?.arrayValue?.map { $0["docs"]?.arrayValue?[0]["ok"] }
            #expect(docs?[0]?["_attachments"]?["new"]?["stub"] == true)
            #expect(docs?[1]?["_attachments"]?["old"]?["data"] == "b2xk")
            // What replicates keeps where it is from.
            try await face.send("PUT", "/other")
            let text = String(decoding: inner[0].content, as: UTF8.self)
                .replacing("\"stub\":true", with: "\"data\":\"b2xk\"")
            let copied = try await send(
                face, "/other/x?new_edits=false", text,
                [("Content-Disposition: attachment; filename=\"new\"", "NEW")])
            #expect(copied.revision == three.revision, "\(copied)")
            let there = try await face.send("GET", "/other/x").json["_attachments"]
            #expect(there?["old"]?["revpos"] == 1 && there?["new"]?["revpos"] == 2)
        }
    }

    @Test func `are unpacked, and found by their digest`() async throws {
        try await withFace { face async throws in
            let text = Array("hello hello hello hello hello hello hello\n".utf8)
            let fixture = try Inflate.gunzip(GzipFixture.packed, bytesMax: 1_000)
            #expect(fixture == GzipFixture.content)
            let letters = try Inflate.gunzip(GzipFixture.packedLetters, bytesMax: 1_000)
            #expect(letters == GzipFixture.letters)
            #expect(throws: Inflate.Fault.tooLong) {
                try Inflate.gunzip(GzipFixture.packed, bytesMax: 10)
            }
            for place in GzipFixture.packed.indices {
                var damaged = GzipFixture.packed
                damaged[place] ^= 0x10
                let found = try? Inflate.gunzip(damaged, bytesMax: 1_000)
                #expect(found == nil || found == GzipFixture.content)
                #expect(throws: Inflate.Fault.self) {
                    try Inflate.gunzip(GzipFixture.packed.prefix(place), bytesMax: 1_000)
                }
            }
            let data = Data(GzipFixture.packed).base64EncodedString()
            let stored = try await face.send(
                "PUT", "/db/x",
                "{\"_attachments\":{\"a\":{\"data\":\"\(data)\",\"encoding\":\"gzip\"}}}")
            #expect(stored.status == 201)
            #expect(await face.respond("GET", "/db/x/a").bytes == GzipFixture.content)
            let md5 = Data(CouchContent.md5(of: Data(text))).base64EncodedString()
            let found = try await send(
                face, "/db/y",
                "{\"_attachments\":{\"p\":{\"follows\":true},\"q\":{\"follows\":true,\"digest\":\"md5-\(md5)\"}}}",
                [("x: y", String(decoding: text, as: UTF8.self)), ("x: y", "rest")])
            #expect(found.status == 201)
            #expect(await face.respond("GET", "/db/y/q").bytes == text)
            #expect(await face.respond("GET", "/db/y/p").bytes == Array("rest".utf8))
        }
    }

    @Test(arguments: [
        ("{}", "--x1--", 400), ("{}", "", 400),
        (#"{"_attachments":{"a":{"follows":true}}}"#, "\r\n--x1--", 400),
        ("{}", "\r\n--x1\r\n\r\nnobody's\r\n--x1--", 400), ("{}", "\r\n--x1\r\nno head", 400),
        ("{}", "\r\n--x2--", 400), ("[", "\r\n--x1--", 400),
    ])
    func `are refused when the parts are not whole`(
        document: String, rest: String, status: Int
    ) async throws {
        try await withFace { face async throws in
            let body = "--x1\r\ncontent-type: application/json\r\n\r\n\(document)\(rest)"
            for type in ["multipart/related;boundary=x1", "multipart/related"] {
                let answer = try await face.send(
                    "PUT", "/db/x", body, headers: ["content-type": type])
                #expect(answer.status == status, "\(answer)")
            }
            #expect(try await face.send("GET", "/db/x").status == 404)
        }
    }

    @Test func `come in ranges`() async throws {
        try await withFace { face async throws in
            try await face.send(
                "PUT", "/db/x", #"{"_attachments":{"a":{"data":"MDEyMzQ1Njc4OQ=="}}}"#)
            for (range, status, content, shown) in [
                ("bytes=2-4", 206, "234", "bytes 2-4/10"), ("bytes=7-", 206, "789", "bytes 7-9/10"),
                ("bytes=-2", 206, "89", "bytes 8-9/10"),
                ("bytes=5-99", 206, "56789", "bytes 5-9/10"),
                ("lines=1-2", 200, "0123456789", nil),
            ] {
                let answer = await face.respond("GET", "/db/x/a", headers: ["range": range])
                #expect(answer.status == status, "\(range)")
                #expect(answer.bytes == Array(content.utf8), "\(range)")
                #expect(header(answer, "Content-Range") == shown, "\(range)")
                #expect(header(answer, "Content-Security-Policy") == "sandbox")
            }
            let behind = await face.respond("GET", "/db/x/a", headers: ["range": "bytes=10-"])
            #expect(behind.status == 416 && header(behind, "Content-Range") == "bytes */10")
            let changed = await face.respond(
                "GET", "/db/x/a", headers: ["range": "bytes=2-4", "if-range": "\"other\""])
            #expect(changed.status == 200 && changed.bytes.count == 10)
        }
    }

    @Test func `of any length are sent in pieces`() async throws {
        try await withFace { face async throws in
            let content = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let response = await face.responder.respond(
                to: CouchRequest("PUT", "/db/x/a", body: content))
            #expect(response.status == 201)
            let answer = await face.respond("GET", "/db/x/a")
            guard case .parts(let parts) = answer.body else {
                Issue.record("The content is whole in memory.")
                return
            }
            var found: [UInt8] = []
            var longest = 0
            try await parts.forEach { piece in
                found += piece
                longest = max(longest, piece.count)
            }
            #expect(found == content && parts.length == content.count && longest < content.count)
        }
    }
}
