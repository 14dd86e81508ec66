/// How a server knows who sends a request.
public struct Authentication: Sendable {
    /// The ways there are, closed inside so that more can come.
    enum Method: Sendable {
        case anonymous
        case secret(String)
        case keySet(String)
    }

    let method: Method

    /// Everybody may read and write everything; tokens are not looked at.
    ///
    /// For a laptop and for tests: whoever reaches the port has all rights.
    public static let anonymous = Authentication(method: .anonymous)

    /// Requests carry a JSON Web Token signed with HS256 and a secret that both sides know.
    ///
    /// - Parameter secret: At least 32 bytes of UTF-8, else the server does not start.
    /// - Returns: The way for ``ServerConfiguration/authentication``.
    public static func jwt(secret: String) -> Authentication {
        Authentication(method: .secret(secret))
    }

    /// Requests carry a JSON Web Token signed with one of these keys.
    ///
    /// - Parameter keySet: The text of a JSON Web Key Set (RFC 7517); every key has a `kid`.
    /// - Returns: The way for ``ServerConfiguration/authentication``.
    public static func jwt(keySet: String) -> Authentication {
        Authentication(method: .keySet(keySet))
    }

    /// The shortest secret: the length of what HS256 puts out, as RFC 7518 asks for.
    static let secretBytesMin = 32
}
