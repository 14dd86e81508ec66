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
        _ authentication: Authentication = .anonymous,
        _ body: (_ address: String) async throws -> Void
    ) async throws {
        let directory = try ScratchDirectory("couch-server")
        var configuration = CouchServer.Configuration(directory: directory.url)
        configuration.authentication = authentication
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
        let secret = "0123456789abcdef0123456789abcdef"
        let token = try await TableServer.token(
            secret: secret, subject: "anna", claims: ["_couchdb.roles": ["_admin"]])
        let basic = "Basic " + Data("anna:\(token)".utf8).base64EncodedString()
        try await withServer(.jwt(secret: secret)) { address async throws in
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
