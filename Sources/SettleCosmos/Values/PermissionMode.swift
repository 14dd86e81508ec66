extension Cosmos {
    /// What a token or key allows.
    public enum PermissionMode: String, Sendable, Hashable, CaseIterable {
        /// To read.
        case read = "Read"
        /// To read and write.
        case all = "All"

        /// Whether this right includes the other.
        func includes(_ other: PermissionMode) -> Bool { self == .all || other == .read }
    }
}
