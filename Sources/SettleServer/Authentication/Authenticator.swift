import Foundation
import HTTPTypes
import JWTKit
import Settle

/// Turns the headers of a request into an identity, or refuses it with 401.
struct Authenticator: Sendable {
    /// Nil for anonymous servers.
    private let keys: JWTKeyCollection?
    private let algorithm: String?
    private let now: @Sendable () -> Date

    /// Prepares the keys.
    ///
    /// - Parameters:
    ///   - authentication: The way of the configuration.
    ///   - now: The clock that `exp` and `nbf` are compared with.
    /// - Throws: ``ServerError`` with `invalidConfiguration` for a short secret or a key set that
    ///   cannot be read.
    init(_ authentication: Authentication, now: @escaping @Sendable () -> Date) async throws {
        self.now = now
        switch authentication.method {
        case .anonymous:
            keys = nil
            algorithm = nil
        case .secret(let secret):
            keys = try await Self.keys(secret: secret)
            algorithm = "HS256"
        case .keySet(let json):
            do {
                keys = try await JWTKeyCollection().add(jwksJSON: json)
            } catch {
                throw ServerError(
                    .invalidConfiguration,
                    "The key set for tokens cannot be read; give a JSON Web Key Set whose keys "
                        + "all have a 'kid'.", cause: error)
            }
            algorithm = nil
        }
    }

    /// The keys for one shared secret.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when the secret is short.
    static func keys(secret: String) async throws -> JWTKeyCollection {
        guard secret.utf8.count >= Authentication.secretBytesMin else {
            throw ServerError(
                .invalidConfiguration,
                "The secret for tokens has \(secret.utf8.count) bytes; HS256 needs at least "
                    + "\(Authentication.secretBytesMin). Make one with: openssl rand -hex 32")
        }
        return await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
    }

    /// The identity of a request.
    ///
    /// `Authorization: Bearer` counts before `X-ZUMO-AUTH`.
    ///
    /// - Parameter headers: The headers of the request.
    /// - Returns: The identity; unlimited when the server is anonymous.
    /// - Throws: ``Refusal`` 401 with `WWW-Authenticate` when there is no token, or it is forged,
    ///   expired, not yet valid, or of an algorithm that is not expected.
    func identity(of headers: HTTPFields) async throws(Refusal) -> Identity {
        guard let keys else { return .unlimited }
        guard let token = Self.token(in: headers) else {
            throw Self.refusal(
                "A token is needed; send it as 'Authorization: Bearer TOKEN'.", code: nil)
        }
        try checkAlgorithm(of: token)
        let claims: TokenClaims
        do {
            claims = try await keys.verify(token, as: TokenClaims.self)
        } catch {
            throw Self.refusal(
                "The token is malformed or its signature is not from a key of this server.")
        }
        let seconds = now().timeIntervalSince1970
        if let expires = claims.expires, seconds >= expires {
            throw Self.refusal("The token has expired; ask for a new one.")
        }
        if let notBefore = claims.notBefore, seconds < notBefore {
            throw Self.refusal("The token is not valid yet; check the clocks of both sides.")
        }
        return Identity(subject: claims.subject, channels: claims.channels.map(Set.init))
    }

    private static func token(in headers: HTTPFields) -> String? {
        if let value = headers[.authorization] {
            let parts = value.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "bearer" {
                return String(parts[1]).trimmingSpaces
            }
        }
        return headers[.zumoAuth]?.trimmingSpaces
    }

    /// Refuses unsigned tokens, and with a shared secret everything but HS256, before any key is
    /// tried: the header of a token is what its sender wrote.
    private func checkAlgorithm(of token: String) throws(Refusal) {
        let header = token.prefix { $0 != "." }
        guard let bytes = Base64URL.bytes(of: String(header)),
            let json = try? JSONText.value(from: bytes),
            let name = json["alg"]?.stringValue
        else { throw Self.refusal("The token is malformed.") }
        guard name.lowercased() != "none", algorithm == nil || name == algorithm else {
            throw Self.refusal("The token is signed with an algorithm that is not accepted.")
        }
    }

    private static func refusal(
        _ message: String, code: String? = "invalid_token"
    ) -> Refusal {
        let challenge = "Bearer realm=\"tables\"" + (code.map { ", error=\"\($0)\"" } ?? "")
        return Refusal(.unauthorized, message, headers: [.wwwAuthenticate: challenge])
    }
}
