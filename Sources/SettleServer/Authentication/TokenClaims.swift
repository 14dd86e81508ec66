import JWTKit

/// What the server reads of a token.
///
/// Shape: `sub` string, `exp` and `nbf` seconds since 1970, `channels` array of strings; all
/// may be absent, other claims are not looked at.
struct TokenClaims: JWTPayload {
    var subject: String?
    var expires: Double?
    var notBefore: Double?
    /// Nil when the token does not limit; a claim that is null or of another kind is refused,
    /// so that a slip of the issuer never widens the rights.
    var channels: [String]?

    private enum CodingKeys: String, CodingKey {
        case subject = "sub"
        case expires = "exp"
        case notBefore = "nbf"
        case channels
    }

    init(subject: String?, expires: Double?, channels: [String]?) {
        self.subject = subject
        self.expires = expires
        self.channels = channels
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        subject = try container.decodeIfPresent(String.self, forKey: .subject)
        expires = try container.decodeIfPresent(Double.self, forKey: .expires)
        notBefore = try container.decodeIfPresent(Double.self, forKey: .notBefore)
        channels =
            container.contains(.channels)
            ? try container.decode([String].self, forKey: .channels) : nil
    }

    /// Times are checked by ``Authenticator``, against the server's own clock.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
