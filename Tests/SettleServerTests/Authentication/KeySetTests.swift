import Foundation
import HTTPTypes
import JWTKit
import Settle
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Tokens signed with a key of a set` {
    private static func status(
        _ token: String, _ server: TestServer, header: HTTPField.Name = .authorization
    ) async throws -> Int {
        try await server.send(.get, "/tables/t", token: token).status
    }

    @Test func `each key is good for its own algorithms and no others`() async throws {
        let rsa = try await TestKey.rsa("r")
        let named = try await TestKey.rsa("n", members: ["alg": "PS384", "use": "sig"])
        let elliptic = try await TestKey.elliptic("e")
        let edwards = try await TestKey.edwards("d")
        let text = TestKey.set(rsa, named, elliptic, edwards)
        let names = [
            "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
            "EdDSA", "HS256", "HS512", "none", "", "rs256",
        ]
        try await TestServer.run(authentication: .jwt(keySet: text)) { server in
            for (key, id) in [(rsa, "r"), (named, "n"), (elliptic, "e"), (edwards, "d")] {
                for algorithm in key.algorithms {
                    for name in names {
                        let token = try TestKey.token(
                            ["sub": "ann"], header: ["alg": .string(name), "kid": .string(id)],
                            algorithm)
                        let isGood = name == algorithm.name && (id != "n" || name == "PS384")
                        let status = try await Self.status(token, server)
                        #expect(
                            status == (isGood ? 200 : 401), "\(id) \(algorithm.name) as \(name)")
                    }
                }
            }
            // A key of one name does not do for another.
            let foreign = try elliptic.token(header: ["kid": "d"])
            #expect(try await Self.status(foreign, server) == 401)
            let stranger = try await TestKey.elliptic("e").token()
            #expect(try await Self.status(stranger, server) == 401)
        }
    }

    @Test func `what is public of a key is no secret`() async throws {
        let rsa = try await TestKey.rsa("r")
        try await TestServer.run(authentication: .jwt(keySet: TestKey.set(rsa))) { server in
            for text in try TestKey.publicTexts() {
                for name in ["HS256", "RS256"] {
                    let forged = try TestKey.token(
                        ["sub": "ann"], header: ["alg": .string(name), "kid": "r"],
                        try await TokenKeySet.algorithm(secret: text))
                    #expect(try await Self.status(forged, server) == 401)
                }
            }
            #expect(try await Self.status(try rsa.token(), server) == 200)
        }
    }

    @Test func `a name of a key is only looked up`() async throws {
        let key = try await TestKey.elliptic("e")
        let other = try await TestKey.elliptic("o")
        let names: [JSONValue] = [
            "../../etc/passwd", "/dev/null", "https://127.0.0.1/keys", "' or 1=1 --", "", "E",
            "e\u{0}", .string(String(repeating: "k", count: 100_000)), 1, true, ["e"],
            ["kid": "e"],
        ]
        try await TestServer.run(authentication: .jwt(keySet: TestKey.set(key, other))) { server in
            for name in names {
                let token = try TestKey.token(
                    ["sub": "ann"], header: ["alg": "ES256", "kid": name], key.algorithms[0])
                #expect(try await Self.status(token, server) == 401, "\(token.prefix(100))")
            }
            // Keys that a token brings along are not looked at.
            let stranger = try await TestKey.elliptic("s")
            let brought = try stranger.token(
                header: ["kid": "e", "jwk": stranger.json, "jku": "http://127.0.0.1:1/"])
            #expect(try await Self.status(brought, server) == 401)
            let critical = try key.token(header: ["crit": ["b64"], "b64": false])
            #expect(try await Self.status(critical, server) == 401)
            let long = try key.token(["sub": .string(String(repeating: "x", count: 20_000))])
            #expect(try await Self.status(long, server) == 401)
            #expect(try await Self.status(try key.token(), server) == 200)
        }
    }

    @Test func `a token that names no key is good when only one fits`() async throws {
        let one = try await TestKey.elliptic("a")
        let two = try await TestKey.elliptic("b")
        let edwards = try await TestKey.edwards("d")
        try await TestServer.run(authentication: .jwt(keySet: TestKey.set(one, edwards))) {
            server in
            for key in [one, edwards] {
                let token = try key.token(header: ["kid": .null])
                #expect(try await Self.status(token, server) == 200)
            }
        }
        try await TestServer.run(authentication: .jwt(keySet: TestKey.set(one, two))) { server in
            let token = try one.token(header: ["kid": .null])
            #expect(try await Self.status(token, server) == 401)
        }
    }

    @Test func `keys for other purposes are passed over`() async throws {
        let good = try await TestKey.elliptic("good")
        let others: [TestKey] = [
            try await .elliptic("enc", members: ["use": "enc"]),
            try await .elliptic("ops", members: ["key_ops": ["deriveKey"]]),
            try await .elliptic("alg", members: ["alg": "RS256"]),
            try await .elliptic("crv", members: ["crv": "P-384"]),
            try await .elliptic("kty", members: ["kty": "RSA"]),
        ]
        var elements = others.map(\.json)
        elements.append(["kty": "oct", "kid": "oct", "k": "c2VjcmV0"])
        elements.append("text")
        let bad = String(decoding: JSONText.text(of: ["keys": .array(elements)]), as: UTF8.self)
        let error = await #expect(throws: ServerError.self) {
            try await TestServer.run(authentication: .jwt(keySet: bad)) { _ in }
        }
        #expect(error?.message.contains("no key that tokens can be checked with") == true)
        elements.append(good.json)
        let text = String(decoding: JSONText.text(of: ["keys": .array(elements)]), as: UTF8.self)
        try await TestServer.run(authentication: .jwt(keySet: text)) { server in
            for key in others {
                let status = try await Self.status(try key.token(), server)
                #expect(status == 401)
            }
            #expect(try await Self.status(try good.token(), server) == 200)
        }
    }

    @Test func `issuer and audience must be the expected ones`() async throws {
        let key = try await TestKey.elliptic("e")
        let authentication = Authentication.jwt(keySet: TestKey.set(key))
            .expecting(issuer: "https://id.example.com/", audience: "tables")
        let good: JSONValue = "https://id.example.com/"
        let issuers: [(JSONValue, Bool)] = [
            (good, true), ("https://id.example.com", false), (.null, false), ([good], false),
        ]
        let audiences: [(JSONValue, Bool)] = [
            ("tables", true), (["mail", "tables"], true), ("mail", false), ([], false),
            (.null, false), (["table"], false), (["tables": true], false), ([1], false),
        ]
        try await TestServer.run(authentication: authentication) { server in
            for (issuer, isIssuer) in issuers {
                for (audience, isAudience) in audiences {
                    let token = try key.token(
                        ["iss": issuer, "aud": audience].filter { $0.value != .null })
                    let status = try await Self.status(token, server)
                    #expect(
                        status == (isIssuer && isAudience ? 200 : 401), "\(issuer) \(audience)")
                }
            }
        }
    }
}
