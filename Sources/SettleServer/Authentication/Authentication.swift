public import Foundation

/// How a server knows who sends a request.
///
/// ```swift
/// var configuration = ServerConfiguration(
///     directory: directory, authentication: .jwt(keySetURL: url).expecting(audience: "tables"))
/// ```
public struct Authentication: Sendable {
    /// The ways there are, closed inside so that more can come.
    enum Method: Sendable {
        case anonymous
        case secret(String)
        case keySet(String)
        case keySetFile(URL)
        case keySetURL(URL)
    }

    let method: Method
    /// What the claim `iss` must be; nil for any.
    var issuer: String?
    /// What the claim `aud` must be or have; nil for any.
    var audience: String?
    /// Whether requests without a token are let in, with the rights the rules give to everybody.
    var allowsAnonymous = false

    /// Whether no tokens are looked at at all, so that whoever reaches the port is let in.
    public var letsInEverybody: Bool {
        if case .anonymous = method { true } else { false }
    }

    /// Everybody may read and write everything; tokens are not looked at.
    ///
    /// For a laptop and for tests: whoever reaches the port has all rights. With
    /// ``ServerConfiguration/rules`` everybody has the rights of the grants that are for anonymous
    /// senders.
    public static let anonymous = Authentication(method: .anonymous, allowsAnonymous: true)

    /// Requests carry a JSON Web Token signed with HS256 and a secret that both sides know.
    ///
    /// - Parameter secret: At least 32 bytes of UTF-8, else the server does not start.
    /// - Returns: The way for ``ServerConfiguration/authentication``.
    public static func jwt(secret: String) -> Authentication {
        Authentication(method: .secret(secret))
    }

    /// Requests carry a JSON Web Token signed with one of these keys.
    ///
    /// Keys of the kinds RSA, EC and OKP are taken, each for the algorithms that fit it alone:
    /// RS256, RS384, RS512, PS256, PS384, PS512 for RSA, or the one its `alg` names; ES256, ES384
    /// or ES512 by the curve; EdDSA for Ed25519. Keys that are for something else, or have no
    /// `kid`, are passed over; a shared secret does not belong into a key set.
    ///
    /// - Parameter keySet: The text of a JSON Web Key Set (RFC 7517) with at least one key that
    ///   can be used, else the server does not start.
    /// - Returns: The way for ``ServerConfiguration/authentication``.
    public static func jwt(keySet: String) -> Authentication {
        Authentication(method: .keySet(keySet))
    }

    /// Requests carry a JSON Web Token signed with one of the keys in a file.
    ///
    /// The file is read again after ten minutes, and when a token names a key that is not known,
    /// so that keys are changed by putting another file in its place. While the new one cannot be
    /// read the old keys stay good.
    ///
    /// - Parameter keySetFile: A file as ``jwt(keySet:)`` takes its text, a file URL; when it is none, or
    ///   cannot be read, the server does not start.
    /// - Returns: The way for ``ServerConfiguration/authentication``.
    public static func jwt(keySetFile: URL) -> Authentication {
        Authentication(method: .keySetFile(keySetFile))
    }

    /// Requests carry a JSON Web Token signed with one of the keys that an address gives.
    ///
    /// The keys are fetched when the server starts, again after ten minutes, and when a token names
    /// a key that is not known, but not more often than every 30 seconds. While the address does
    /// not answer the old keys stay good; before there are any, requests with a token are answered
    /// 503 and the server is not ready. An answer may have 256 KiB and take ten seconds, and
    /// redirections are not followed.
    ///
    /// - Parameter keySetURL: An `https` address, or an `http` one of this machine, else the server
    ///   does not start.
    /// - Returns: The way for ``ServerConfiguration/authentication``.
    public static func jwt(keySetURL: URL) -> Authentication {
        Authentication(method: .keySetURL(keySetURL))
    }

    /// The same way, with tokens of one issuer or for one audience only.
    ///
    /// - Parameters:
    ///   - issuer: What the claim `iss` must be; nil for any, or none.
    ///   - audience: What the claim `aud` must be, or be among; nil for any, or none.
    /// - Returns: The way for ``ServerConfiguration/authentication``.
    public func expecting(issuer: String? = nil, audience: String? = nil) -> Authentication {
        var authentication = self
        authentication.issuer = issuer
        authentication.audience = audience
        return authentication
    }

    /// The same way, with requests that have no token let in besides.
    ///
    /// They have the rights of the grants for anonymous senders, so ``ServerConfiguration/rules``
    /// are needed, else the server does not start. A token that is not good is refused all the same.
    ///
    /// - Returns: The way for ``ServerConfiguration/authentication``.
    public func allowingAnonymous() -> Authentication {
        var authentication = self
        authentication.allowsAnonymous = true
        return authentication
    }

    /// Whether there are keys to check tokens with.
    var looksAtTokens: Bool {
        if case .anonymous = method { false } else { true }
    }

    /// The shortest secret: the length of what HS256 puts out, as RFC 7518 asks for.
    static let secretBytesMin = 32
}
