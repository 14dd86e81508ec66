import Foundation
import SettleSync

/// Where a database of CouchDB's protocol is.
struct CouchAddress: Sendable, Hashable {
    /// What stands before `http` or `https` in the address of a replication.
    static let prefix = "couchdb+"

    /// `http` or `https`.
    let scheme: String
    /// Host and, where it is not the scheme's own, port.
    let authority: String
    /// The percent-encoded path of the server, without a slash at its end; mostly empty.
    let serverPath: String
    /// The percent-encoded path of the database.
    let path: String

    /// The address as text; it never holds credentials.
    var identifier: String { "\(Self.prefix)\(scheme)://\(authority)\(path)" }

    /// Whether it names the machine that it is asked on.
    var isThisMachine: Bool {
        let host = authority.lowercased()
        return host.hasPrefix("127.") || host.hasPrefix("[::1]")
            || host == "localhost" || host.hasPrefix("localhost:")
    }

    /// Whether an address is meant to be that of a database of CouchDB's protocol.
    static func isMeant(by url: URL) -> Bool {
        url.scheme?.lowercased().hasPrefix(prefix) ?? false
    }

    /// Reads a URL.
    ///
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured`, saying what to write instead.
    init(_ url: URL) throws(ReplicationError) {
        let shown = WebAddress.withoutSecrets(url)
        func fault(_ what: String) -> ReplicationError {
            ReplicationError(
                .misconfigured,
                "The address '\(shown)' \(what). Write couchdb+http(s)://HOST[:PORT]/DATABASE, for "
                    + "example couchdb+https://example.org/notes.")
        }
        guard Self.isMeant(by: url),
            let bare = URL(string: String(url.absoluteString.dropFirst(Self.prefix.count)))
        else { throw fault("is not one of CouchDB") }
        let address = try WebAddress(bare, fault: fault)
        let segments = address.path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count >= 2, let name = segments.last?.removingPercentEncoding,
            !name.isEmpty, !name.hasPrefix("_"), !segments.contains("."),
            !segments.contains("..")
        else { throw fault("names no database") }
        scheme = address.scheme
        authority = address.authority
        path = address.path
        serverPath = segments.dropLast().joined(separator: "/")
    }
}
