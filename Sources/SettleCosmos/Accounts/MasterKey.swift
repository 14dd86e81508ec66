import Foundation

extension Cosmos {
    /// The key of an account, which allows everything in it.
    ///
    /// Keep it out of apps that others can open: give those a ``PermissionProvider``.
    public struct MasterKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        private let bytes: [UInt8]

        /// A key as the portal shows it.
        ///
        /// - Parameter base64: The key in Base64.
        /// - Throws: ``ClientError`` with `configureError` when it is no Base64, or empty.
        public init(_ base64: String) throws(ClientError) {
            // Foundation takes some texts that are none.
            guard let data = Data(base64Encoded: base64), !data.isEmpty,
                data.base64EncodedString() == base64
            else {
                throw ClientError(
                    .configureError,
                    "The master key is not in Base64; copy it whole from the keys of the account.")
            }
            bytes = [UInt8](data)
        }

        /// The signature of a request, in Base64.
        ///
        /// > Source: "Access control on Cosmos DB resources" in the reference of the REST API.
        func signature(of request: SignedRequest) -> String {
            let text =
                "\(request.method.lowercased())\n\(request.resourceType.lowercased())\n"
                + "\(request.resourceLink)\n\(request.date.lowercased())\n\n"
            let code = MessageAuthentication.code(of: Array(text.utf8), key: bytes)
            return Data(code).base64EncodedString()
        }

        /// Says that there is a key, and nothing about it.
        public var description: String { "a master key" }

        /// Shows nothing of the key.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// What the authorization of a request depends on.
    struct SignedRequest: Sendable, Hashable {
        /// The method, such as `GET`.
        var method: String
        /// The segment of the path that names the type.
        var resourceType: String
        /// The resource, or of a list the one around it, as it stands in the signed text.
        var resourceLink: String
        /// When it is sent, as the header has it.
        var date: String
        /// The resource, or of a list the one around it; nil for the account.
        var link: Link?
        /// The type of what is read or written.
        var type: ResourceType
        /// What must be allowed.
        var mode: PermissionMode
    }
}
