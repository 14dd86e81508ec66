import Foundation
import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleInspector

@Suite struct `The overview` {
    @Test func `shows counts, the file by table, and where the database lies`() async throws {
        let test = try await TestDatabase.open()
        try await test.add((0..<1_234).map { ["id": "d\($0)"] })
        _ = try await test.database.delete(documentWithId: "d7")
        let inspector = try await TestInspector(test.database)
        let text = try await inspector.page("overview").text
        #expect(text.contains("1\u{202F}233"))
        #expect(text.contains("data-figure=\"deletions\"><bdi>1</bdi>"))
        #expect(text.contains("aria-label=\"The file by table\""))
        #expect(text.contains(test.scratch.path))
        #expect(text.contains("read only"))
        await test.close()
    }

    @Test func `is where an inspector of one database begins`() async throws {
        let test = try await TestDatabase.open("a/b")
        let inspector = try await TestInspector(test.database)
        let home = try await inspector.get("/")
        #expect(home.headers[.location] == "/d/a%2Fb/overview")
        #expect(try await inspector.get("/d/a%2Fb/overview").status == .ok)
        await test.close()
    }

    @Test func `draws how the file grew while it was looked at`() async throws {
        let record = GrowthRecord()
        for second in 0..<1_000 {
            record.note(second, of: "shop", at: Date(timeIntervalSince1970: Double(second)))
            record.note(0, of: "shop", at: Date(timeIntervalSince1970: Double(second) + 0.5))
        }
        let samples = record.samples(of: "shop")
        #expect(samples.count <= 241)
        #expect(samples.first?.fileBytes == 0)
        #expect(samples.last?.fileBytes == 999)
        #expect(samples.map(\.time) == samples.map(\.time).sorted())
        #expect(record.samples(of: "other").isEmpty)
    }

    @Test func `of a server lists its databases, and those that are not open cannot be looked at`()
        async throws
    {
        let first = try await TestDatabase.open("open")
        let second = try await TestDatabase.open("closed", in: first.scratch)
        await second.close()
        let inspector = Inspector(ofDatabasesIn: first.scratch.url) { _ in }
        var browser = try await TestInspector(first.database)
        browser = TestInspector(asking: inspector, of: first.database, as: browser)
        let token = inspector.responder.doorkeeper.makeToken()
        let entry = try await browser.get("/?token=\(token)", headers: [.cookie: "none=1"])
        let cookie = String(entry.headers[.setCookie]?.prefix { $0 != ";" } ?? "")
        let home = try await browser.get("/", headers: [.cookie: cookie])
        #expect(home.status == .ok)
        #expect(home.links.contains("/d/open/overview"))
        #expect(!home.links.contains("/d/closed/overview"))
        #expect(home.text.contains("not in use"))
        let open = try await browser.get("/d/open/overview", headers: [.cookie: cookie])
        #expect(open.status == .ok)
        let closed = try await browser.get("/d/closed/overview", headers: [.cookie: cookie])
        #expect(closed.status == .notFound)
        await first.close()
    }

    @Test func `says when the database was closed`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        await test.close()
        #expect(try await inspector.page("overview").status == .serviceUnavailable)
    }
}

extension TestInspector {
    /// A browser that asks another inspector.
    init(asking inspector: Inspector, of database: Database, as other: TestInspector) {
        self = other
        self.inspector = inspector
    }
}
