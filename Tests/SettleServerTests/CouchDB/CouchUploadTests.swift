import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `CouchDB attachments while they come` {
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
