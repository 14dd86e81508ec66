extension Cosmos {
    /// What a token or key allows.
    public enum PermissionMode: String, Sendable, Hashable, CaseIterable {
        /// To read.
        case read = "Read"
        /// To read and write.
        case all = "All"

        /// Reads the text of a mode, in upper or lower case: services and servers of apps write either.
        init?(text: String) {
            let mode = Self.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
            guard let mode else { return nil }
            self = mode
        }

        /// Whether this right includes the other.
        func includes(_ other: PermissionMode) -> Bool { self == .all || other == .read }
    }
}
