import HTTPTypes
import Settle
import TestSupport
import Testing

@testable import SettleServer
import SettleTableProtocol

/// What strangers send, at every route and in every place of a request where a name or a value can
/// stand: it is answered, nothing is let in, and what is stored stays as it is.
@Suite(.serialized) struct `Hostile input at every route` {
    /// Texts that other programs would obey.
    private static let statements = [
        "'; DROP TABLE items; --", "\" OR \"\"=\"", "1; SELECT pg_sleep(100)", "') OR ('1'='1",
        "x' UNION SELECT * FROM pg_shadow --", "$$; DROP SCHEMA public CASCADE; $$", "\\'; --",
        "${jndi:ldap://x}", "{{7*7}}", "`reboot`", "$(reboot)", "%27%20OR%201=1", "*)(uid=*",
        "<script>x</script>", "\u{FEFF}a", "a\u{202E}b", "Robert'); DROP TABLE t;--",
    ]

    /// Parts of a path that lead elsewhere when they are taken too literally, or not enough.
    private static let parts = [
        "..", ".", "%2e%2e", "%2E%2E%2F%2E%2E", "..%2f..%2fetc%2fpasswd", "%252e%252e%252f", "%00",
        "a%00b", "%2500", "%5c..%5c", "..;", "%C0%AE%C0%AE", "%FF", "%ED%A0%80", "%", "%zz", "*",
        "%0d%0aX-A:%20b", "~root", "con", "a%2Fb", "_id", "%F0%9F%92%A9", ";x=1",
        String(repeating: "a", count: 9_000), String(repeating: "%2e", count: 3_000), "",
    ]

    /// Bodies that are no items.
    private static let bodies: [String] = [
        "", "{", "}", "[", "nul", "{\"a\":}", "{\"a\":1}}", "{\"id\":}", "\u{0}", "\"",
        "{\"a\":\"\\x\"}",
        "{\"\\ud83d\":1", "[[[[", "{'a':1}", "NaN", "-", "1e", "// x", "<a/>", "a=b&c=d",
        String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 50_000),
        "{\"a\":" + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
    ]

    /// Values of the wrong type, as text.
    private static let values = ["null", "true", "1", "-1.5", "1e400", "\"x\"", "[]", "[{}]", "{}"]

    /// A table with an item and an attachment, in both versions, which must be the same afterwards.
    private static func withItem(
        bodyMaxBytes: Int = 1 << 20,
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(bodyMaxBytes: bodyMaxBytes) { server in
            let content = TestContent("kept")
            #expect(try await server.put(content).status == 201)
            let item = try await server.send(
                .post, "/tables/t",
                ["id": "kept", "text": "x", "_attachments": ["x": content.description()]])
            #expect(item.status == 201)
            for version in ProtocolVersion.all {
                var server = server
                server.version = version
                try await test(server)
            }
            #expect(try await server.send(.get, "/tables/t/kept").json == item.json)
            #expect(try await server.get("kept/attachments/x").bytes == content.bytes)
            let all = try await server.send(.get, "/tables/t?__includeDeleted=true&$top=1000")
            let strangers = all.ids?.filter { !$0.hasPrefix("kept") }
            #expect(strangers == [])
        }
    }

    /// The path of a route with a part in one place, and harmless ones in the others.
    private static func path(_ route: Route, _ part: String, at place: Int) -> String {
        let harmless = [
            "table": "t", "id": "kept-not", "name": "x",
            "digest": String(repeating: "0", count: 64),
        ]
        let names = route.parameterNames
        return route.template.split(separator: "/", omittingEmptySubsequences: false)
            .map { segment in
                guard segment.hasPrefix("{") else { return String(segment) }
                let name = String(segment.dropFirst().dropLast())
                return names.firstIndex(of: name) == place ? part : harmless[name] ?? ""
            }
            .joined(separator: "/")
    }

    private static func check(_ reply: Reply, _ what: String) {
        #expect(reply.status < 500, "\(what.prefix(300)) \(reply.status)")
        #expect(
            reply.bytes.isEmpty || reply.json != nil || reply.status < 300,
            "\(what.prefix(300)) is answered in JSON")
    }

    @Test func `paths that lead elsewhere`() async throws {
        try await Self.withItem { server in
            for route in RouteTable.all {
                for place in route.parameterNames.indices {
                    for part in Self.parts {
                        let path = Self.path(route, part, at: place)
                        for method in route.methods where method != .post && method != .put {
                            let wait = route.kind == .changes ? "?wait=0" : ""
                            let reply = try await server.send(method, path + wait)
                            Self.check(reply, "\(method) \(path)")
                        }
                        let reply = try await server.send(.patch, path, ["a": 1])
                        Self.check(reply, "PATCH \(path)")
                        #expect(reply.status >= 400)
                    }
                }
            }
        }
    }

    @Test func `bodies that are none`() async throws {
        try await Self.withItem { server in
            let types: [String?] = [nil, "application/json", "application/json-patch+json"]
            for route in RouteTable.all where route.isOfTable && route.kind != .content {
                let path =
                    route.kind == .item ? "/tables/t/kept" : Self.path(route, "t", at: 0)
                for method: HTTPRequest.Method in [.post, .put, .patch] {
                    for type in types {
                        for body in Self.bodies {
                            var headers: HTTPFields = [:]
                            headers[.contentType] = type
                            let reply = try await server.send(
                                method, path, bytes: Array(body.utf8), headers: headers)
                            Self.check(reply, "\(method) \(path) \(body.prefix(40))")
                            // An undelete has no body, and a live item stays as it is.
                            let isUndelete =
                                route.kind == .item && method == .post && body.isEmpty
                            #expect(reply.status >= 400 || isUndelete, "\(body.prefix(40))")
                        }
                    }
                }
            }
        }
    }

    @Test func `values of the wrong type`() async throws {
        try await Self.withItem { server in
            for value in Self.values {
                for name in [
                    "id", "version", "_attachments", "deleted", "updatedAt", "createdAt",
                ] {
                    let body = Array("{\"\(name)\":\(value)}".utf8)
                    for method: HTTPRequest.Method in [.put, .patch] {
                        let reply = try await server.send(method, "/tables/t/kept-not", bytes: body)
                        Self.check(reply, "\(method) \(name) \(value)")
                        #expect([400, 404].contains(reply.status))
                    }
                }
                for text in [
                    "{\"operations\":\(value)}", "{\"operations\":[\(value)]}",
                    "{\"operations\":[{\"op\":\(value)}]}",
                    "{\"operations\":[{\"op\":\"insert\",\"item\":\(value)}],\"operations\":1}",
                    "{\"operations\":[{\"op\":\"update\",\"id\":\(value),\"item\":{}}]}",
                    "{\"operations\":[{\"op\":\"delete\",\"id\":\"kept-not\",\"version\":\(value)}]}",
                    "{\"operations\":[{\"op\":\"replace\",\"id\":\"kept-not\",\"item\":\(value)}]}",
                    "{\"operations\":[{\"op\":\"insert\",\"item\":{\"id\":\(value),\"_attachments\":1}}]}",
                ] {
                    let reply = try await server.send(
                        .post, "/tables/t/operations/batch", bytes: Array(text.utf8))
                    Self.check(reply, text)
                    for result in reply.json?["results"]?.arrayValue ?? [] {
                        let status = result["status"]?.integerValue ?? 0
                        #expect((400..<500).contains(status), "\(text) \(status)")
                    }
                }
            }
        }
    }

    @Test func `huge bodies are cut off`() async throws {
        try await Self.withItem(bodyMaxBytes: 10_000) { server in
            let huge = Array(("{\"a\":\"" + String(repeating: "x", count: 20_000) + "\"}").utf8)
            for (method, path) in [
                (HTTPRequest.Method.post, "/tables/t"), (.put, "/tables/t/kept"),
                (.patch, "/tables/t/kept"), (.post, "/tables/t/kept"),
                (.post, "/tables/t/operations/batch"),
            ] {
                let reply = try await server.send(method, path, bytes: huge)
                #expect(reply.status == 413, "\(method) \(path)")
                #expect(reply.error != nil)
            }
        }
    }

    @Test func `statements as ids and attachments' names are only names`() async throws {
        try await Self.withItem { server in
            let content = TestContent("kept")
            for statement in Self.statements {
                let id = "kept \(server.version) \(statement)"
                let insert = try await server.send(
                    .post, "/tables/t",
                    [
                        "id": .string(id), "text": .string(statement),
                        "_attachments": .object([statement: content.description()]),
                    ])
                #expect(insert.status == 201, "\(statement) \(insert.error ?? "")")
                let path = "/tables/t/" + PercentEncoding.encoded(id)
                let read = try await server.send(.get, path)
                #expect(read.json?["id"] == .string(id))
                #expect(read.json?["text"] == .string(statement))
                let attachment = try await server.send(
                    .get, path + "/attachments/" + PercentEncoding.encoded(statement))
                #expect(attachment.bytes == content.bytes)
                let literal = statement.split(separator: "'", omittingEmptySubsequences: false)
                    .joined(separator: "''")
                let found = try await server.list(
                    "t", [("$filter", "text eq '\(literal)'"), ("__includeDeleted", "true")])
                #expect(found.ids?.contains(id) == true, "\(found.error ?? "")")
                #expect(found.ids?.contains("kept") == false)
                #expect(try await server.send(.delete, path).status == 204)
            }
        }
    }

    @Test func `statements in options are refused, or match nothing`() async throws {
        try await Self.withItem { server in
            for statement in Self.statements {
                for option in [
                    "$filter", "$orderby", "$select", "$top", "$skip", "$skiptoken", "$count",
                    "$inlinecount", "$expand", "__includeDeleted", "since", "wait",
                ] {
                    for table in ["t", "t/changes"] {
                        let wait = table == "t" || option == "wait" ? [] : [("wait", "0")]
                        let reply = try await server.list(table, [(option, statement)] + wait)
                        Self.check(reply, "\(table) \(option) \(statement)")
                        // Letters of other scripts may be the name of a member.
                        let isName = option == "$filter" && !statement.utf8.allSatisfy { $0 < 0x80 }
                        if ["$filter", "$top", "$skip", "$skiptoken"].contains(option), !isName {
                            #expect(reply.status == 400, "\(table) \(option) \(statement)")
                        }
                    }
                }
                let name = try await server.send(
                    .post, "/tables/" + PercentEncoding.encoded(statement), ["id": "a"])
                #expect(name.status == 400)
                let digest = try await server.send(
                    .put, "/tables/t/attachments/" + PercentEncoding.encoded(statement),
                    bytes: [1])
                #expect(digest.status == 400)
            }
        }
    }

    @Test func `statements in headers decide nothing`() async throws {
        try await Self.withItem { server in
            let names =
                TableParameter.allCases.filter(\.isHeader).map(\.rawValue)
                + ["Content-Type", "Accept", "X-Forwarded-Proto", "Host", "X-Anything"]
            for statement in Self.statements where statement.utf8.allSatisfy({ $0 < 0x7F }) {
                for name in names {
                    let field = try #require(HTTPField.Name(name))
                    for (method, path) in [
                        (HTTPRequest.Method.get, "/tables/t"), (.get, "/tables/t/kept"),
                        (.get, "/tables/t/kept/attachments/x"),
                        (.get, "/tables/t/changes?wait=0"), (.delete, "/tables/t/kept-not"),
                        (.patch, "/tables/t/kept-not"),
                    ] {
                        let reply = try await server.send(
                            method, path, bytes: Array("{}".utf8), headers: [field: statement])
                        Self.check(reply, "\(name): \(statement) \(method) \(path)")
                    }
                }
            }
        }
    }

    @Test func `tokens of any shape let nobody in`() async throws {
        let secret = String(repeating: "s", count: 32)
        try await TestServer.run(authentication: .jwt(secret: secret)) { server in
            let statements = Self.statements.filter { $0.utf8.allSatisfy { $0 < 0x7F } }
            let tokens =
                statements + [
                    "", ".", "..", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.",
                    String(repeating: "a", count: 7_000), String(repeating: ".", count: 1_000),
                ]
            for route in RouteTable.all where route.isOfTable {
                let path = Self.path(route, "t", at: 0)
                for method in route.methods {
                    for token in tokens {
                        for (name, value) in [
                            (HTTPField.Name.authorization, "Bearer " + token),
                            (.authorization, token), (.zumoAuth, token),
                        ] {
                            let reply = try await server.send(
                                method, path, bytes: Array("{}".utf8), headers: [name: value])
                            #expect(
                                reply.status == 401,
                                "\(method) \(path) \(token.prefix(80)) \(reply.status)")
                        }
                    }
                }
            }
        }
    }
}
