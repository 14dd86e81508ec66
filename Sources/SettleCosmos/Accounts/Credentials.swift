public import SettleREST

extension Cosmos {
    /// What lets a client in.
    public enum Credentials: Sendable, CustomStringConvertible, CustomReflectable {
        /// The key of the account, and what is to be done with it: with `read` no write is sent.
        case masterKey(MasterKey, mode: PermissionMode = .all)
        /// Permissions for single resources, and where their tokens are kept.
        case permissions(any PermissionProvider, store: any TokenStore = MemoryTokenStore())
        /// Tokens of Microsoft Entra.
        case bearer(any TokenProvider)

        /// Whether writes are ever sent.
        var mayWrite: Bool {
            if case .masterKey(_, .read) = self { false } else { true }
        }

        /// Says which kind it is, and nothing secret.
        public var description: String {
            switch self {
            case .masterKey(_, let mode): "the key of the account (\(mode))"
            case .permissions: "permissions by a provider"
            case .bearer: "tokens of Microsoft Entra"
            }
        }

        /// Shows nothing of keys and tokens.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }
}
