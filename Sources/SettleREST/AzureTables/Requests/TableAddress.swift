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
        let shown = WebAddress.withoutSecrets(url)
        func fault(_ what: String) -> ReplicationError {
            ReplicationError(
                .misconfigured,
                "The address '\(shown)' \(what). Write http(s)://HOST[:PORT]/tables/NAME, for "
                    + "example https://example.org/tables/notes.")
        }
        let address = try WebAddress(url, fault: fault)
        let segments = address.path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count >= 3, segments[segments.count - 2].lowercased() == "tables",
            let name = segments.last?.removingPercentEncoding, !name.isEmpty,
            !segments.contains("."), !segments.contains("..")
        else { throw fault("names no table") }
        scheme = address.scheme
        authority = address.authority
        path = address.path
    }
}
