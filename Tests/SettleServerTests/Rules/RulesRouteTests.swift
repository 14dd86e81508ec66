import HTTPTypes
import Settle
import SettleOData
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Rules on every route` {
    private static let rules = """
        {"grants": [{"claims": {"role": "admin"}, "read": ["*"], "write": ["*"]},
        {"claims": {"role": "driver"}, "read": ["${region}", "public"],
        "write": ["${region}", "box-${sub}"]},
        {"anonymous": true, "read": ["public"]}]}
        """

    private static func admin(_ server: TestServer) async throws -> String {
        try await RulesServer.token("root", ["role": "admin"], server)
    }

    private static func driver(
        _ region: String, _ server: TestServer
    ) async throws -> String {
        try await RulesServer.token("ann", ["role": "driver", "region": .string(region)], server)
    }

    @Test func `what is not the reader's is on no route`() async throws {
        try await RulesServer.run(Self.rules) { server in
            let admin = try await Self.admin(server)
            let secrets: [(String, [JSONValue])] = [
                ("south", ["south"]), ("none", []), ("box", ["box-ann"]), ("star", ["*"]),
                ("shared", ["north", "south"]), ("own", ["north"]), ("free", ["public"]),
            ]
            for (id, channels) in secrets {
                let reply = try await server.send(
                    .post, "/tables/t",
                    ["id": .string(id), "channels": .array(channels), "text": "hidden"],
                    token: admin)
                #expect(reply.status == 201)
            }
            let ann = try await Self.driver("north", server)
            let seen = try await server.send(.get, "/tables/t", token: ann)
            #expect(seen.ids == ["free", "own", "shared"])
            for options in [
                [("$filter", "text eq 'hidden'"), ("$inlinecount", "allpages")],
                [("$filter", "channels/any(c: c eq 'south')"), ("$inlinecount", "allpages")],
                [("$filter", "id eq 'south' or id eq 'box'")],
                [("$orderby", "updatedAt"), ("__includeDeleted", "true")],
                [("$orderby", "text desc"), ("$top", "1000"), ("$skip", "0")],
            ] {
                let reply = try await server.list("t", options, token: ann)
                let ids = try #require(reply.ids)
                #expect(Set(ids).isSubset(of: ["free", "own", "shared"]), "\(options)")
                let count = reply.json?["count"]?.integerValue ?? 0
                #expect(count <= 3)
            }
            for id in ["south", "none", "box", "star"] {
                let path = "/tables/t/\(id)"
                let missing = try await server.send(.get, "/tables/t/missing", token: ann)
                for (method, target) in [
                    (HTTPRequest.Method.get, path), (.head, path), (.patch, path),
                    (.delete, path), (.post, path), (.get, path + "/attachments/a"),
                ] {
                    let body: JSONValue? = method == .patch ? ["text": "taken"] : nil
                    let reply = try await server.send(method, target, body, token: ann)
                    #expect(reply.status == 404, "\(method) \(target)")
                    #expect(reply.etag == nil)
                    #expect(!String(decoding: reply.bytes, as: UTF8.self).contains("hidden"))
                    if method == .get, target == path { #expect(reply.bytes == missing.bytes) }
                }
                let stale = try await server.send(
                    .patch, path, ["text": "taken"], ifMatch: "\"x\"", token: ann)
                #expect(stale.status == 404)
            }
            let all = try await server.send(.get, "/tables/t?$top=100", token: admin)
            #expect(all.json?.arrayValue?.allSatisfy { $0["text"] == "hidden" } == true)
            #expect(all.ids?.count == 7)
        }
    }

    @Test func `who may write and not read has a letter box`() async throws {
        try await RulesServer.run(Self.rules) { server in
            let ann = try await Self.driver("north", server)
            let sent = try await server.send(
                .post, "/tables/t", ["id": "l", "channels": ["box-ann"], "n": 1], token: ann)
            // What was sent comes back, which is no news to the sender.
            #expect(sent.status == 201 && sent.json?["n"] == 1)
            for method in [HTTPRequest.Method.get, .patch, .delete, .post] {
                let body: JSONValue? = method == .patch ? ["n": 2] : nil
                let reply = try await server.send(method, "/tables/t/l", body, token: ann)
                #expect(reply.status == 404, "\(method)")
            }
            let again = try await server.send(
                .post, "/tables/t", ["id": "l", "channels": ["box-ann"], "n": 3], token: ann)
            #expect(again.status == 403)
            #expect(again.json?["n"] == nil && again.etag == nil)
            let admin = try await Self.admin(server)
            let kept = try await server.send(.get, "/tables/t/l", token: admin)
            #expect(kept.json?["n"] == 1 && kept.etag == sent.etag)
        }
    }

    @Test func `who may read and not write changes nothing`() async throws {
        try await RulesServer.run(Self.rules, allowsAnonymous: true) { server in
            let admin = try await Self.admin(server)
            let ann = try await Self.driver("north", server)
            let item = try await server.send(
                .post, "/tables/t", ["id": "p", "channels": ["public"], "n": 1], token: admin)
            for token in [ann, nil] as [String?] {
                let read = try await server.send(.get, "/tables/t/p", token: token)
                #expect(read.json == item.json)
                for (method, path, body) in [
                    (.patch, "/tables/t/p", ["n": 2]), (.delete, "/tables/t/p", nil),
                    (.patch, "/tables/t/p", ["channels": ["north"]]), (.post, "/tables/t/p", nil),
                    (.post, "/tables/t", ["id": "q", "channels": ["public"]]),
                    (.post, "/tables/t", ["id": "q", "channels": ["north", "public"]]),
                    (.post, "/tables/t", ["id": "q"]),
                    (.post, "/tables/t", ["id": "q", "channels": ["*"]]),
                    (.post, "/tables/t", ["id": "q", "channels": ["${region}"]]),
                ] as [(HTTPRequest.Method, String, JSONValue?)] {
                    let reply = try await server.send(method, path, body, token: token)
                    #expect(reply.status == 403, "\(method) \(path) \(body ?? .null)")
                }
                let stale = try await server.send(
                    .patch, "/tables/t/p", ["n": 2], ifMatch: "\"x\"", token: token)
                #expect(stale.status == 403)
            }
            let digest = String(repeating: "0", count: 64)
            let upload = try await server.send(
                .put, "/tables/t/attachments/\(digest)", bytes: [1])
            #expect(upload.status == 403)
            #expect(try await server.send(.get, "/tables/t/p", token: admin).etag == item.etag)
            #expect(try await server.send(.get, "/tables/t", token: admin).ids == ["p"])
        }
    }

    @Test func `a conflict shows only what may be read`() async throws {
        try await RulesServer.run(Self.rules) { server in
            let admin = try await Self.admin(server)
            let ann = try await Self.driver("north", server)
            for (id, channel) in [("own", "north"), ("foreign", "south")] {
                _ = try await server.send(
                    .post, "/tables/t",
                    ["id": .string(id), "channels": [.string(channel)], "text": "hidden"],
                    token: admin)
            }
            let own = try await server.send(
                .post, "/tables/t", ["id": "own", "channels": ["north"]], token: ann)
            #expect(own.status == 409 && own.json?["text"] == "hidden")
            let foreign = try await server.send(
                .post, "/tables/t", ["id": "foreign", "channels": ["north"]], token: ann)
            #expect(foreign.status == 403)
            #expect(!String(decoding: foreign.bytes, as: UTF8.self).contains("hidden"))
        }
    }

    @Test func `a token that is not good fails where none is needed`() async throws {
        try await RulesServer.run(Self.rules, allowsAnonymous: true) { server in
            let ann = try await Self.driver("north", server)
            #expect(try await server.send(.get, "/tables/t").status == 200)
            for headers: HTTPFields in [
                [.authorization: "Bearer \(ann)x"], [.authorization: "Bearer "],
                [.authorization: "Basic YTpi"], [.zumoAuth: "x"], [.zumoAuth: ""],
                [.authorization: "Bearer x", .zumoAuth: ann],
            ] {
                let reply = try await server.send(.get, "/tables/t", headers: headers)
                #expect(reply.status == 401, "\(headers)")
            }
            server.clock.advance(microseconds: 3_600_000_000)
            #expect(try await server.send(.get, "/tables/t", token: ann).status == 401)
            #expect(try await server.send(.get, "/tables/t").status == 200)
        }
        let error = await #expect(throws: ServerError.self) {
            try await TestServer.run(
                authentication: .jwt(secret: RulesServer.secret).allowingAnonymous()
            ) { _ in }
        }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `an operation that a table does not take is 405`() async throws {
        let all: [(TableOperation, HTTPRequest.Method, String, JSONValue?)] = [
            (.read, .get, "/tables/t", nil), (.read, .get, "/tables/t/a", nil),
            (.insert, .post, "/tables/t", ["id": "b"]),
            (.update, .patch, "/tables/t/a", ["n": 1]), (.delete, .delete, "/tables/t/a", nil),
            (.undelete, .post, "/tables/t/a", nil),
        ]
        for count in 0..<(1 << 5) {
            let open = TableOperation.allCases.enumerated().filter { count >> $0.offset & 1 == 1 }
                .map(\.element)
            let names = open.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
            try await RulesServer.run(
                "{\"operations\": [\(names)], \"grants\": [{\"read\": [\"*\"], \"write\": [\"*\"]}]}",
                stores: [.directory]
            ) { server in
                let token = try await Self.admin(server)
                for (operation, method, path, body) in all {
                    let reply = try await server.send(method, path, body, token: token)
                    if open.contains(operation) {
                        #expect(reply.status != 405, "\(operation) of \(open)")
                    } else {
                        #expect(reply.status == 405, "\(operation) of \(open)")
                        let allow = try #require(reply.headers[.allow])
                        #expect(!allow.contains(method.rawValue))
                    }
                    // Who shows no token is told nothing of the rules.
                    let stranger = try await server.send(method, path, body)
                    #expect(stranger.status == 401)
                }
            }
        }
    }
}
