public import Foundation
public import Settle

extension TableServer {
    /// Signs a token that a server with the same secret accepts.
    ///
    /// For tests and for the command line; in production the service that knows the users signs
    /// them.
    ///
    /// - Parameters:
    ///   - secret: The secret of ``Authentication/jwt(secret:)``, at least 32 bytes.
    ///   - subject: Whom the token is for.
    ///   - channels: The claim `channels`: what the bearer is limited to by a server without rules;
    ///     nil for no limit, empty for nothing at all.
    ///   - claims: What else the token claims, such as `iss`, `aud` and what rules ask for; a claim
    ///     that another parameter gives is overwritten by it.
    ///   - expiresIn: How long the token is good for.
    ///   - now: The time it begins at.
    /// - Returns: The token, to be sent after `Authorization: Bearer`.
    /// - Throws: ``ServerError`` with `invalidConfiguration` when the secret is too short.
    public static func token(
        secret: String, subject: String, channels: [String]? = nil,
        claims: [String: JSONValue] = [:], expiresIn: Duration = .seconds(3600),
        now: Date = Date()
    ) async throws -> String {
        var claims = claims
        claims["sub"] = .string(subject)
        claims["exp"] = .integer(
            Int64(now.timeIntervalSince1970.rounded(.down)) + expiresIn.components.seconds)
        if let channels { claims["channels"] = .array(channels.map(JSONValue.string)) }
        return try await SignedToken.text(claims: claims, secret: secret)
    }
}
