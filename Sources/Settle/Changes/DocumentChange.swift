import SettleStorage

/// One document changed by a commit.
public struct DocumentChange: Sendable, Equatable {
    /// The identifier of the document.
    public let documentId: String
    /// The sequence of the change: each change of a database has a higher one than those before.
    public let sequence: UInt64
    /// The revision the change made, `generation-digest`.
    public let revision: String
    /// True when the change deleted the document.
    public let isDeleted: Bool
    /// The replication the change came from; nil for one made on this device.
    public let origin: String?
    /// True when the change came from a replication.
    public var isFromReplication: Bool { origin != nil }

    init(_ change: RecordChange) {
        documentId = change.id
        sequence = change.sequence
        revision = change.revision.description
        isDeleted = change.isDeleted
        origin = change.origin
    }

    init(id: String, record: DocumentRecord) {
        documentId = id
        sequence = record.sequence
        revision = record.revision.description
        isDeleted = record.isDeleted
        origin = record.origin
    }
}

/// What one commit changed.
public struct Commit: Sendable, Equatable {
    /// The last sequence of the database after the commit.
    public let sequence: UInt64
    /// The changes, in the order they were made.
    public let changes: [DocumentChange]
}

/// Changes after a sequence, each document once, at its last change.
public struct ChangeBatch: Sendable, Equatable {
    /// The changes, ascending by sequence.
    public let changes: [DocumentChange]
    /// Where to go on: the sequence of the last change of the batch, or of the database when the
    /// batch holds everything there is.
    public let lastSequence: UInt64
}
