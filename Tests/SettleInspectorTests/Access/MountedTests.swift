import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Settle
import TestSupport
import Testing

@testable import SettleInspector

@Suite struct `An inspector under a path of a server` {
    /// Pages over a database, and a browser that may have a cookie.
    private struct Browser {
        let pages: MountedInspector
        var cookie = ""
        let host = "tables.example.com"

        init(_ test: TestDatabase) { self.init(test.scratch, metrics: nil) }

        init(_ scratch: ScratchDirectory, metrics: String?) {
            pages = MountedInspector(
                ofDatabasesIn: scratch.url, path: "/inspector",
                metricsReport: { metrics })
        }

        func send(
            _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:],
            body: String = ""
        ) async throws -> TestInspector.Page {
            try await TestInspector.page(
                of: await response(method, path, headers, body: body))
        }

        func response(
            _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:],
            body: String = ""
        ) async -> Response {
            var headers = headers
            if !cookie.isEmpty { headers[.cookie] = cookie }
            let request = Request(
                head: HTTPRequest(
                    method: method, scheme: "http", authority: host, path: path,
                    headerFields: headers),
                body: RequestBody(buffer: ByteBuffer(string: body)))
            return await pages.response(to: request) { token in
                switch token {
                case "good": .granted(until: nil)
                case "past": .granted(until: Date(timeIntervalSince1970: 1))
                default: .refused("<b>Not good.</b>")
                }
            }
        }

        func enter(
            _ token: String, origin: String = "https://tables.example.com"
        ) async throws -> TestInspector.Page {
            try await send(
                .post, "/inspector/enter",
                [.origin: origin, .contentType: "application/x-www-form-urlencoded"],
                body: "token=\(token)")
        }
    }

    private func opened() async throws -> TestDatabase {
        let test = try await TestDatabase.open("t-items")
        try await test.add([["id": "a", "n": 1]])
        return test
    }

    /// A browser that was let in.
    private func letIn(to test: TestDatabase) async throws -> Browser {
        var browser = Browser(test)
        let entry = try await browser.enter("good")
        browser.cookie = String(try #require(entry.headers[.setCookie]).prefix { $0 != ";" })
        return browser
    }

    private static let pages = [
        "overview", "documents", "document?id=a", "indexes", "changes", "outbox", "replication",
        "entities", "server",
    ]

    @Test func `asks for a token, and shows nothing without a session`() async throws {
        let test = try await opened()
        var browser = Browser(test)
        for cookie in ["", "settle-inspector=0", "settle-inspector=", "a=b"] {
            browser.cookie = cookie
            for path in ["/"] + Self.pages.map({ "/d/t-items/\($0)" }) {
                let page = try await browser.send(.get, "/inspector" + path)
                #expect(page.status == .unauthorized)
                #expect(page.text.contains("type=\"password\""))
                #expect(page.text.contains("action=\"/inspector/enter\""))
                #expect(!page.text.contains("t-items"))
            }
        }
        let home = try await browser.send(.get, "/inspector")
        #expect(home.status == .seeOther && home.headers[.location] == "/inspector/")
        let style = try await browser.send(.get, "/inspector/assets/inspector.css")
        #expect(style.status == .ok)
        await test.close()
    }

    @Test func `lets in by a token for a session, whose pages stay under the path`() async throws {
        let test = try await opened()
        var browser = Browser(test)
        let entry = try await browser.enter("good")
        #expect(entry.status == .seeOther && entry.headers[.location] == "/inspector/")
        let cookie = try #require(entry.headers[.setCookie])
        for part in ["HttpOnly", "SameSite=Strict", "Path=/inspector/", "Secure"] {
            #expect(cookie.contains(part))
        }
        browser.cookie = String(cookie.prefix { $0 != ";" })
        let home = try await browser.send(.get, "/inspector/")
        #expect(home.links.contains("/inspector/d/t-items/overview"))
        for path in Self.pages {
            let page = try await browser.send(.get, "/inspector/d/t-items/\(path)")
            #expect(page.status == .ok, "\(path)")
            for link in page.links {
                #expect(link.hasPrefix("/inspector/") || link == "#main", "\(path) \(link)")
            }
            for address in page.text.matches(of: #/(?:src|data-events|action)="([^"]*)"/#) {
                #expect(address.1.hasPrefix("/inspector/"), "\(path)")
            }
        }
        // Nothing can be changed, and the way out ends the session.
        let form: HTTPFields = [
            .origin: "http://tables.example.com",
            .contentType: "application/x-www-form-urlencoded",
        ]
        let write = try await browser.send(
            .post, "/inspector/d/t-items/document/delete", form, body: "id=a")
        #expect(write.status == .forbidden)
        #expect(try await browser.send(.post, "/inspector/leave", form).status == .seeOther)
        #expect(try await browser.send(.get, "/inspector/").status == .unauthorized)
        await test.close()
    }

    @Test func `shows what the server counted before there is a table`() async throws {
        let scratch = try ScratchDirectory("inspector")
        var browser = Browser(scratch, metrics: "settle_http_refusals_total{status=\"401\"} 3")
        #expect(try await browser.send(.get, "/inspector/server").status == .unauthorized)
        let entry = try await browser.enter("good")
        browser.cookie = String(try #require(entry.headers[.setCookie]).prefix { $0 != ";" })
        let home = try await browser.send(.get, "/inspector/")
        #expect(home.text.contains("There is no table yet"))
        #expect(home.links.contains("/inspector/server"))
        let server = try await browser.send(.get, "/inspector/server")
        #expect(server.status == .ok && server.text.contains("401: 3"))
        #expect(server.links.contains("/inspector/"))
    }

    @Test(.timeLimit(.minutes(60))) func `ends a stream of events with its session`() async throws {
        let test = try await opened()
        let browser = try await letIn(to: test)
        let response = await browser.response(.get, "/inspector/d/t-items/events?since=0")
        #expect(response.status == .ok)
        let (stream, chunks) = AsyncStream<String>.makeStream()
        let writing = Task {
            defer { chunks.finish() }
            try await response.body.write(StreamWriter(chunks: chunks))
        }
        var (text, hasLeft) = ("", false)
        for await chunk in stream {
            text += chunk
            if text.contains("\"later\"") { break }
            guard !hasLeft, text.contains("event: figures") else { continue }
            hasLeft = true
            let left = try await browser.send(
                .post, "/inspector/leave",
                [
                    .origin: "https://tables.example.com",
                    .contentType: "application/x-www-form-urlencoded",
                ])
            #expect(left.status == .seeOther)
            try await test.add([["id": "later"]])
        }
        writing.cancel()
        _ = try? await writing.value
        #expect(hasLeft && text.contains("\"a\"") && !text.contains("\"later\""))
        await test.close()
    }

    @Test func `gives a session 16 streams of events at once`() async throws {
        let test = try await opened()
        let browser = try await letIn(to: test)
        let path = "/inspector/d/t-items/events"
        var open: [Response] = []
        for _ in 0..<16 { open.append(await browser.response(.get, path)) }
        #expect(open.allSatisfy { $0.status == .ok })
        #expect(await browser.response(.get, path).status == .tooManyRequests)
        #expect(try await browser.send(.get, "/inspector/d/t-items/changes").status == .ok)
        open.removeAll()
        #expect(await browser.response(.get, path).status == .ok)
        await test.close()
    }

    @Test(arguments: ["bad", "", "GOOD", "good%00", "past"]) func `refuses other tokens`(
        token: String
    ) async throws {
        let test = try await opened()
        var browser = Browser(test)
        let page = try await browser.enter(token)
        if token == "past" {
            // The session ends with the token.
            let cookie = try #require(page.headers[.setCookie])
            browser.cookie = String(cookie.prefix { $0 != ";" })
        } else {
            #expect(page.status == .unauthorized && page.headers[.setCookie] == nil)
            #expect(page.text.contains("&lt;b&gt;Not good.&lt;/b&gt;"))
        }
        #expect(try await browser.send(.get, "/inspector/").status == .unauthorized)
        await test.close()
    }

    @Test func `refuses forms and links of elsewhere, and tokens in addresses`() async throws {
        let test = try await opened()
        var browser = Browser(test)
        for origin in [
            "https://example.com", "null", "", "https://tables.example.com.evil.example",
            "https://tables.example.com:8443", "ftp://tables.example.com",
        ] {
            #expect(try await browser.enter("good", origin: origin).status == .forbidden)
        }
        let entry = try await browser.enter("good", origin: "http://tables.example.com")
        #expect(entry.headers[.setCookie]?.contains("Secure") == false)
        browser.cookie = String(try #require(entry.headers[.setCookie]).prefix { $0 != ";" })
        for site in ["cross-site", "same-site"] {
            let page = try await browser.send(
                .get, "/inspector/d/t-items/overview", [.secFetchSite: site])
            #expect(page.status == .forbidden)
        }
        browser.cookie = ""
        let address = try await browser.send(.get, "/inspector/?token=good")
        #expect(address.status == .unauthorized && address.headers[.setCookie] == nil)
        for (path, status) in [
            ("/inspector/../tables", HTTPResponse.Status.notFound),
            ("/inspector//enter", .unauthorized), ("/inspector/d/%2e%2e/overview", .unauthorized),
        ] {
            #expect(try await browser.send(.get, path).status == status)
        }
        await test.close()
    }
}
