import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// What a page that its user opened may do to a server on the same machine.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `A page in a browser` {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let version = "ZUMO-API-VERSION: 2.0.0"
    private static let json = "Content-Type: application/json"
    private static let item = Array(#"{"id":"planted"}"#.utf8)

    private static func run(
        _ configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ test: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withScratchDirectory("server") { scratch in
            var configuration = ServerConfiguration(directory: scratch.url)
            configure(&configuration)
            try await RunningServer.run(configuration) { port in
                _ = try await RawExchange.send(
                    "POST /tables/t", [version, json], Array(#"{"id":"own"}"#.utf8), to: port)
                try await test(port)
            }
        }
    }

    /// The ids of the table, as another program sees them.
    private static func ids(_ port: Int) async throws -> [String] {
        let list = try await RawExchange.send(
            "GET /tables/t", [version, "Host: 127.0.0.1"], to: port)
        return (list.json?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }

    /// What browsers say of a page from elsewhere.
    private static let foreign = [
        "Origin: https://evil.example", "Origin: null", "Origin: http://localhost:1",
        "Origin: http://localhost.evil.example", "Origin: http://127.0.0.1", "Origin: ",
        "Origin: http://localhost, https://evil.example", "Origin: file://",
        "Origin: http://evil@localhost", "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: anything",
        "Origin: http://localhost\r\nOrigin: https://evil.example",
        "Origin: http://localhost\r\nSec-Fetch-Site: cross-site",
    ]

    @Test(arguments: foreign)
    func `from elsewhere neither writes to a server without tokens nor reads it`(
        header: String
    ) async throws {
        try await Self.run { port in
            for type in [Self.json, "Content-Type: text/plain", "X: y"] {
                for line in [
                    "POST /tables/t", "POST /tables/t/operations/batch", "PUT /tables/t/own",
                ] {
                    let reply = try await RawExchange.send(
                        line, [Self.version, header, type], Self.item, to: port)
                    #expect(reply.status == 403, "\(line) \(type)")
                }
            }
            for line in [
                "DELETE /tables/t/own", "POST /tables/t/own", "GET /tables/t", "GET /tables/t/own",
                "GET /tables/t/changes?since=0&wait=0", "GET /metrics", "GET /openapi.json",
                "GET /tables/t/own/attachments/x",
                "PUT /tables/t/attachments/" + String(repeating: "0", count: 64),
                "OPTIONS /tables/t",
            ] {
                let reply = try await RawExchange.send(line, [Self.version, header], to: port)
                #expect(reply.status == 403, "\(line)")
                #expect(!reply.text.contains("own\""))
                #expect(reply.headers["access-control-allow-origin"] == nil)
            }
            let stream = try await RawExchange.send(
                "GET /tables/t/changes?since=0",
                [Self.version, header, "Accept: text/event-stream"], to: port)
            #expect(stream.status == 403)
            #expect(try await Self.ids(port) == ["own"])
        }
    }

    @Test(arguments: [
        "Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded",
        "Content-Type: multipart/form-data; boundary=x",
        "Content-Type: text/plain; application/json",
        "Content-Type: text/plain, application/json", "Content-Type: text/plain, a/b+json",
        "Content-Type: ", "X: no type",
    ])
    func `is not helped by a body that a form can send, even where nothing names its origin`(
        type: String
    ) async throws {
        try await Self.run { port in
            for line in [
                "POST /tables/t?ZUMO-API-VERSION=2.0.0",
                "POST /tables/t/operations/batch?ZUMO-API-VERSION=3.0.0",
                "PATCH /tables/t/own?ZUMO-API-VERSION=3.0.0",
                "PUT /tables/t/own?ZUMO-API-VERSION=2.0.0",
            ] {
                let reply = try await RawExchange.send(line, [type], Self.item, to: port)
                #expect(reply.status == 415, "\(line)")
            }
            #expect(try await Self.ids(port) == ["own"])
        }
    }

    @Test(arguments: [
        "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
        "2130706433", "0x7f.1", "127.1", "192.0.2.1", "[::ffff:192.0.2.1]", "localhostx",
        "xlocalhost",
    ])
    func `does not read a server by a name that it had lead there`(host: String) async throws {
        try await Self.run { port in
            let own = [Self.version, "Host: \(host)", "Origin: http://\(host)"]
            for line in [
                "GET /tables/t", "GET /tables/t/own", "GET /tables/t/changes?since=0&wait=0",
                "GET /metrics", "GET /openapi.json", "GET /healthz", "GET /readyz", "GET /",
                "DELETE /tables/t/own",
            ] {
                let reply = try await RawExchange.send(line, own, to: port)
                #expect(reply.status == 421, "\(line)")
                #expect(!reply.text.contains("own\""))
            }
            let written = try await RawExchange.send(
                "POST /tables/t", own + [Self.json], Self.item, to: port)
            #expect(written.status == 421)
            // The host of a whole URL counts, and not the header beside it.
            let whole = try await RawExchange.send(
                "GET http://\(host)/tables/t", [Self.version, "Host: localhost"], to: port)
            #expect(whole.status == 421)
            #expect(try await Self.ids(port) == ["own"])
        }
    }

    @Test func `of the server itself, or typed by its user, is let in`() async throws {
        try await Self.run { port in
            for headers in [
                ["Origin: http://localhost:\(port)", "Host: localhost:\(port)"],
                ["Origin: http://LOCALHOST:\(port)", "Host: localhost.:\(port)"],
                ["Origin: http://localhost", "Host: localhost:80"],
                ["Origin: https://localhost:443", "Host: localhost"],
                ["Origin: http://[::1]:\(port)", "Host: [0:0:0:0:0:0:0:1]:\(port)"],
                [
                    "Origin: http://127.0.0.1:\(port)", "Host: 127.0.0.1:\(port)",
                    "Sec-Fetch-Site: same-origin",
                ],
                ["Sec-Fetch-Site: none", "Host: localhost:\(port)"],
            ] {
                let reply = try await RawExchange.send(
                    "GET /tables/t", [Self.version] + headers, to: port)
                #expect(reply.status == 200, "\(headers)")
            }
        }
    }

    @Test(arguments: [
        "localhost", "LOCALHOST", "localhost.", "localhost:1", "api.localhost", "127.0.0.1",
        "127.9.9.9:80", "[::1]", "[::1]:8080", "[::ffff:127.0.0.1]",
    ])
    func `is not taken for other programs, which name the machine as they like`(
        host: String
    ) async throws {
        try await Self.run { port in
            let reply = try await RawExchange.send(
                "GET /tables/t", [Self.version, "Host: \(host)"], to: port)
            #expect(reply.status == 200)
            let whole = try await RawExchange.send(
                "GET http://\(host)/tables/t", [Self.version, "Host: evil.example"], to: port)
            #expect(whole.status == 200)
        }
    }

    @Test func `finds a server by the names that it was given, and by what it listens on`()
        async throws
    {
        try await Self.run({ $0.hostNames = ["Db.example.com", "2001:DB8::1", "192.0.2.7"] }) {
            port in
            for (host, status) in [
                ("db.example.com", 200), ("DB.EXAMPLE.COM.:8080", 200), ("192.0.2.7", 200),
                ("[2001:db8:0::1]:1", 200), ("192.0.2.8", 421), ("x.db.example.com", 421),
            ] {
                let reply = try await RawExchange.send(
                    "GET /tables/t", [Self.version, "Host: \(host)"], to: port)
                #expect(reply.status == status, "\(host)")
            }
        }
        // On all addresses: the one that the connection came to.
        try await Self.run({ $0.host = "0.0.0.0" }) { port in
            for (host, status) in [("127.0.0.1", 200), ("0.0.0.0", 200), ("192.0.2.8", 421)] {
                let reply = try await RawExchange.send(
                    "GET /tables/t", [Self.version, "Host: \(host)"], to: port)
                #expect(reply.status == status, "\(host)")
            }
        }
    }

    @Test func `that shows a token is asked nothing else, and others are refused for their token`()
        async throws
    {
        let token = try await TableServer.token(secret: Self.secret, subject: "ann")
        try await Self.run({ $0.authentication = .jwt(secret: Self.secret) }) { port in
            let elsewhere = [Self.version, "Origin: https://app.example", "Host: db.example"]
            let shown = try await RawExchange.send(
                "POST /tables/t", elsewhere + [Self.json, "Authorization: Bearer \(token)"],
                Self.item, to: port)
            #expect(shown.status == 201)
            // A browser keeps the answer from the page.
            #expect(shown.headers["access-control-allow-origin"] == nil)
            #expect(try await RawExchange.send("GET /tables/t", elsewhere, to: port).status == 401)
            #expect(try await RawExchange.send("GET /healthz", elsewhere, to: port).status == 200)
        }
    }

    @Test(arguments: ["Host: evil.example", "Origin: https://evil.example"], [true, false])
    func `gets nothing of a server with tokens where it needs none, but signs of life`(
        header: String, isOpen: Bool
    ) async throws {
        let rules = try AccessRules(json: #"{"tables": {"*": {"grants": []}}}"#.utf8)
        try await Self.run({
            $0.authentication = .jwt(secret: Self.secret)
            $0.rules = rules
            if isOpen { $0.authentication = $0.authentication.allowingAnonymous() }
        }) { port in
            // Where no token is looked at, it may be any.
            for token in ["X: y", "Authorization: Bearer x", "X-ZUMO-AUTH: x"] {
                for path in ["/metrics", "/openapi.json"] {
                    let reply = try await RawExchange.send(
                        "GET \(path)", [header, token], to: port)
                    #expect(reply.status == (header.hasPrefix("Host") ? 421 : 403), "\(path)")
                    let own = try await RawExchange.send("GET \(path)", [token], to: port)
                    #expect(own.status == 200)
                }
            }
            let alive = try await RawExchange.send(
                "GET /healthz", [header, "Authorization: Bearer x"], to: port)
            #expect(alive.status == 200)
        }
    }

    @Test func `without a token is looked at where rules let everybody in besides`() async throws {
        let token = try await TableServer.token(secret: Self.secret, subject: "ann")
        let rules = try AccessRules(
            json: #"{"tables": {"t": {"grants": [{"anonymous": true, "read": ["*"]}]}}}"#.utf8)
        try await Self.run({
            $0.authentication = .jwt(secret: Self.secret).allowingAnonymous()
            $0.rules = rules
        }) { port in
            for header in ["Origin: https://evil.example", "Host: evil.example"] {
                let reply = try await RawExchange.send(
                    "GET /tables/t", [Self.version, header], to: port)
                #expect([403, 421].contains(reply.status))
                let shown = try await RawExchange.send(
                    "GET /tables/t", [Self.version, header, "X-ZUMO-AUTH: \(token)"], to: port)
                #expect(shown.status < 300 || shown.status == 404 || shown.status == 405)
                #expect(shown.status != 403 && shown.status != 421)
            }
        }
    }

    @Test(arguments: [
        ["https://app.example/"], ["app.example"], ["null"], [], ["https://app.example", ""],
        ["https://*.example"], ["https://a b"],
    ])
    func `is named by an origin, or the server does not start`(origins: [String]) async throws {
        try await withScratchDirectory("server") { scratch in
            var configuration = ServerConfiguration(directory: scratch.url)
            configuration.crossOriginSharing = .origins(origins)
            let error = await #expect(throws: ServerError.self) {
                try await TableServer(configuration: configuration).run()
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }

    @Test(arguments: ["http://db.example.com", "db.example.com:80", "a/b", "", "a b", "[::1"])
    func `needs names of hosts that are some, or the server does not start`(
        name: String
    ) async throws {
        try await withScratchDirectory("server") { scratch in
            var configuration = ServerConfiguration(directory: scratch.url)
            configuration.hostNames = [name]
            let error = await #expect(throws: ServerError.self) {
                try await TableServer(configuration: configuration).run()
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }
}
