import JWTKit
import Settle

/// A public key of a key set, with the algorithms that fit it.
///
/// What a token says of its algorithm is only looked up here, so that a key is never used for
/// anything it is not for: neither a public key as the secret of HS256, nor a key without its
/// algorithm.
struct TokenKey: Sendable {
    /// The member `kid`.
    let id: String
    private let algorithms: [String: any JWTAlgorithm]

    /// Reads one element of a key set.
    ///
    /// Nil when it is none, is not for signatures, is of a kind that is not taken (shared secrets
    /// among them) or has no `kid`.
    ///
    /// - Parameter json: A JSON Web Key (RFC 7517). Of a private key the public part is taken.
    init?(_ json: JSONValue) async {
        guard let id = json["kid"]?.stringValue, Self.isForSignatures(json) else { return nil }
        var algorithms: [String: any JWTAlgorithm] = [:]
        for candidate in Self.candidates(json) {
            // A collection of one key: what the collection of several would do with the first
            // token that names an algorithm, it keeps for all that follow.
            let collection = JWTKeyCollection()
            guard (try? await collection.add(jwk: candidate)) != nil,
                let algorithm = try? await collection.getKey()
            else { continue }
            algorithms[algorithm.name] = algorithm
        }
        guard !algorithms.isEmpty else { return nil }
        self.id = id
        self.algorithms = algorithms
    }

    /// The way to check a signature of an algorithm; nil when it does not fit the key.
    func algorithm(_ name: String) -> (any JWTAlgorithm)? {
        algorithms[name]
    }

    private static func isForSignatures(_ json: JSONValue) -> Bool {
        if let use = json["use"] {
            guard use.stringValue == "sig" else { return false }
        }
        if let operations = json["key_ops"] {
            let names = operations.arrayValue?.compactMap(\.stringValue) ?? []
            guard names.contains("verify") || names.contains("sign") else { return false }
        }
        return true
    }

    /// The key once for every algorithm that it may be used for.
    private static func candidates(_ json: JSONValue) -> [JWK] {
        let identifier = JWKIdentifier(string: "key")
        let named = json["alg"].map { $0.stringValue ?? "" }
        func fitting(_ algorithms: [JWK.Algorithm]) -> [JWK.Algorithm] {
            algorithms.filter { named == nil || named == $0.rawValue }
        }
        switch json["kty"]?.stringValue {
        case "RSA":
            return fitting([.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]).map {
                .rsa(
                    $0, identifier: identifier, modulus: json["n"]?.stringValue,
                    exponent: json["e"]?.stringValue)
            }
        case "EC":
            let curves: [String: (JWK.Algorithm, ECDSACurve)] = [
                "P-256": (.es256, .p256), "P-384": (.es384, .p384), "P-521": (.es512, .p521),
            ]
            guard let (algorithm, curve) = json["crv"]?.stringValue.flatMap({ curves[$0] }) else {
                return []
            }
            return fitting([algorithm]).map {
                .ecdsa(
                    $0, identifier: identifier, x: json["x"]?.stringValue,
                    y: json["y"]?.stringValue, curve: curve)
            }
        case "OKP":
            guard json["crv"]?.stringValue == "Ed25519" else { return [] }
            return fitting([.eddsa]).map {
                .octetKeyPair(
                    $0, identifier: identifier, x: json["x"]?.stringValue, y: nil,
                    curve: .ed25519)
            }
        default: return []
        }
    }
}
