import Foundation
import SettleSync
import SettleTableProtocol

/// Where a table is.
struct TableAddress: Sendable, Hashable {
    /// `http` or `https`.
    let scheme: String
    /// Host and, where it is not the scheme's own, port.
    let authority: String
    /// The percent-encoded path of the table, without a slash at its end.
    let path: String

    /// The address as text; it never holds credentials.
    var identifier: String { "\(scheme)://\(authority)\(path)" }

    /// The address of an item or, without one, of the table.
    func path(ofItem id: String? = nil, query: [QueryParameter] = []) -> String {
        var text = path
        if let id { text += "/" + PercentEncoding.encoded(id) }
        if !query.isEmpty {
            text +=
                "?"
                + query.map(\.text).joined(separator: "&")
        }
        return text
    }

    /// Reads a URL.
    ///
    /// - Throws: ``ReplicationError`` with `misconfigured`, saying what to write instead.
    init(_ url: URL) throws(ReplicationError) {
        let shown = Self.withoutSecrets(url)
        func fault(_ what: String) -> ReplicationError {
            ReplicationError(
                .misconfigured,
                "The address '\(shown)' \(what). Write http(s)://HOST[:PORT]/tables/NAME, for "
                    + "example https://example.org/tables/notes.")
        }
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
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count >= 3, segments[segments.count - 2].lowercased() == "tables",
            let name = segments.last?.removingPercentEncoding, !name.isEmpty,
            !segments.contains("."), !segments.contains("..")
        else { throw fault("names no table") }
        self.scheme = scheme
        let defaultPort = scheme == "https" ? 443 : 80
        if let port = parts.port, port != defaultPort {
            authority = "\(host):\(port)"
        } else {
            authority = host
        }
        self.path = path
    }

    private static func withoutSecrets(_ url: URL) -> String {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.user = nil
        parts?.password = nil
        parts?.query = nil
        return parts?.string ?? "(unreadable)"
    }
}
