/// How a server of this package says that it is one, in the header `x-zumo-server-version`.
package enum ServerIdentity {
    /// What it sends.
    package static let header = "settle-1"

    /// Whether what a server sends is of one of this package, of whatever release.
    package static func isSettle(_ header: String?) -> Bool {
        header?.lowercased().hasPrefix("settle-") ?? false
    }
}
