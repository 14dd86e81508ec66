/// What one replication, or one cycle of a repeating one, did.
public struct ReplicationSummary: Sendable, Hashable {
    /// Operations that the remote carried out.
    public var pushed = 0
    /// Documents that were stored or deleted here because they were on the remote.
    public var pulled = 0
    /// Items that came, those included that were here already or that had to wait for the push.
    public var received = 0
    /// Conflicts that the handler resolved.
    public var conflictsResolved = 0
    /// Conflicts that were left for later; `Database.replicationConflicts(with:)` lists them.
    public var conflicts = 0
    /// Operations that were set aside because the remote refuses them;
    /// `Database.rejectedOperations(with:)` lists them with their reasons.
    public var rejected = 0
    /// Documents that the filter delegate held back.
    public var withheld = 0
    /// Attachments whose content was fetched.
    public var attachmentsDownloaded = 0
    /// Items of the remote that were set aside because they cannot be documents here, each counted once
    /// for each state of it; `Database.setAsideItems(with:)` lists them with their reasons.
    public var skipped = 0

    /// A summary of nothing.
    public init() {}

    /// What two replications did, of several tables for example.
    public static func + (
        left: ReplicationSummary, right: ReplicationSummary
    ) -> ReplicationSummary {
        var sum = left
        for count in counts { sum[keyPath: count] += right[keyPath: count] }
        return sum
    }

    private static let counts: [any WritableKeyPath<ReplicationSummary, Int> & Sendable] = [
        \.pushed, \.pulled, \.received, \.conflictsResolved, \.conflicts, \.rejected, \.withheld,
        \.attachmentsDownloaded, \.skipped,
    ]
}

/// What happened in one of the replications of a database.
public struct ReplicationReport: Sendable {
    /// The remote, as its back-end calls it; nil when there was none, because the configuration of a
    /// call that does not wait is wrong.
    public let remote: String?
    /// How it replicates.
    public let details: any ReplicationDetails
    /// What happened.
    public let event: ReplicationEvent
}

/// What happened in a replication, in the order in which it happened.
public enum ReplicationEvent: Sendable {
    /// It began.
    case started
    /// The remote carried out `sent` of the `total` operations known in this cycle.
    case sending(sent: Int, total: Int)
    /// `received` of the `total` items known in this cycle have been stored.
    case receiving(received: Int, total: Int)
    /// A conflict was left for later.
    case conflict(documentId: String)
    /// The conflict handler threw an error; the conflict is left for later.
    case conflictHandlerFailed(documentId: String, error: any Error)
    /// The remote refuses a document.
    case rejected(documentId: String, reason: String)
    /// An item of the remote cannot be a document here and was set aside; the others go on.
    case setAside(SetAsideItem)
    /// It ended well, or a repeating one completed a cycle.
    case completed(ReplicationSummary)
    /// It ended badly, or a repeating one did not complete a cycle and goes on trying.
    case failed(ReplicationError)
    /// It was stopped or replaced by another.
    case stopped
}

extension ReplicationSummary: CustomStringConvertible {
    /// What is not 0, in words.
    public var description: String {
        func noun(_ word: String, _ count: Int) -> String { count == 1 ? word : word + "s" }
        let counts = [
            (pushed, "pushed"), (pulled, "pulled"), (received, "received"),
            (conflictsResolved, noun("conflict", conflictsResolved) + " resolved"),
            (conflicts, noun("conflict", conflicts) + " left"),
            (rejected, "rejected"), (withheld, "withheld"),
            (attachmentsDownloaded, noun("attachment", attachmentsDownloaded) + " downloaded"),
            (skipped, "set aside"),
        ]
        let words = counts.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
        return words.isEmpty ? "nothing to do" : words.joined(separator: ", ")
    }
}
