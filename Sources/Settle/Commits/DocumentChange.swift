import SettleDocuments
import SettleStorage

/// One document changed by a commit.
public struct DocumentChange: Sendable, Equatable {
    /// The identifier of the document.
    public let documentId: String
    /// The sequence of the change: each change of a database has a higher one than those before.
    public let sequence: UInt64
    /// The revision the change made, `generation-digest`; of a purge, the one that was purged, or
    /// empty where that is not known any more (``Database/changeBatch(since:limit:)``).
    public var revision: String { madeRevision?.description ?? "" }
    /// True when the change deleted or purged the document.
    public let isDeleted: Bool
    /// True when the change purged the document: nothing of it is left, not even a tombstone, and
    /// nothing is passed on to others.
    public let isPurged: Bool
    /// The replication the change came from; nil for one made on this device.
    public let origin: String?
    /// True when the change came from a replication.
    public var isFromReplication: Bool { origin != nil }

    private let madeRevision: Revision?

    init(_ change: RecordChange) {
        documentId = change.id
        sequence = change.sequence
        madeRevision = change.revision
        isDeleted = change.isDeleted
        isPurged = change.isPurged
        origin = change.origin
    }

    init(id: String, record: DocumentRecord) {
        documentId = id
        sequence = record.sequence
        madeRevision = record.revision
        isDeleted = record.isDeleted
        isPurged = false
        origin = record.origin
    }

    /// The purge of a document of which nothing but the identifier is known any more.
    init(purgeOf id: String, sequence: UInt64) {
        documentId = id
        self.sequence = sequence
        madeRevision = nil
        isDeleted = true
        isPurged = true
        origin = nil
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
