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

    // MARK: While they come

    /// A request whose body comes in pieces.
    private func coming(
        _ target: String, _ pieces: [String], type: String, contentBytesMax: Int = .max,
        textBytesMax: Int = .max
    ) -> CouchRequest {
        let chunks = AsyncThrowingStream<ArraySlice<UInt8>, any Error> { continuation in
            for piece in pieces { continuation.yield(Array(piece.utf8)[...]) }
            continuation.finish()
        }
        var request = CouchRequest("PUT", target, headers: ["content-type": type])
        request.coming = CouchUpload(
            chunks, contentBytesMax: contentBytesMax, textBytesMax: textBytesMax)
        return request
    }

    private static let related = "multipart/related; boundary=\"x1\""

    private static func document(_ names: [String]) -> String {
        let attachments = names.map { "\"\($0)\":{\"follows\":true,\"content_type\":\"a/b\"}" }
        return "--x1\r\n\r\n{\"_attachments\":{\(attachments.joined(separator: ","))}}"
    }

    private static func head(_ name: String) -> String {
        "\r\n--x1\r\nContent-Disposition: attachment; filename=\"\(name)\"\r\n\r\n"
    }

    private func waitingContentCount(_ face: Face) async throws -> Int {
        try await face.databases.database("db").database.statistics().waitingContentCount
    }

    @Test func `are stored piece by piece when they are long`() async throws {
        try await withFace { face async throws in
            let piece = String(repeating: "0123456789abcdef", count: 16_384)
            let pieces =
                [Self.document(["long", "short"]), Self.head("long")]
                + Array(repeating: piece, count: 12) + [Self.head("short") + "S\r\n--x", "1--"]
            let answer = await face.responder.respond(
                to: coming("/db/x", pieces, type: Self.related))
            #expect(answer.status == 201)
            let read = try await face.send("GET", "/db/x").json["_attachments"]
            #expect(read?["long"]?["length"] == .integer(Int64(12 * piece.utf8.count)))
            #expect(read?["long"]?["content_type"] == "a/b")
            let md5 = Data(
                CouchContent.md5(of: Data(String(repeating: piece, count: 12).utf8)))
            #expect(
                read?["long"]?["digest"] == .string("md5-" + md5.base64EncodedString()))
            #expect(await face.respond("GET", "/db/x/short").bytes == Array("S".utf8))
            // An attachment by itself, over the one that is there.
            let revision = try await face.send("GET", "/db/x").json["_rev"]?.stringValue ?? ""
            let second = await face.responder.respond(
                to: coming(
                    "/db/x/long?rev=\(revision)", Array(repeating: piece, count: 8), type: "c/d"))
            #expect(second.status == 201)
            let now = try await face.send("GET", "/db/x").json["_attachments"]?["long"]
            #expect(now?["length"] == .integer(Int64(8 * piece.utf8.count)))
            #expect(now?["content_type"] == "c/d" && now?["revpos"] == 2)
            #expect(try await waitingContentCount(face) == 0)
        }
    }

    @Test func `leave nothing behind when they cannot be stored`() async throws {
        try await withFace { face async throws in
            let piece = String(repeating: "x", count: 1 << 20)
            let stored = try await face.send("PUT", "/db/there", "{}")
            let whole = [Self.document(["a", "b"]), Self.head("a"), piece, piece, piece]
            let ends = [
                // Too long, of another name, cut off, and one that is missing.
                ([Self.head("b"), piece, piece, piece, piece, "\r\n--x1--"], 413),
                ([Self.head("c"), "C", "\r\n--x1--"], 400), ([Self.head("b"), "B"], 400),
                (["\r\n--x1--"], 400),
            ]
            for (number, (end, status)) in ends.enumerated() {
                let answer = await face.responder.respond(
                    to: coming(
                        "/db/new\(number)", whole + end, type: Self.related,
                        contentBytesMax: 3 << 20))
                #expect(answer.status == status, "\(number)")
            }
            for (target, status) in [
                ("/db/there", 409), ("/db/there?rev=1-0", 409), ("/db/_x", 400),
                ("/db/there?new_edits=false", 400),
            ] {
                let answer = await face.responder.respond(
                    to: coming(target, whole + [Self.head("b"), "B\r\n--x1--"], type: Self.related))
                #expect(answer.status == status, "\(target)")
            }
            for target in ["/db/there/a", "/db/there/a?rev=1-0", "/db/new/a"] {
                let answer = await face.responder.respond(
                    to: coming(target, [piece, piece], type: "a/b", contentBytesMax: 1 << 20))
                #expect(answer.status == (target == "/db/new/a" ? 413 : 409), "\(target)")
            }
            #expect(try await waitingContentCount(face) == 0)
            let database = try await face.databases.database("db").database
            #expect(try database.statistics().attachmentContentCount == 0)
            #expect(try database.totalDocumentCount == 1 && stored.status == 201)
        }
    }

    @Test func `are not read when their document is refused`() async throws {
        try await withFace { face async throws in
            try await face.send("PUT", "/db/there", "{}")
            struct Read: Error {}
            for (target, type, before) in [
                ("/db/there", Self.related, Self.document(["a"]) + Self.head("a")),
                ("/db/there/a", "a/b", ""),
            ] {
                let chunks = AsyncThrowingStream<ArraySlice<UInt8>, any Error> { continuation in
                    if !before.isEmpty { continuation.yield(Array(before.utf8)[...]) }
                    continuation.finish(throwing: Read())
                }
                var request = CouchRequest("PUT", target, headers: ["content-type": type])
                request.coming = CouchUpload(chunks, contentBytesMax: .max, textBytesMax: .max)
                #expect(await face.responder.respond(to: request).status == 409)
            }
            // The text of the document has a limit of its own, and so has what is read whole.
            let long = String(repeating: " ", count: 2_000)
            for pieces in [
                ["--x1\r\n\r\n{\(long)}\r\n--x1--"],
                [Self.document(["a"]), "\r\n--x1\r\n\r\n\(long)\r\n--x1--"],
            ] {
                let answer = await face.responder.respond(
                    to: coming("/db/new", pieces, type: Self.related, textBytesMax: 1_000))
                #expect(answer.status == 413)
            }
        }
    }

    @Test func `are in memory no more than they may be, however many there are`() async throws {
        try await withFace { face async throws in
            let database = try await face.databases.database("db").database
            let names = (0..<12).map { "n\($0)" }
            let piece = String(repeating: "x", count: 1_000_000)
            let pieces = [Self.document(names)] + names.flatMap { [Self.head($0), piece] }
            let upload = coming("/db/x", pieces + ["\r\n--x1--"], type: Self.related).upload
            let reader = try CouchPartsReader(upload, type: Self.related)
            var input = try await reader.document()
            try await reader.takeContents(of: &input, into: database)
            var held = 0
            for attachment in input.attachments {
                guard case .content(let content) = attachment.content else {
                    Issue.record("\(attachment.name) has no content.")
                    continue
                }
                held += content.memoryByteCount
                let found = content.attachment(named: attachment.name, type: "a/b")
                #expect(found.length == 1_000_000)
                await content.discard(from: database)
            }
            #expect((1_000_000...CouchUpload.memoryBytesMax).contains(held))
            #expect(try await waitingContentCount(face) == 0)
        }
    }

    @Test func `that come packed are limited all together`() throws {
        let data = Data(GzipFixture.packed).base64EncodedString()
        let length = GzipFixture.content.count
        let attachment = "{\"data\":\"\(data)\",\"encoding\":\"gzip\"}"
        let body = try JSONText.packed(
            from: Array("{\"_attachments\":{\"a\":\(attachment),\"b\":\(attachment)}}".utf8))
        var bytesLeft = 2 * length
        #expect(try CouchInput(body, unpacking: &bytesLeft).attachments.count == 2)
        #expect(bytesLeft == 0)
        bytesLeft = 2 * length - 1
        let refused = #expect(throws: CouchError.self) {
            try CouchInput(body, unpacking: &bytesLeft)
        }
        #expect(refused?.status == 413)
    }

    @Test(arguments: [
        ("PUT", "/db/x/a", "", true), ("PUT", "/db/x/a/b", "", true), ("PUT", "/db/x", "", false),
        ("PUT", "/db/x", "Multipart/Related; boundary=x", true), ("POST", "/db/x/a", "", false),
        ("PUT", "/db/_design/x", "", false), ("PUT", "/db/_design%2Fx", "", false),
        ("PUT", "/db/_design/x/a", "", true), ("PUT", "/db/_design%2Fx/a", "", true),
        ("PUT", "/db/_local/x", "", false), ("PUT", "/db/_security", "", false),
        ("PUT", "/db", "multipart/related", false),
    ])
    func `come in requests that say so`(
        _ method: String, _ target: String, _ type: String, _ expected: Bool
    ) {
        let request = CouchRequest(method, target, headers: ["content-type": type])
        #expect(request.bringsContents == expected)
    }
}
