import Foundation
import HTTPTypes
import Settle
import Testing

@testable import SettleInspector

@Suite struct `Hostile contents` {
    /// Texts that mean something in HTML, in attributes, in scripts, or to the eye.
    static let texts = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "</title></textarea></pre><script>alert(1)</script>", "{{{text}}}", "{{> page}}",
        "\"\u{301} onfocus=alert(1) autofocus=\"\u{301}", "<\u{301}b>", "javascript:alert(1)",
        "\u{202E}evil", "a\u{1}b\u{7F}\u{85}", "a\r\nSet-Cookie: x=1", "&lt;b&gt;", "%3Cscript%3E",
        "../../etc/passwd",
    ]

    /// What is put in the place of a text, to have the same page without it.
    private static let harmless = "plain"

    /// The pages of a database in which a text is everywhere, with the text taken out of it.
    private func pages(with text: String, isWritable: Bool) async throws -> [TestInspector.Page] {
        let index = Database.Index.keyPaths(
            name: text, keys: [["type"], ["z" + text]], value: ["z" + text])
        let test = try await TestDatabase.open(indexes: [index])
        var document = Document(id: "d" + text)
        document[json: "type"] = .string(text)
        document[json: "z" + text] = .string(text)
        document[json: "channels"] = [.string(text)]
        document[json: "list"] = [.string(text), [text: .string(text)]]
        document.attachments = [
            DocumentAttachment(name: text, contentType: "text/html", data: Data(text.utf8))
        ]
        try await test.add([document])
        try await test.database.buildIndex(named: text)
        let inspector = try await TestInspector(test.database, isWritable: isWritable)
        var pages: [TestInspector.Page] = []
        for path in [
            inspector.path("overview"), inspector.path("documents"),
            inspector.path("documents", ["id": text]),
            inspector.path("documents", ["where": text]),
            inspector.path("documents", ["type": text]),
            inspector.path("documents", ["by": "change"]),
            inspector.path("document", ["id": document.id]),
            inspector.path("document", ["id": text]), inspector.path("indexes"),
            inspector.path("index", ["name": text]),
            inspector.path("index", ["name": text, "from": "[\"\"]"]),
            inspector.path("changes", ["since": "0", "type": text, "channel": text]),
            inspector.path(Percent.encoded(text)), inspector.path("outbox", ["pipeline": text]),
            inspector.path("replication", ["remote": text]), inspector.path("leaves", ["id": text]),
            inspector.path("conflict/merge", ["id": text, "remote": text]),
            inspector.path("index", ["name": text, "keys": "[[\"\(Self.harmless)\"]]"]),
            "/d/\(Percent.encoded(text))/overview", "/?token=\(Percent.encoded(text))",
        ] {
            pages.append(try await inspector.get(path))
        }
        if isWritable {
            for page in ["edit", "attach", "detach", "expiry"] {
                pages.append(
                    try await inspector.page(page, ["id": document.id, "name": text]))
            }
            pages.append(
                try await inspector.post("expiry/review", ["id": document.id, "date": text]))
        }
        await test.close()
        return pages
    }

    @Test(arguments: texts) func `change nothing of what a browser builds of a page`(
        text: String
    ) async throws {
        for isWritable in [false, true] {
            let shown = try await pages(with: text, isWritable: isWritable)
            let plain = try await pages(with: Self.harmless, isWritable: isWritable)
            #expect(shown.count == plain.count)
            for (index, (shown, plain)) in zip(shown, plain).enumerated() {
                #expect(shown.status == plain.status, "page \(index)")
                #expect(shown.structure == plain.structure, "page \(index)")
                #expect(!shown.text.contains("<script>"))
            }
        }
    }

    @Test func `that are large are shown in part, and not edited in a form`() async throws {
        let test = try await TestDatabase.open()
        var long = Document(id: String(repeating: "i", count: 255))
        long[json: "text"] = .string(String(repeating: "<x>", count: 2_000_000))
        var wide = Document(id: "wide")
        for number in 0..<10_000 { wide[json: "m\(number)"] = .integer(Int64(number)) }
        try await test.add([long, wide])
        let inspector = try await TestInspector(test.database, isWritable: true)
        for document in [long, wide] {
            let page = try await inspector.page("document", ["id": document.id])
            #expect(page.status == .ok && page.text.utf8.count < 2 << 20)
        }
        let edit = try await inspector.page("edit", ["id": long.id])
        #expect(edit.status == .ok && edit.text.contains("too much for a form"))
        #expect(try await inspector.page("edit", ["id": "wide"]).text.contains("<textarea"))
        #expect(try await inspector.page("documents").text.utf8.count < 1 << 20)
        await test.close()
    }

    @Test func `in hundreds of indexes are listed page by page`() async throws {
        struct Fault: Error {}
        let names = (0..<130).map { "<i>\(1_000 + $0)" }
        let test = try await TestDatabase.open(
            indexes: names.map { name in
                Database.Index.views(name: name, version: "1") { _, _ in throw Fault() }
            })
        try await test.add([["id": "a"]])
        for name in names { try await test.database.buildIndex(named: name) }
        let inspector = try await TestInspector(test.database)
        var found: [String] = []
        var next: String? = inspector.path("indexes")
        while let path = next {
            let page = try await inspector.get(path)
            found += page.text.matches(of: #/<bdi>&lt;i&gt;([0-9]+)<\/bdi>/#).map { "<i>\($0.1)" }
            next = page.next
        }
        #expect(found == names)
        let overview = try await inspector.page("overview")
        #expect(overview.text.contains("120 more warnings"))
        await test.close()
    }

    @Test func `that are attachments are never shown as pages`() async throws {
        let test = try await TestDatabase.open()
        var document = Document(id: "a")
        document.attachments = [
            DocumentAttachment(
                name: "a\"\r\n.html", contentType: "text/html", data: Data("<script>".utf8)),
            DocumentAttachment(
                name: "b.svg", contentType: "image/svg+xml", data: Data("<svg/>".utf8)),
            DocumentAttachment(name: "c.png", contentType: "image/png", data: Data([1, 2])),
        ]
        try await test.add([document])
        let inspector = try await TestInspector(test.database)
        for (name, type) in [
            ("a\"\r\n.html", "application/octet-stream"), ("b.svg", "application/octet-stream"),
            ("c.png", "image/png"),
        ] {
            let page = try await inspector.page("attachment", ["id": "a", "name": name])
            #expect(page.status == .ok)
            #expect(page.headers[.contentType] == type)
            #expect(page.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
            #expect(page.headers[.xContentTypeOptions] == "nosniff")
            #expect(
                page.headers[.contentDisposition]?.hasPrefix("attachment") == (type != "image/png"))
        }
        let shown = try await inspector.page("document", ["id": "a"])
        #expect(shown.text.matches(of: #/<img /#).count == 1)
        await test.close()
    }
}
