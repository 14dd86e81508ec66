import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle
import TestSupport
import Testing

@testable import SettleInspector

@Suite struct `The pages of attachments` {
    /// Sends the form with a file, as a browser does.
    private func send(
        _ content: [UInt8], named fileName: String = "a.png", type: String = "image/png",
        _ fields: KeyValuePairs<String, String>, to inspector: TestInspector,
        origin: String = "http://localhost"
    ) async throws -> TestInspector.Page {
        var body: [UInt8] = []
        for (name, value) in fields {
            body +=
                "--x\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8
        }
        body +=
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(fileName)\"\r\n"
            .utf8
        body += "Content-Type: \(type)\r\n\r\n".utf8
        body += content + Array("\r\n--x--\r\n".utf8)
        return try await inspector.page(
            of: inspector.request(
                .post, inspector.path("attachment/review"),
                headers: [
                    .origin: origin, .contentType: "multipart/form-data; boundary=x",
                ], body: body))
    }

    private func document(_ test: TestDatabase) throws -> Document {
        try #require(try test.database.read { try $0.document("d") })
    }

    private func key(_ page: TestInspector.Page) throws -> String {
        String(try #require(page.text.firstMatch(of: #/name="key" value="([^"]*)"/#)).1)
    }

    @Test func `add, replace and remove one, after what is different was shown`() async throws {
        let test = try await TestDatabase.open()
        try await test.add([["id": "d", "n": 1]])
        let inspector = try await TestInspector(test.database, isWritable: true)
        var random = SeededGenerator()
        let content = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let form = try await inspector.page("attach", ["id": "d"])
        #expect(form.text.contains("enctype=\"multipart/form-data\""))
        #expect(form.text.contains("type=\"file\""))

        var revision = try document(test).metaData.revision ?? ""
        let review = try await send(
            content, named: "x/<b>.png", ["id": "d", "revision": revision], to: inspector)
        #expect(review.status == .ok)
        #expect(review.text.contains("&lt;b&gt;.png") && review.text.contains("image/png"))
        #expect(try document(test).attachments.isEmpty)
        #expect(
            try await inspector.post("attachment/save", ["key": key(review)]).status == .seeOther)
        let attached = try document(test)
        #expect(attached.attachments.map(\.name) == ["<b>.png"])
        #expect(try attached.attachments[0].data() == Data(content))
        #expect(attached[json: "n"] == 1)

        revision = attached.metaData.revision ?? ""
        let other = try await send(
            [1, 2, 3], named: "any", type: "text/plain",
            ["id": "d", "revision": revision, "name": "<b>.png"], to: inspector)
        #expect(other.text.contains("image/png") && other.text.contains("text/plain"))
        _ = try await inspector.post("attachment/save", ["key": key(other)])
        let replaced = try document(test)
        #expect(replaced.attachments.count == 1)
        #expect(try replaced.attachments[0].data() == Data([1, 2, 3]))

        let removal = try await inspector.page("detach", ["id": "d", "name": "<b>.png"])
        #expect(removal.text.contains("text/plain") && removal.text.contains("Remove"))
        let fields: KeyValuePairs = [
            "id": "d", "name": "<b>.png", "revision": replaced.metaData.revision ?? "",
        ]
        #expect(try await inspector.post("attachment/remove", fields).status == .seeOther)
        #expect(try document(test).attachments.isEmpty)
        #expect(try await inspector.post("attachment/remove", fields).status == .conflict)
        let none = try await inspector.page("detach", ["id": "d", "name": "<b>.png"])
        #expect(none.status == .notFound)
        await test.close()
    }

    @Test func `refuse to save what was changed meanwhile, and leave no content behind`()
        async throws
    {
        let test = try await TestDatabase.open()
        try await test.add([["id": "d"]])
        let inspector = try await TestInspector(test.database, isWritable: true)
        func contents() throws -> Int { try test.database.statistics().attachmentContentCount }
        let revision = try document(test).metaData.revision ?? ""
        let fields: KeyValuePairs = ["id": "d", "revision": revision]
        let first = try await send([1], fields, to: inspector)
        let second = try await send([2], fields, to: inspector)
        let third = try await send([3], fields, to: inspector)
        #expect(
            try await inspector.post("attachment/discard", ["key": key(third)]).status
                == .seeOther)
        #expect(
            try await inspector.post("attachment/save", ["key": key(third)]).status == .notFound)
        _ = try await inspector.post("attachment/save", ["key": key(first)])
        #expect(
            try await inspector.post("attachment/save", ["key": key(second)]).status == .conflict)
        let late = try await send([4], fields, to: inspector)
        #expect(late.text.contains("changed meanwhile"))
        // Those that wait longest give way, and all of them when the inspector ends.
        for number in UInt8(5)..<40 { _ = try await send([number], fields, to: inspector) }
        #expect(
            try await inspector.post("attachment/save", ["key": key(late)]).status == .notFound)
        await inspector.inspector.responder.finish()
        #expect(try contents() == 1)
        #expect(try document(test).attachments.map(\.length) == [1])
        await test.close()
    }

    @Test func `refuse forms that are none, of elsewhere, or without the right to write`()
        async throws
    {
        let test = try await TestDatabase.open()
        try await test.add([["id": "d"]])
        let inspector = try await TestInspector(test.database, isWritable: true)
        let fields: KeyValuePairs = ["id": "d", "revision": "x"]
        for origin in ["http://localhost:81", "null", "http://example.com"] {
            let page = try await send([1], fields, to: inspector, origin: origin)
            #expect(page.status == .forbidden)
        }
        let path = inspector.path("attachment/review")
        for (type, body, status) in [
            ("multipart/form-data", "--x--", HTTPResponse.Status.badRequest),
            ("multipart/form-data; boundary=x", "", .badRequest),
            ("multipart/form-data; boundary=x", "--x--", .badRequest),
            ("multipart/form-data; boundary=x", "--x\r\n\r\n--x--", .badRequest),
            ("text/plain", "--x--", .unsupportedMediaType),
            ("application/x-www-form-urlencoded", "id=d", .unsupportedMediaType),
        ] {
            let page = try await inspector.send(
                .post, path, headers: [.origin: "http://localhost", .contentType: type], body: body)
            #expect(page.status == status, "\(type) \(body)")
        }
        let long = String(repeating: "x", count: 70_000)
        #expect(
            try await send([1], ["id": "d", "name": long], to: inspector).status == .badRequest)
        #expect(
            try await send([1], ["id": "none", "revision": ""], to: inspector).status == .notFound)
        let reader = try await TestInspector(test.database)
        #expect(try await send([1], fields, to: reader).status == .forbidden)
        for page in ["attach", "detach", "expiry"] {
            let refused = try await reader.page(page, ["id": "d", "name": "a"])
            #expect(refused.status == .forbidden)
        }
        #expect(try test.database.lastSequence == 1)
        #expect(try test.database.statistics().attachmentContentCount == 0)
        await test.close()
    }
}

@Suite struct `The page of the expiry` {
    @Test func `sets, changes and removes the date, after what is different was shown`()
        async throws
    {
        let test = try await TestDatabase.open()
        try await test.add([["id": "d"]])
        let inspector = try await TestInspector(test.database, isWritable: true)
        func date() throws -> Date? {
            try test.database.read { try $0.document("d")?.metaData.expirationDate }
        }
        var shown = ""
        for text in ["2090-01-31", "2091-01-31T12:30:00Z", "2091-01-31T12:30:00.250Z", ""] {
            let review = try await inspector.post("expiry/review", ["id": "d", "date": text])
            #expect(review.status == .ok)
            let hidden = review.text.matches(of: #/name="([a-z]*)" value="([^"]*)"/#).map {
                (String($0.1), String($0.2))
            }
            let values = Dictionary(hidden, uniquingKeysWith: { first, _ in first })
            #expect(values["shown"] == shown)
            let fields: KeyValuePairs = [
                "id": "d", "revision": values["revision"] ?? "", "shown": values["shown"] ?? "",
                "date": values["date"] ?? "",
            ]
            #expect(try await inspector.post("expiry/save", fields).status == .seeOther)
            #expect(try date().map(Amounts.date) ?? "" == values["date"])
            shown = values["date"] ?? ""
            let page = try await inspector.page("document", ["id": "d"])
            #expect(page.text.contains("<dt>Expires</dt>") == !text.isEmpty)
            // The page before showed another date.
            let late: KeyValuePairs = [
                "id": "d", "revision": values["revision"] ?? "", "shown": "x", "date": "",
            ]
            #expect(try await inspector.post("expiry/save", late).status == .conflict)
        }
        let past = try await inspector.post("expiry/review", ["id": "d", "date": "2001-01-01"])
        #expect(past.text.contains("purged at once"))
        for text in ["soon", "2090-13-01", "0", "<b>"] {
            let page = try await inspector.post("expiry/review", ["id": "d", "date": text])
            #expect(page.status == .badRequest && !page.text.contains("<b>"))
        }
        #expect(try date() == nil)
        await test.close()
    }
}
