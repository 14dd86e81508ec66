import Foundation
import JWTKit
import Settle

/// The keys that tokens may be signed with.
struct TokenKeySet: Sendable {
    /// Nil when there is one key, which every token is signed with whatever it names.
    private let keys: [TokenKey]?
    private let secret: (any JWTAlgorithm)?

    /// A secret that both sides know, for HS256 alone.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when the secret is short.
    init(secret: String) async throws {
        keys = nil
        self.secret = try await Self.algorithm(secret: secret)
    }

    /// Reads a JSON Web Key Set (RFC 7517).
    ///
    /// - Parameters:
    ///   - text: Its bytes.
    ///   - place: Where it is from, for the error.
    /// - Throws: ``ServerError`` with `invalidConfiguration` when it is no key set, or has no key
    ///   that can be used.
    init(_ text: [UInt8], from place: String) async throws {
        let json: JSONValue
        do {
            json = try JSONText.value(from: text)
        } catch {
            throw ServerError(
                .invalidConfiguration,
                "The key set \(place) cannot be read at line \(error.line), column "
                    + "\(error.column): \(error.message)", cause: error)
        }
        guard let elements = json["keys"]?.arrayValue else {
            throw ServerError(
                .invalidConfiguration,
                "The key set \(place) has no array 'keys'; give a JSON Web Key Set (RFC 7517).")
        }
        var keys: [TokenKey] = []
        for element in elements.prefix(Self.keyCountMax) {
            if let key = await TokenKey(element) { keys.append(key) }
        }
        guard !keys.isEmpty else {
            throw ServerError(
                .invalidConfiguration,
                "The key set \(place) has no key that tokens can be checked with; it needs a key of "
                    + "the kind RSA (from 2048 bits), EC or OKP that has a 'kid' and is for "
                    + "signatures.")
        }
        self.keys = keys
        secret = nil
    }

    /// Whether a token that names a key may be signed with one of these.
    func has(_ id: String?) -> Bool {
        guard let keys, let id else { return true }
        return keys.contains { $0.id == id }
    }

    /// The ways to check a signature that fit what a token says of itself; it is good when one of
    /// them says so.
    ///
    /// - Parameters:
    ///   - algorithm: What the token names, `alg`.
    ///   - id: Which key it names; without one, there must be only one key that fits.
    /// - Returns: None when no key is for the algorithm.
    func algorithms(_ algorithm: String, key id: String?) -> [any JWTAlgorithm] {
        guard let keys else { return secret.map { $0.name == algorithm ? [$0] : [] } ?? [] }
        let fitting = keys.filter { id == nil || $0.id == id }
            .compactMap { $0.algorithm(algorithm) }
        return id == nil && fitting.count > 1 ? [] : fitting
    }

    /// HS256 with a secret.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when the secret is short.
    static func algorithm(secret: String) async throws -> any JWTAlgorithm {
        guard secret.utf8.count >= Authentication.secretBytesMin else {
            throw ServerError(
                .invalidConfiguration,
                "The secret for tokens has \(secret.utf8.count) bytes; HS256 needs at least "
                    + "\(Authentication.secretBytesMin). Make one with: openssl rand -hex 32")
        }
        return try await JWTKeyCollection()
            .add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256).getKey()
    }

    /// Of a longer set the rest is not looked at.
    private static let keyCountMax = 1_000
}
