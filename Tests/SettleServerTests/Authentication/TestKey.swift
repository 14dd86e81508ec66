import Foundation
import JWTKit
import Settle

@testable import SettleServer

/// A key pair that signs tokens in tests.
struct TestKey: Sendable {
    /// The public key as an element of a key set.
    let json: JSONValue
    /// The ways to sign with it.
    let algorithms: [any JWTAlgorithm]

    /// A new key on the curve P-256.
    static func elliptic(_ id: String, members: [String: JSONValue] = [:]) async throws -> TestKey {
        let key = ES256PrivateKey()
        guard let point = key.publicKey.parameters else {
            throw CocoaError(.featureUnsupported)
        }
        let json: [String: JSONValue] = [
            "kty": "EC", "kid": .string(id), "crv": "P-256", "x": .string(point.x.base64URL),
            "y": .string(point.y.base64URL),
        ]
        return TestKey(
            json: .object(json.merging(members) { $1 }),
            algorithms: [try await JWTKeyCollection().add(ecdsa: key).getKey()])
    }

    /// A new key on the curve Ed25519.
    static func edwards(_ id: String) async throws -> TestKey {
        let key = try EdDSA.PrivateKey()
        return TestKey(
            json: [
                "kty": "OKP", "kid": .string(id), "crv": "Ed25519",
                "x": .string(Base64URL.text(of: Array(key.publicKey.rawRepresentation))),
            ],
            algorithms: [try await JWTKeyCollection().add(eddsa: key).getKey()])
    }

    /// The one RSA key of these tests, which signs in six ways.
    static func rsa(_ id: String, members: [String: JSONValue] = [:]) async throws -> TestKey {
        let key = try Insecure.RSA.PrivateKey(pem: rsaText)
        let primitives = try key.publicKey.getKeyPrimitives()
        let json: [String: JSONValue] = [
            "kty": "RSA", "kid": .string(id),
            "n": .string(Base64URL.text(of: Array(primitives.modulus))),
            "e": .string(Base64URL.text(of: Array(primitives.publicExponent))),
        ]
        var algorithms: [any JWTAlgorithm] = []
        for digest in [DigestAlgorithm.sha256, .sha384, .sha512] {
            algorithms.append(
                try await JWTKeyCollection().add(rsa: key, digestAlgorithm: digest).getKey())
            algorithms.append(
                try await JWTKeyCollection().add(pss: key, digestAlgorithm: digest).getKey())
        }
        return TestKey(json: .object(json.merging(members) { $1 }), algorithms: algorithms)
    }

    /// What of the RSA key anybody may know, in forms that a forger could take for a secret.
    static func publicTexts() throws -> [String] {
        let key = try Insecure.RSA.PrivateKey(pem: rsaText).publicKey
        let modulus = try key.getKeyPrimitives().modulus
        return [
            key.pemRepresentation, key.pemRepresentation + "\n",
            Base64URL.text(of: Array(modulus)), modulus.base64EncodedString(),
        ]
    }

    /// The text of a key set.
    static func set(_ keys: TestKey...) -> String {
        String(decoding: JSONText.text(of: ["keys": .array(keys.map(\.json))]), as: UTF8.self)
    }

    /// A token signed in the first way of the key.
    func token(
        _ claims: [String: JSONValue] = ["sub": "ann"], header: [String: JSONValue] = [:]
    ) throws -> String {
        let header = ["alg": .string(algorithms[0].name), "kid": json["kid"] ?? .null].merging(
            header
        ) { $1 }
        return try Self.token(claims, header: header.filter { $0.value != .null }, algorithms[0])
    }

    /// A token with any header, signed.
    static func token(
        _ claims: [String: JSONValue], header: [String: JSONValue],
        _ algorithm: any JWTAlgorithm
    ) throws -> String {
        let body =
            Base64URL.text(of: JSONText.text(of: .object(header))) + "."
            + Base64URL.text(of: JSONText.text(of: .object(claims)))
        return body + "." + Base64URL.text(of: try algorithm.sign(Array(body.utf8)))
    }

    /// A key that nothing but these tests uses.
    private static let rsaText = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC8gpVhEUgeDt15
        npC/+WqttmNJMVxYnLRbiqhJj7ZfXeMSGU+fXNvQtWChaoxPbk98cE56o9PxJ+l9
        c7ScG/KBFbIl6iXr9Z3YHAcJaoYOU1AelWv7Nd/9zI5UbAtw5JuY7Wj5moAklpBg
        c4zClYGbMq31sYs2PRs2B0OPP/qUBXc4WTkWNFuD+7UL+JP4HWsT7Ild76UQOpwh
        b8o1Y9VeqHhqhgtL6cEEOl0dRX5KGAH3vFUE0D5hYn949BfrASTfIypWelwOzOa9
        SpTcNc7o4WUbcKMkBqoAzgDLW1VBiQnLYhn7+nkRD7PgG3J2O+SMiyrx3DQMp57Z
        RRW2PjTRAgMBAAECggEAOl7g7FaSkyQdNhyAS8FqY/G22qIbKyESw8myhFyopu0G
        c8M8oWb6dazECBda7PmGSUzpMBZseR7XsM3UHgaVV50lNZJEPcUnJBTBpQvECMmJ
        ZH72Gao7+nWNmNx/ymwvNfJFcAyEI1Av0n3VFyd+I1VVAmAAcEIJm/gx1jiEWbKz
        hQoHWSOWavfXiaK1w0LWzjpyuD0vuEegtR/6oXWqtZeIjkxwtqOep+pfEhV/DAt/
        JKLsYv2d/5yeN3cB/u7iU2MHNOr9x8/cs/JHPx7M11hgMc6xnLPNyAmUuSqI0zOP
        bMSznRKfXswL5Jfzg56/+VDXDsn3UYvZiLsFXAgXNQKBgQDcYszd70HZtYiJ3PVU
        0cssmOAVitiGBxCEmjSyaF/ZO42kxQxAtcZ9RCs8Gbj9mWTz6l8PaT7cDN7T1PV/
        ZmKuCJPijaqMmp7pVwQpTNXaOLbsAVGPojkATMhSaL7E7SMwIaDFJ5qoAr41YnmP
        3if9QpSO8oVo3uF8fn5AyhmaTwKBgQDa+RqDAFu18CEQCteBOnkFtiKODjTOJ2lI
        ExlwUOqM8Y/X5lsPg82+GSJ0olqyP5wrJ10ILD0j2B7tgOI0rqRGy8tiYL8f0KdK
        fkttCyrFSoKO36BNBv1A/8jQ4Nk3vI59DQXDkYx0yHzunnv5ooHWW8c/SwelBiXE
        1/AE6PIW3wKBgQDb9JvlsUJ2yBCzD92nPw/ZveaAeagq9GgPAF0x5qwrAp4W4jed
        ag7lvSCthjq0mOFB9BvWJMOBGjNXFofDFGvOqG74wU2DsVqDJr7XfYE+oDYpDBPc
        GBtt6jRQ04v6vXbONfHgc+uOXdZ7L4KGDUK6KTZeCT0Pcst31kOp5EtzTwKBgGV2
        bXlsDhLEnJ1RWMARdwhVd7d5D7DChD8YUn4/kB8Uw0EYBPOwcAH4pYWDwSC85sD8
        MVhbH01flB0azjX5AjensKr6BzVXulyDHrH9LalTOCG5rw5iAbE/lC5tMVlpLmD1
        SsluxLVMPM9YcjueuCi6SB2kx3sI2TFXmWi9A4fjAoGBAKtobqncvh3lWc231YI8
        5YppN5vJWA07GHGCPocKg58sPn8zBr0BQUTGh5LObY4O7iO504227vk7cD1TvDAQ
        c+/hE4jPeF3lxJBlHTcLFQBxB+F9QTOZk7cO68cJyssXHPwsNBerP+vf2WmXukz9
        j8zCa0vSFygnViizUUwXhP8x
        -----END PRIVATE KEY-----
        """
}

extension String {
    /// Base64 in either alphabet, written in the one for URLs.
    fileprivate var base64URL: String {
        replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
