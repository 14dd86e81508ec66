/// An operation that has not been carried out on the far side.
public struct PendingOperation: Sendable, Hashable {
    /// Why it has not.
    public enum State: Sendable, Hashable {
        /// It waits for its turn.
        case waiting
        /// It was sent and no answer has come yet, or none ever came: it will be sent again.
        case sent
        /// The filter delegate holds it back.
        case withheld
        /// It meets something else on the far side, and nobody has settled that.
        case conflict
        /// The far side refuses it: why.
        case rejected(reason: String)
    }

    /// The remote it is for.
    public let remote: String
    /// The document it is about.
    public let documentId: String
    /// What is to be done.
    public let kind: OperationKind
    /// Why it has not been.
    public let state: State
}

extension PendingOperation {
    init?(remote: String, id: String, entry: RemoteEntry) {
        guard let kind = entry.sent?.kind ?? entry.queued else { return nil }
        self.remote = remote
        documentId = id
        self.kind = kind
        switch entry.status {
        case .pending: state = entry.sent == nil ? .waiting : .sent
        case .withheld: state = .withheld
        case .rejected: state = .rejected(reason: entry.reason ?? "")
        case .conflict: state = .conflict
        case .outside: return nil
        }
    }
}
