public import Foundation

extension Cosmos {
    /// An account of Cosmos DB: where its service listens.
    public struct Account: Sendable, Hashable, CustomStringConvertible {
        /// `http` or `https`.
        let scheme: String
        /// Host and, where it is not the scheme's own, port.
        let authority: String
        /// Host and port without a scheme, which names the account on this device.
        var name: String { authority }

        /// An account of the public cloud by its name.
        ///
        /// - Parameter name: The name, such as `contoso` for `https://contoso.documents.azure.com`.
        /// - Throws: ``ClientError`` with `configureError` when no account can have that name: 3 to 44 lower-case
        ///   letters, digits and hyphens.
        public init(named name: String) throws(ClientError) {
            let isName = name.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
            guard isName, (3...44).contains(name.utf8.count) else {
                throw ClientError(
                    .configureError,
                    "No account can have the name '\(name.prefix(60))': it has 3 to 44 lower-case letters, "
                        + "digits and hyphens. Give a whole address by forAccountAt.")
            }
            scheme = "https"
            authority = "\(name).documents.azure.com"
        }

        /// An account by its address.
        ///
        /// - Parameter url: `https://HOST[:PORT]`, with or without a slash at its end.
        /// - Throws: ``ClientError`` with `configureError` when it is no such address.
        public init(at url: URL) throws(ClientError) {
            guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
                let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
                let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty,
                parts.port.map({ (1...65_535).contains($0) }) ?? true,
                parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
                ["", "/"].contains(parts.percentEncodedPath)
            else {
                throw ClientError(
                    .configureError,
                    "The address of an account is https://HOST[:PORT], without a path, a query, a user or a "
                        + "password; the one that was given is not.")
            }
            self.scheme = scheme
            let defaultPort = scheme == "https" ? 443 : 80
            if let port = parts.port, port != defaultPort {
                authority = "\(host):\(port)"
            } else {
                authority = host
            }
        }

        /// The address.
        public var description: String { "\(scheme)://\(authority)" }
    }
}
