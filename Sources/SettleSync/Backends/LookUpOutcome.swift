/// What came of looking up one item.
public enum LookUpOutcome: Sendable, Hashable {
    /// The item as the remote has it, deleted or not.
    case found(RemoteItem)
    /// The remote has no such item, or does not show it to us.
    case absent
    /// The back-end cannot look up single items.
    case notOffered
}

extension Backend {
    /// Not offered.
    public func lookUp(_ id: String) async throws(ReplicationError) -> LookUpOutcome {
        .notOffered
    }
}
