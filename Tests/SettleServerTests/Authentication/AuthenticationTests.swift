import Foundation
import HTTPTypes
import JWTKit
import Settle
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Tokens and channels` {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let clock = StepClock()

    private static func run(
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            authentication: .jwt(secret: secret), clock: StepClock(), test)
    }

    private static func token(
        _ channels: [String]?, secret: String = secret, expiresIn: Duration = .seconds(60)
    ) async throws -> String {
        try await TableServer.token(
            secret: secret, subject: "ann", channels: channels, expiresIn: expiresIn,
            now: clock.date)
    }

    /// A token with any header and payload, signed as HS256 would be.
    private static func forged(header: String, payload: String, isSigned: Bool) async throws
        -> String
    {
        let body =
            Base64URL.text(of: Array(header.utf8)) + "." + Base64URL.text(of: Array(payload.utf8))
        guard isSigned else { return body + "." }
        let signer = try await TokenKeySet.algorithm(secret: secret)
        return body + "." + Base64URL.text(of: try signer.sign(Data(body.utf8)))
    }

    @Test func `both headers are understood`() async throws {
        try await Self.run { server in
            let token = try await Self.token(nil)
            let bearer = try await server.send(
                .get, "/tables/t", headers: [.authorization: "bearer  \(token)"])
            let zumo = try await server.send(.get, "/tables/t", headers: [.zumoAuth: token])
            #expect(bearer.status == 200)
            #expect(zumo.status == 200)
        }
    }

    @Test func `no token is 401 on every route and nothing is stored`() async throws {
        try await Self.run { server in
            for (method, path) in [
                ("GET", "/tables/t"), ("POST", "/tables/t"), ("GET", "/tables/t/a"),
                ("PATCH", "/tables/t/a"), ("DELETE", "/tables/t/a"), ("POST", "/tables/t/a"),
            ] {
                let reply = try await server.send(
                    try #require(HTTPRequest.Method(rawValue: method)), path, ["id": "a"])
                #expect(reply.status == 401)
                #expect(reply.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
                #expect(reply.error != nil)
            }
            let token = try await Self.token(nil)
            #expect(try await server.send(.get, "/tables/t", token: token).json == [])
        }
    }

    @Test func `forged, expired and malformed tokens are 401`() async throws {
        try await Self.run { server in
            let good = try await Self.token(["north"])
            let parts = good.split(separator: ".").map(String.init)
            let expires = Int(Self.clock.date.timeIntervalSince1970) + 60
            let hs256 = #"{"alg":"HS256","typ":"JWT"}"#
            var tokens = [
                "", "garbage", "a.b.c", "..", good + "x", String(good.dropLast(3)),
                parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[2] + "." + parts[1],
                try await Self.token(nil, secret: String(repeating: "x", count: 32)),
                try await Self.token(nil, expiresIn: .zero),
                try await Self.token(nil, expiresIn: .seconds(-1)),
            ]
            for header in [
                #"{"alg":"none"}"#, #"{"alg":"NONE"}"#, #"{"alg":"HS512"}"#, "{}",
                #"{"alg":"RS256"}"#, #"{"alg":null}"#, "[]",
            ] {
                for isSigned in [true, false] {
                    tokens.append(
                        try await Self.forged(
                            header: header, payload: #"{"sub":"x","exp":\#(expires)}"#,
                            isSigned: isSigned))
                }
            }
            for payload in [
                #"{"exp":"soon"}"#, #"{"exp":\#(expires),"channels":null}"#, "[]", "",
                #"{"exp":\#(expires),"channels":"north"}"#, #"{"channels":[1]}"#,
                #"{"exp":\#(expires),"nbf":\#(expires - 30)}"#, #"{"sub":1}"#,
            ] {
                tokens.append(
                    try await Self.forged(header: hs256, payload: payload, isSigned: true))
            }
            for token in tokens {
                let reply = try await server.send(.get, "/tables/t", token: token)
                #expect(reply.status == 401, "\(token)")
                #expect(reply.headers[.wwwAuthenticate] != nil)
            }
            #expect(try await server.send(.get, "/tables/t", token: good).status == 200)
            let timeless = try await Self.forged(
                header: hs256, payload: #"{"sub":"x"}"#, isSigned: true)
            #expect(try await server.send(.get, "/tables/t", token: timeless).status == 200)
        }
    }

    @Test func `a token stops at its time by the server's clock`() async throws {
        try await Self.run { server in
            let token = try await Self.token(nil, expiresIn: .seconds(60))
            server.clock.advance(microseconds: 59_999_000)
            #expect(try await server.send(.get, "/tables/t", token: token).status == 200)
            server.clock.advance(microseconds: 1_000)
            let reply = try await server.send(.get, "/tables/t", token: token)
            #expect(reply.status == 401)
            #expect(reply.error?.contains("expired") == true)
        }
    }

    @Test func `a short secret and a bad key set do not start`() async throws {
        for authentication in [
            Authentication.jwt(secret: "short"), .jwt(keySet: "{}"), .jwt(keySet: "x"),
            .jwt(keySet: #"{"keys":[{"kty":"oct"}]}"#),
        ] {
            let error = await #expect(throws: ServerError.self) {
                try await TestServer.run(authentication: authentication) { _ in }
            }
            #expect(error?.code == .invalidConfiguration)
        }
        await #expect(throws: ServerError.self) {
            try await TableServer.token(secret: "short", subject: "x")
        }
    }

    @Test func `a limited token sees its channels and nothing else`() async throws {
        try await Self.run { server in
            let all = try await Self.token(nil)
            for (id, channels) in [
                ("n", ["north"]), ("s", ["south"]), ("ns", ["north", "south"]), ("none", []),
            ] as [(String, [JSONValue])] {
                let reply = try await server.send(
                    .post, "/tables/t", ["id": .string(id), "channels": .array(channels)],
                    token: all)
                #expect(reply.status == 201)
            }
            _ = try await server.send(
                .post, "/tables/t", ["id": "odd", "channels": "north"], token: all)
            _ = try await server.send(.delete, "/tables/t/s", token: all)
            let north = try await Self.token(["north"])
            #expect(try await server.send(.get, "/tables/t", token: north).ids == ["n", "ns"])
            let counted = try await server.list(
                "t", [("$inlinecount", "allpages"), ("$top", "1")], token: north)
            #expect(counted.json?["count"] == 2)
            for id in ["s", "none", "odd"] {
                let path = "/tables/t/\(id)?__includeDeleted=true"
                for method in [HTTPRequest.Method.get, .patch, .delete, .post] {
                    let reply = try await server.send(
                        method, path, method == .patch ? ["a": 1] : nil, token: north)
                    #expect(reply.status == 404, "\(method) \(id)")
                }
            }
            let filtered = try await server.list(
                "t", [("$filter", "id eq 's' or id eq 'none'"), ("__includeDeleted", "true")],
                token: north)
            #expect(filtered.json == [])
            // Tombstones keep their channels, so the south learns of its own.
            let south = try await Self.token(["south"])
            let pulled = try await server.send(
                .get, "/tables/t?__includeDeleted=true&$orderby=updatedAt", token: south)
            #expect(pulled.ids == ["ns", "s"])
            let nothing = try await Self.token([])
            #expect(try await server.send(.get, "/tables/t", token: nothing).json == [])
        }
    }

    @Test func `a limited token writes within its channels and nowhere else`() async throws {
        try await Self.run { server in
            let all = try await Self.token(nil)
            let north = try await Self.token(["north", "east"])
            for channels in [
                .array([]), .null, "north", ["south"], ["north", "south"], ["north", 1],
            ] as [JSONValue] {
                let reply = try await server.send(
                    .post, "/tables/t", ["id": "x", "channels": channels], token: north)
                #expect(reply.status == 403)
                #expect(reply.error?.contains("token") == true)
            }
            #expect(
                try await server.send(.post, "/tables/t", ["id": "x"], token: north).status == 403)
            #expect(try await server.send(.get, "/tables/t", token: all).json == [])
            let item = try await server.send(
                .post, "/tables/t", ["id": "x", "channels": ["north"]], token: north)
            #expect(item.status == 201)
            for channels in [.array([]), .null, ["south"], ["north", "south"]] as [JSONValue] {
                let reply = try await server.send(
                    .patch, "/tables/t/x", ["channels": channels], token: north)
                #expect(reply.status == 403)
            }
            #expect(try await server.send(.get, "/tables/t/x", token: all).etag == item.etag)
            #expect(
                try await server.send(
                    .patch, "/tables/t/x", ["channels": ["east", "north"]], token: north
                ).status == 200)
            // Shared with a channel that is not claimed: to be seen, not to be written.
            _ = try await server.send(
                .patch, "/tables/t/x", ["channels": ["north", "south"]], token: all)
            #expect(try await server.send(.get, "/tables/t/x", token: north).status == 200)
            for method in [HTTPRequest.Method.patch, .delete, .post] {
                let body: JSONValue? = method == .patch ? ["channels": ["north"]] : nil
                let reply = try await server.send(method, "/tables/t/x", body, token: north)
                #expect(reply.status == 403, "\(method)")
            }
            // An id that is taken out of sight tells nothing of the item.
            let west = try await Self.token(["west"])
            let taken = try await server.send(
                .post, "/tables/t", ["id": "x", "channels": ["west"]], token: west)
            #expect(taken.status == 403)
            #expect(taken.json?["channels"] == nil)
            #expect(taken.etag == nil)
        }
    }

    @Test func `a refused insert makes no table`() async throws {
        try await TestServer.run(
            authentication: .jwt(secret: Self.secret), tableCountMax: 1
        ) { server in
            let north = try await Self.token(["north"])
            #expect(
                try await server.send(.post, "/tables/a", ["id": "x"], token: north).status == 403)
            let reply = try await server.send(
                .post, "/tables/b", ["id": "x", "channels": ["north"]], token: north)
            #expect(reply.status == 201)
        }
    }
}
