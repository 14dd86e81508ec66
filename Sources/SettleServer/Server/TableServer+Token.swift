public import Foundation
import JWTKit

extension TableServer {
    /// Signs a token that a server with the same secret accepts.
    ///
    /// For tests and for the command line; in production the service that knows the users signs
    /// them.
    ///
    /// - Parameters:
    ///   - secret: The secret of ``Authentication/jwt(secret:)``, at least 32 bytes.
    ///   - subject: Whom the token is for.
    ///   - channels: What the bearer is limited to; nil for no limit, empty for nothing at all.
    ///   - expiresIn: How long the token is good for.
    ///   - now: The time it begins at.
    /// - Returns: The token, to be sent after `Authorization: Bearer`.
    /// - Throws: ``ServerError`` with `invalidConfiguration` when the secret is too short.
    public static func token(
        secret: String, subject: String, channels: [String]? = nil,
        expiresIn: Duration = .seconds(3600), now: Date = Date()
    ) async throws -> String {
        let keys = try await Authenticator.keys(secret: secret)
        let expires = now.timeIntervalSince1970 + Double(expiresIn.components.seconds)
        return try await keys.sign(
            TokenClaims(subject: subject, expires: expires, channels: channels))
    }
}
