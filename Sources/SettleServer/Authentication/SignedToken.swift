import Foundation
import JWTKit
import Settle

/// A JSON Web Token in its compact form (RFC 7515), taken apart and not yet believed.
struct SignedToken: Sendable {
    /// The longest token that is looked at, in bytes.
    static let bytesMax = 16 << 10
    private static let keyIdBytesMax = 1_024

    /// The member `alg` of the header.
    let algorithm: String
    /// The member `kid` of the header.
    let keyId: String?
    private let signedBytes: [UInt8]
    private let signature: [UInt8]
    private let payload: [UInt8]

    /// Reads a token.
    ///
    /// - Returns: Nil when it is too long, has not three parts in base64url, a header that is no
    ///   JSON object with an `alg`, or demands by `crit` what is not understood here.
    init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.bytes(of: String(parts[0])),
            let payload = Base64URL.bytes(of: String(parts[1])),
            let signature = Base64URL.bytes(of: String(parts[2])), !signature.isEmpty,
            let json = try? JSONText.value(from: header),
            let algorithm = json["alg"]?.stringValue, json["crit"] == nil
        else { return nil }
        if let keyId = json["kid"] {
            guard let keyId = keyId.stringValue, keyId.utf8.count <= Self.keyIdBytesMax else {
                return nil
            }
            self.keyId = keyId
        } else {
            keyId = nil
        }
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        signedBytes = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
    }

    /// Whether one of the keys made the signature.
    func isSigned(with keys: TokenKeySet) -> Bool {
        keys.algorithms(algorithm, key: keyId).contains { algorithm in
            (try? algorithm.verify(signature, signs: signedBytes)) ?? false
        }
    }

    /// What the token claims; nil when it is no JSON object.
    var claims: [String: JSONValue]? {
        (try? JSONText.value(from: payload))?.objectValue
    }

    /// Signs claims with HS256.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when the secret is short.
    static func text(claims: [String: JSONValue], secret: String) async throws -> String {
        let algorithm = try await TokenKeySet.algorithm(secret: secret)
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        let body =
            Base64URL.text(of: JSONText.text(of: header)) + "."
            + Base64URL.text(of: JSONText.text(of: .object(claims)))
        return body + "." + Base64URL.text(of: try algorithm.sign(Array(body.utf8)))
    }
}
