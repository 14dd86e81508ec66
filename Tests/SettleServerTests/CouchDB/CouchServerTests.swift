import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Settle
import SettleServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.serialized) struct `A server of CouchDB's protocol` {
    private func withServer(
        _ authentication: Authentication = .anonymous, sharing: CrossOriginSharing? = nil,
        _ body: (_ address: String) async throws -> Void
    ) async throws {
        let directory = try ScratchDirectory("couch-server")
        var configuration = CouchServer.Configuration(directory: directory.url)
        configuration.authentication = authentication
        configuration.crossOriginSharing = sharing
        configuration.port = 0
        configuration.bodyMaxBytes = 10_000
        let server = CouchServer(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            try await body("http://127.0.0.1:\(try await server.boundPort())")
            group.cancelAll()
            while let result = await group.nextResult() { _ = result }
        }
    }

    private func send(
        _ method: String, _ url: String, _ body: String? = nil, origin: String? = nil,
        authorization: String? = nil
    ) async throws -> (status: Int, text: String, headers: [String: String]) {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        if let authorization {
            request.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        if let origin { request.setValue(origin, forHTTPHeaderField: "Origin") }
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        var headers: [String: String] = [:]
        for (name, value) in answer.allHeaderFields {
            headers["\(name)".lowercased()] = "\(value)"
        }
        return (answer.statusCode, String(decoding: data, as: UTF8.self), headers)
    }

    @Test func `answers over a network as it does without one`() async throws {
        try await withServer { address async throws in
            #expect(try await send("PUT", address + "/db").text == "{\"ok\":true}\n")
            let stored = try await send("PUT", address + "/db/a%2Fb", "{\"n\":1}")
            #expect(stored.status == 201)
            let read = try await send("GET", address + "/db/a%2Fb")
            #expect(read.text.hasPrefix("{\"_id\":\"a/b\",\"_rev\":\"1-"))
            #expect(read.headers["etag"] == stored.headers["etag"])
            #expect(read.headers["content-type"] == "application/json")
            let head = try await send("HEAD", address + "/db/a%2Fb")
            #expect(head.status == 200 && head.text.isEmpty && head.headers["etag"] != nil)
            let long = String(repeating: "x", count: 20_000)
            #expect(try await send("PUT", address + "/db/long", long).status == 413)
        }
    }

    @Test func `takes contents that are longer than bodies may be`() async throws {
        try await withServer { address async throws in
            _ = try await send("PUT", address + "/db")
            let content = String(repeating: "0123456789", count: 300_000)
            let stored = try await send("PUT", address + "/db/x/a", content)
            #expect(stored.status == 201, "\(stored.text)")
            #expect(try await send("GET", address + "/db/x/a").text == content)
            #expect(try await send("PUT", address + "/db/y", content).status == 413)
            // One that is refused before its body was read leaves the connection in order.
            #expect(try await send("PUT", address + "/db/x/a", content).status == 409)
            #expect(try await send("GET", address + "/db/x/a").text == content)
        }
    }

    @Test func `lets no pages in from elsewhere`() async throws {
        try await withServer { address async throws in
            let answer = try await send("GET", address, origin: "https://example.com")
            #expect(answer.status == 403 && answer.text.contains("\"forbidden\""))
        }
    }

    /// Sends a request with a head of one's own, and does nothing else by itself.
    private func ask(
        _ method: HTTPMethod, _ url: String, _ headers: [String: String]
    ) async throws -> (status: Int, text: String, headers: HTTPHeaders) {
        var request = HTTPClientRequest(url: url)
        request.method = method
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let text = String(buffer: try await response.body.collect(upTo: 100_000))
        return (Int(response.status.code), text, response.headers)
    }

    private static let secret = "0123456789abcdef0123456789abcdef"

    @Test func `is not called by another name by those without a token`() async throws {
        try await withServer { address async throws in
            let other = try await ask(.GET, address, ["Host": "couch.example.org"])
            #expect(other.status == 421 && other.text.contains("--host-name"))
            // Nobody tells whose a header is that nobody looks at.
            let claimed = try await ask(
                .GET, address, ["Host": "couch.example.org", "Authorization": "Bearer x"])
            #expect(claimed.status == 421)
            let malformed = try await ask(.GET, address, ["Host": "a b"])
            #expect(malformed.status == 400 && malformed.text.contains("\"bad_request\""))
        }
    }

    @Test func `with tokens is called by any name, and keeps pages out that show none`()
        async throws
    {
        let token = try await TableServer.token(
            secret: Self.secret, subject: "anna", claims: ["_couchdb.roles": ["_admin"]])
        try await withServer(.jwt(secret: Self.secret)) { address async throws in
            let host = ["Host": "couch.example.org"]
            func status(
                _ method: HTTPMethod, _ path: String, _ headers: [String: String]
            ) async throws -> Int {
                try await ask(method, address + path, host.merging(headers) { $1 }).status
            }
            let page = ["Origin": "https://example.com"]
            let bearer = ["Authorization": "Bearer \(token)"]
            #expect(try await status(.PUT, "/db", bearer) == 201)
            #expect(try await status(.GET, "/db", bearer.merging(page) { $1 }) == 200)
            #expect(try await status(.GET, "/", [:]) == 200)
            #expect(try await status(.GET, "/db", [:]) == 401)
            let cookie = ["Cookie": "AuthSession=\(token)"]
            #expect(try await status(.GET, "/db", cookie) == 200)
            #expect(try await status(.GET, "/db", cookie.merging(page) { $1 }) == 403)
            #expect(try await status(.POST, "/_session", page) == 403)
            // What was typed a browser adds by itself to what another page asks for.
            let typed = Data("anna:\(token)".utf8).base64EncodedString()
            let basic = ["Authorization": "Basic \(typed)"]
            #expect(try await status(.GET, "/db", basic) == 200)
            #expect(try await status(.GET, "/db", basic.merging(page) { $1 }) == 403)
        }
    }

    @Test func `lets in the pages of origins that are named, with their cookies`() async throws {
        let sharing = CrossOriginSharing.origins(["https://app.example.com"])
        try await withServer(.jwt(secret: Self.secret), sharing: sharing) { address async throws in
            let page = ["Origin": "https://app.example.com"]
            let asked = try await ask(
                .OPTIONS, address + "/db/x",
                page.merging(["Access-Control-Request-Method": "PUT"]) { $1 })
            #expect(asked.status == 204)
            #expect(
                asked.headers.first(name: "access-control-allow-methods")
                    == "GET, HEAD, POST, PUT, DELETE, COPY")
            let allowed = asked.headers.first(name: "access-control-allow-headers") ?? ""
            #expect(allowed.contains("Authorization") && allowed.contains("If-Match"))
            for (path, status) in [("/", 200), ("/db", 401)] {
                let answer = try await ask(.GET, address + path, page)
                #expect(answer.status == status)
                #expect(
                    answer.headers.first(name: "access-control-allow-origin")
                        == "https://app.example.com")
                #expect(answer.headers.first(name: "access-control-allow-credentials") == "true")
                let exposed = answer.headers.first(name: "access-control-expose-headers")
                #expect(exposed?.contains("ETag") == true && answer.headers["vary"] == ["Origin"])
            }
            let other = try await ask(.GET, address, ["Origin": "https://example.com"])
            #expect(other.status == 403)
            #expect(other.headers.first(name: "access-control-allow-origin") == nil)
        }
        try await withServer(sharing: .allOrigins) { address async throws in
            let answer = try await ask(.GET, address, ["Origin": "https://example.com"])
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "access-control-allow-origin") == "*")
            #expect(answer.headers.first(name: "access-control-allow-credentials") == nil)
        }
    }

    @Test func `ends its feeds when it stops`() async throws {
        try await withServer { address async throws in
            #expect(try await send("PUT", address + "/db").status == 201)
            let request = HTTPClientRequest(
                url: address + "/db/_changes?feed=continuous&heartbeat=3600000")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            #expect(try await send("PUT", address + "/db/a", "{}").status == 201)
            var pieces = response.body.makeAsyncIterator()
            let line = try #require(try await pieces.next())
            #expect(String(buffer: line).contains("\"id\":\"a\""))
        }
    }

    @Test func `asks for a token over a network, too`() async throws {
        let token = try await TableServer.token(
            secret: Self.secret, subject: "anna", claims: ["_couchdb.roles": ["_admin"]])
        let basic = "Basic " + Data("anna:\(token)".utf8).base64EncodedString()
        try await withServer(.jwt(secret: Self.secret)) { address async throws in
            // By a client that does not go on by itself when it is asked for a password.
            let refused = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: address + "/_all_dbs"), timeout: .seconds(60))
            #expect(refused.status == .unauthorized)
            #expect(refused.headers.contains(name: "www-authenticate"))
            let text = String(buffer: try await refused.body.collect(upTo: 10_000))
            #expect(text.contains("\"unauthorized\""))
            #expect(try await send("PUT", address + "/db", authorization: basic).status == 201)
            let content = String(repeating: "0123456789", count: 900)
            let stored = try await send(
                "PUT", address + "/db/x/a", content, authorization: basic)
            #expect(stored.status == 201)
            let read = try await send("GET", address + "/db/x/a", authorization: "Bearer \(token)")
            #expect(read.text == content && read.headers["content-length"] == "9000")
        }
    }
}
