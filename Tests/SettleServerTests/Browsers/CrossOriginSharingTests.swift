import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized, .timeLimit(.minutes(60))) struct `Sharing with pages from elsewhere` {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let version = "ZUMO-API-VERSION: 3.0.0"
    private static let app = "Origin: https://app.example"
    private static let asks = "Access-Control-Request-Method: PATCH"

    private static func run(
        _ sharing: CrossOriginSharing? = .origins(["https://App.example:443", "http://x:3000"]),
        _ authentication: Authentication = .anonymous,
        _ test: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withScratchDirectory("server") { scratch in
            var configuration = ServerConfiguration(
                directory: scratch.url, authentication: authentication)
            configuration.crossOriginSharing = sharing
            try await RunningServer.run(configuration, test)
        }
    }

    @Test func `is off unless it is asked for`() async throws {
        try await Self.run(nil) { port in
            let question = try await RawExchange.send(
                "OPTIONS /tables/t", [Self.app, Self.asks], to: port)
            #expect(question.status == 403)
            #expect(!question.text.lowercased().contains("access-control"))
        }
        try await Self.run(nil, .jwt(secret: Self.secret)) { port in
            let question = try await RawExchange.send(
                "OPTIONS /tables/t", [Self.app, Self.asks], to: port)
            #expect(question.status == 405)
            #expect(!question.text.lowercased().contains("access-control"))
            #expect(question.headers["vary"] == nil)
        }
    }

    @Test(arguments: [true, false])
    func `answers the question before a request, without a token`(
        isAnonymous: Bool
    ) async throws {
        let authentication = isAnonymous ? Authentication.anonymous : .jwt(secret: Self.secret)
        try await Self.run(.origins(["https://App.example:443"]), authentication) { port in
            let question = try await RawExchange.send(
                "OPTIONS /tables/t/a",
                [
                    Self.app, Self.asks, "Sec-Fetch-Site: cross-site",
                    "Access-Control-Request-Headers: authorization,if-match,zumo-api-version",
                ], to: port)
            #expect(question.status == 204)
            #expect(question.headers["access-control-allow-origin"] == "https://app.example")
            #expect(question.headers["vary"]?.contains("Origin") == true)
            #expect(question.headers["access-control-max-age"] == "600")
            let methods = question.headers["access-control-allow-methods"] ?? ""
            for method in ["GET", "PATCH", "PUT", "DELETE", "POST"] {
                #expect(methods.contains(method), "\(method)")
            }
            let headers = (question.headers["access-control-allow-headers"] ?? "").lowercased()
            for header in [
                "authorization", "x-zumo-auth", "zumo-api-version", "content-type", "if-match",
                "if-none-match", "x-zumo-options", "prefer", "range", "last-event-id",
            ] {
                #expect(headers.contains(header), "\(header)")
            }
            // Cookies are nobody's here.
            #expect(question.headers["access-control-allow-credentials"] == nil)
            let strange = try await RawExchange.send(
                "OPTIONS /tables/t/a", ["Origin: https://evil.example", Self.asks], to: port)
            #expect(strange.status == 403)
            #expect(strange.headers["access-control-allow-origin"] == nil)
            #expect(strange.headers["vary"] == "Origin")
        }
    }

    @Test func `lets a page read answers and their headers, problems and streams among them`()
        async throws
    {
        try await Self.run { port in
            let page = [Self.version, Self.app, "Sec-Fetch-Site: cross-site"]
            let made = try await RawExchange.send(
                "POST /tables/t", page + ["Content-Type: application/json"],
                Array(#"{"id":"a"}"#.utf8), to: port)
            #expect(made.status == 201)
            let list = try await RawExchange.send("GET /tables/t", page, to: port)
            let missing = try await RawExchange.send("GET /tables/t/x", page, to: port)
            let wrong = try await RawExchange.send("GET /tables/t?$top=x", page, to: port)
            #expect(list.status == 200 && missing.status == 404 && wrong.status == 400)
            for reply in [made, list, missing, wrong] {
                #expect(reply.headers["access-control-allow-origin"] == "https://app.example")
                #expect(reply.headers["vary"] == "Origin")
                let shown = (reply.headers["access-control-expose-headers"] ?? "").lowercased()
                for header in [
                    "etag", "location", "link", "retry-after", "www-authenticate", "x-request-id",
                ] {
                    #expect(shown.contains(header), "\(header)")
                }
            }
            var stream = try await EventStream(
                port: port, "/tables/t/changes?since=0",
                headers: ["Origin": "http://x:3000", "Sec-Fetch-Site": "cross-site"])
            #expect(stream.head.contains("200"))
            #expect(stream.head.lowercased().contains("access-control-allow-origin: http://x:3000"))
            let change = try await stream.next(with: "data")
            #expect(change.item?["id"] == "a")
            stream.connection.end()
            // Nobody else's page.
            for origin in ["https://evil.example", "http://app.example", "http://x", "null"] {
                let reply = try await RawExchange.send(
                    "GET /tables/t", [Self.version, "Origin: \(origin)"], to: port)
                #expect(reply.status == 403, "\(origin)")
                #expect(reply.headers["access-control-allow-origin"] == nil)
            }
            // Names that lead here are refused all the same.
            let rebound = try await RawExchange.send(
                "GET /tables/t", page + ["Host: evil.example"], to: port)
            #expect(rebound.status == 421)
            // What other programs get differs from what pages get, so nothing may keep one for both.
            let other = try await RawExchange.send("GET /tables/t", [Self.version], to: port)
            #expect(other.status == 200 && other.headers["vary"] == "Origin")
        }
    }

    @Test func `lets a page show a token, and read why it was refused`() async throws {
        let token = try await TableServer.token(secret: Self.secret, subject: "ann")
        try await Self.run(.origins(["https://app.example"]), .jwt(secret: Self.secret)) { port in
            let refused = try await RawExchange.send(
                "GET /tables/t", [Self.version, Self.app], to: port)
            #expect(refused.status == 401)
            #expect(refused.headers["access-control-allow-origin"] == "https://app.example")
            let list = try await RawExchange.send(
                "GET /tables/t", [Self.version, Self.app, "Authorization: Bearer \(token)"],
                to: port)
            #expect(list.status == 200)
            #expect(list.headers["access-control-allow-origin"] == "https://app.example")
        }
    }

    @Test func `with all pages takes each, and those without an origin`() async throws {
        try await Self.run(.allOrigins) { port in
            for origin in ["https://evil.example", "null"] {
                let reply = try await RawExchange.send(
                    "GET /tables/t",
                    [Self.version, "Origin: \(origin)", "Sec-Fetch-Site: cross-site"], to: port)
                #expect(reply.status == 200)
                #expect(reply.headers["access-control-allow-origin"] == "*")
            }
        }
    }
}
