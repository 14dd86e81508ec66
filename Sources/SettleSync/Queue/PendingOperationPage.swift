/// Some of the operations that wait for a remote.
public struct PendingOperationPage: Sendable, Hashable {
    /// The operations, in the order of the identifiers of their documents.
    public let operations: [PendingOperation]
    /// The document after which the next page begins; nil when there are no more.
    public let next: String?
}
