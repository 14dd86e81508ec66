import Foundation
import HTTPTypes
import Settle
import Testing

@testable import SettleInspector

@Suite struct `Access to an inspector` {
    /// Every page of the menu and those behind it.
    static let pages = [
        "overview", "documents", "document?id=a", "edit?id=a", "indexes", "index?name=x", "changes",
        "events", "outbox", "operation?id=1", "replication", "conflict?id=a&remote=r", "entities",
        "entity?id=a", "server", "attachment?id=a&name=b", "document.json?id=a", "attach?id=a",
        "detach?id=a&name=b", "expiry?id=a", "index/events?name=x", "conflicts", "leaves?id=a",
        "leaves/merge?id=a", "conflict/merge?id=a&remote=r",
    ]

    static let actions = [
        "document/review", "document/save", "document/delete", "document/purge", "index/add",
        "index/build", "index/remove", "operation/hold", "operation/retry", "operation/skip",
        "conflict/resolve", "conflict/review", "attachment/review", "attachment/save",
        "attachment/discard", "attachment/remove", "expiry/review", "expiry/save", "leaves/review",
        "leaves/resolve",
    ]

    @Test(arguments: pages) func `is refused without the cookie, and with another`(
        page: String
    ) async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        for cookie in [
            "a=b", "settle-inspector-0=0", inspector.cookie + "0",
            "settle-inspector-1" + inspector.cookie.dropFirst(18),
        ] {
            let page = try await inspector.get(
                inspector.path("") + page, headers: [.cookie: cookie])
            #expect(page.status == .unauthorized)
            #expect(!page.text.contains("shop"))
        }
        await test.close()
    }

    @Test func `begins with a token that counts once`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        let token = inspector.inspector.responder.doorkeeper.makeToken()
        let none: HTTPFields = [.cookie: "none=1"]
        let head = try await inspector.send(.head, "/?token=\(token)", headers: none)
        #expect(head.status == .unauthorized)
        let first = try await inspector.get("/?token=\(token)", headers: none)
        #expect(first.status == .seeOther)
        #expect(first.headers[.location] == "/")
        let cookie = try #require(first.headers[.setCookie])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        for wrong in [token, "", "0", String(token.dropLast()), token + "0", token.uppercased()] {
            let page = try await inspector.get("/?token=\(wrong)", headers: none)
            #expect(page.status == .unauthorized)
            #expect(page.headers[.setCookie] == nil)
        }
        await test.close()
    }

    @Test(arguments: [
        "example.com", "127.0.0.1.example.com", "localhost.example.com", "localhost:81",
        "127.0.0.2",
        "0.0.0.0", "[::1]:8080", "", "localhost@example.com", "localhost.",
    ]) func `is refused under another name of the host`(host: String) async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.send(.get, inspector.path("overview"), host: host)
        #expect(page.status == .misdirectedRequest)
        #expect(!page.text.contains("shop"))
        await test.close()
    }

    @Test func `is refused at another port than is listened on`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        inspector.inspector.responder.port.number = 4_321
        for (host, status) in [
            ("localhost:4321", HTTPResponse.Status.unauthorized), ("127.0.0.1:4321", .unauthorized),
            ("[::1]:4321", .unauthorized), ("localhost", .misdirectedRequest),
            ("localhost:4322", .misdirectedRequest),
        ] {
            let page = try await inspector.send(.get, "/", host: host)
            #expect(page.status == status, "\(host)")
        }
        await test.close()
    }

    @Test(arguments: ["cross-site", "same-site", "x"]) func `is refused to pages of elsewhere`(
        site: String
    ) async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.get(
            inspector.path("overview"), headers: [.secFetchSite: site])
        #expect(page.status == .forbidden)
        let token = inspector.inspector.responder.doorkeeper.makeToken()
        let entry = try await inspector.get("/?token=\(token)", headers: [.secFetchSite: site])
        #expect(entry.status == .forbidden)
        for site in ["same-origin", "none"] {
            let page = try await inspector.get(
                inspector.path("overview"), headers: [.secFetchSite: site])
            #expect(page.status == .ok)
        }
        await test.close()
    }

    @Test(arguments: [
        "http://localhost:81", "http://127.0.0.1", "https://localhost", "http://example.com",
        "null",
        "", "http://localhost.example.com",
    ]) func `to change something is refused to forms of another origin`(
        origin: String
    ) async throws {
        let test = try await TestDatabase.open()
        try await test.add([Document(id: "a")])
        let inspector = try await TestInspector(test.database, isWritable: true)
        let revision = try #require(
            try test.database.read { try $0.document("a")?.metaData.revision })
        for action in Self.actions {
            let page = try await inspector.post(
                action, ["id": "a", "revision": revision, "text": "{}", "name": "x", "keys": "a"],
                origin: origin)
            #expect(page.status == .forbidden, "\(action)")
        }
        #expect(try test.database.lastSequence == 1)
        #expect(try test.database.read { try $0.document("a")?.metaData.revision } == revision)
        await test.close()
    }

    @Test(arguments: actions) func `changes nothing without the right to write`(
        action: String
    ) async throws {
        let test = try await TestDatabase.open()
        try await test.add([Document(id: "a")])
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.post(
            action, ["id": "a", "text": "{}", "name": "x", "keys": "a", "use": "mine"])
        #expect(page.status == .forbidden)
        #expect(page.text.contains("--write"))
        #expect(try test.database.lastSequence == 1)
        #expect(test.database.indexNames.isEmpty)
        await test.close()
    }

    @Test func `shows no form that changes something without the right to write`() async throws {
        let test = try await TestDatabase.open(indexes: [
            Database.Index.keyPaths(name: "x", keys: [["a"]])
        ])
        try await test.add([Document(id: "a")])
        let inspector = try await TestInspector(test.database)
        for page in Self.pages where !page.contains("events") {
            let shown = try await inspector.get(inspector.path("") + page)
            #expect(!shown.text.contains("method=\"post\""), "\(page)")
        }
        await test.close()
    }

    @Test(arguments: [
        "/d/../../etc/passwd", "/d/shop/../../etc/passwd", "/assets/../Package.swift",
        "/assets/..%2f..%2fetc%2fpasswd", "/assets/%2e%2e/inspector.css",
        "/d/..%2F..%2Fetc/overview",
        "/d/shop/..%2f..%2fetc", "/d/shop/attachment?id=..%2f..&name=..%2f..%2fetc%2fpasswd",
        "/d/%00/overview", "/d/shop/document?id=..%2f..%2fetc%2fpasswd", "/x", "/d", "/d/shop",
        "/d/shop/a/b/c",
    ]) func `leads nowhere by a path that climbs`(path: String) async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.get(path)
        #expect(page.status == .notFound)
        #expect(!page.text.contains("root:"))
        await test.close()
    }

    @Test(arguments: ["/d/%zz/overview", "/d/%ff/overview", "/?a=%f", "/d/shop/documents?id=%c3"])
    func `is refused under an address that is malformed`(path: String) async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        #expect(try await inspector.get(path).status == .badRequest)
        await test.close()
    }

    @Test func `says with everything what a browser may do with it`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        for path in ["/", "/x", inspector.path("overview"), "/assets/inspector.js", "/?a=%f"] {
            let headers = try await inspector.get(path).headers
            let policy = try #require(headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(headers[.xContentTypeOptions] == "nosniff")
            #expect(headers[.crossOriginResourcePolicy] == "same-origin")
            // A stricter one would keep browsers from naming the origin of forms.
            #expect(headers[.referrerPolicy] == "same-origin")
        }
        await test.close()
    }

    @Test(arguments: [HTTPRequest.Method.put, .delete, .patch, .options])
    func `knows two methods`(method: HTTPRequest.Method) async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database, isWritable: true)
        let page = try await inspector.send(
            method, inspector.path("document/delete"), headers: [.origin: "http://localhost"])
        #expect(page.status == .methodNotAllowed)
        await test.close()
    }

    @Test(arguments: ["/enter", "/leave"]) func `has no way in or out but the token's`(
        path: String
    ) async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database, isWritable: true)
        for method in [HTTPRequest.Method.get, .post] {
            let page = try await inspector.send(
                method, path,
                headers: [
                    .origin: "http://localhost", .contentType: "application/x-www-form-urlencoded",
                ], body: "token=x")
            #expect(page.status == .notFound && page.headers[.setCookie] == nil)
        }
        #expect(try await inspector.page("overview").status == .ok)
        await test.close()
    }

    @Test func `takes forms of one kind only`() async throws {
        let test = try await TestDatabase.open()
        try await test.add([Document(id: "a")])
        let inspector = try await TestInspector(test.database, isWritable: true)
        for type in ["text/plain", "multipart/form-data", "application/json", ""] {
            let page = try await inspector.send(
                .post, inspector.path("document/purge"),
                headers: [.origin: "http://localhost", .contentType: type], body: "id=a")
            #expect(page.status == .unsupportedMediaType)
        }
        #expect(try test.database.totalDocumentCount == 1)
        await test.close()
    }

    @Test func `ends for the oldest browser when there are too many`() async throws {
        let doorkeeper = Doorkeeper()
        let first = try #require(doorkeeper.session(for: doorkeeper.makeToken()))
        let now = Date()
        #expect(doorkeeper.knows(first, at: now))
        for _ in 0..<64 { #expect(doorkeeper.session(for: doorkeeper.makeToken()) != nil) }
        #expect(!doorkeeper.knows(first, at: now))
    }

    @Test func `ends for a browser at its time, or when it leaves`() {
        let doorkeeper = Doorkeeper()
        let now = Date(timeIntervalSince1970: 1_000)
        let session = doorkeeper.makeSession(until: now)
        #expect(doorkeeper.knows(session, at: now.addingTimeInterval(-1)))
        #expect(!doorkeeper.knows(session, at: now))
        let other = doorkeeper.makeSession(until: nil)
        #expect(doorkeeper.knows(other, at: .distantFuture))
        doorkeeper.end(other)
        #expect(!doorkeeper.knows(other, at: now))
        #expect(doorkeeper.knows(session, at: now.addingTimeInterval(-1)))
    }
}
