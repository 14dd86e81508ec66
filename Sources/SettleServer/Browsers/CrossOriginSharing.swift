/// Whose pages may use a server from a browser, although they come from elsewhere (CORS).
///
/// ```swift
/// configuration.crossOriginSharing = .origins(["https://app.example.com"])
/// ```
///
/// It is about browsers alone: it keeps no program out, and a page still has to show the token that
/// the server asks for. Tokens go in headers, never in cookies, so credentials that a browser adds by
/// itself are not asked for.
///
/// > Source: the Fetch standard, 3.2.
public struct CrossOriginSharing: Sendable, Hashable {
    /// Nil for all.
    let origins: [String]?

    /// The pages of some origins.
    ///
    /// - Parameter origins: `SCHEME://HOST` or `SCHEME://HOST:PORT`, at least one; with anything else
    ///   the server does not start.
    /// - Returns: The setting for ``ServerConfiguration/crossOriginSharing``.
    public static func origins(_ origins: [String]) -> CrossOriginSharing {
        CrossOriginSharing(origins: origins)
    }

    /// All pages, those without an origin (`null`) among them.
    ///
    /// Of a server without tokens it makes one that every page which its user opens may read and write.
    public static let allOrigins = CrossOriginSharing(origins: nil)
}
