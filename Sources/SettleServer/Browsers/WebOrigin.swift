/// Where a page comes from, as a browser says in `Origin`.
///
/// > Source: RFC 6454, 7; the Fetch standard, 3.1.
struct WebOrigin: Sendable, Hashable {
    /// The scheme and the host in lower case, and the port where it is not the scheme's own.
    let text: String
    /// The host and the port; a port that is the scheme's own is left out.
    private let host: String
    private let port: Int?

    /// Reads `SCHEME://HOST` or `SCHEME://HOST:PORT`; nil for anything else, `null` among it.
    init?(_ text: String) {
        guard let colon = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first),
            scheme.utf8.allSatisfy(Self.isOfScheme),
            let authority = Authority(text[colon.upperBound...])
        else { return nil }
        host = authority.host
        port = authority.port.flatMap { $0 == Self.port(of: scheme) ? nil : $0 }
        let shown = host.contains(":") ? "[\(host)]" : host
        self.text = "\(scheme)://\(shown)" + (port.map { ":\($0)" } ?? "")
    }

    /// Whether a page of this origin asks the server that it comes from.
    ///
    /// The scheme is not compared: a proxy in front may take TLS off.
    ///
    /// - Parameter authority: The `Host` of the request.
    /// - Returns: True when the host and the port are the same.
    func isSame(as authority: Authority) -> Bool {
        guard host == authority.host else { return false }
        let own = Self.port(of: text.hasPrefix("https:") ? "https" : "http")
        return port == authority.port.flatMap { $0 == own ? nil : $0 }
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "a"..."z", "0"..."9", "+", "-", ".": true
        default: false
        }
    }

    private static func port(of scheme: String) -> Int? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }
}
