import Foundation
import SettleSync

/// The parts of a remote's address that every back-end reads alike.
struct WebAddress: Sendable, Hashable {
    /// `http` or `https`.
    let scheme: String
    /// Host and, where it is not the scheme's own, port.
    let authority: String
    /// The percent-encoded path, without slashes at its end.
    let path: String

    /// Reads a URL.
    ///
    /// - Parameters:
    ///   - url: The URL, with neither credentials nor a query.
    ///   - fault: Makes the error for what is wrong with it, which is the end of a sentence that begins with the
    ///     address.
    /// - Throws: What `fault` makes.
    init(
        _ url: URL, fault: (String) -> ReplicationError
    ) throws(ReplicationError) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { throw fault("is not one of the web") }
        guard let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty else {
            throw fault("names no host")
        }
        guard parts.port.map({ (1...65_535).contains($0) }) ?? true else {
            throw fault("has a port that is none; ports go from 1 to 65535")
        }
        guard parts.user == nil, parts.password == nil else {
            throw fault("holds a user or a password; hand in a token by the options instead")
        }
        guard parts.query == nil, parts.fragment == nil else {
            throw fault("has a query or a fragment")
        }
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        self.scheme = scheme
        let defaultPort = scheme == "https" ? 443 : 80
        if let port = parts.port, port != defaultPort {
            authority = "\(host):\(port)"
        } else {
            authority = host
        }
        self.path = path
    }

    /// The address as it may be shown.
    static func withoutSecrets(_ url: URL) -> String {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.user = nil
        parts?.password = nil
        parts?.query = nil
        return parts?.string ?? "(unreadable)"
    }
}
