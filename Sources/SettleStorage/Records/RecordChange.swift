package import SettleDocuments

/// One document changed by a transaction.
package struct RecordChange: Sendable, Equatable {
    /// The identifier of the document.
    package let id: String
    /// The sequence the change was given.
    package let sequence: UInt64
    /// The revision it made.
    package let revision: Revision
    /// True when the change deleted the document, or purged it.
    package let isDeleted: Bool
    /// True when the change purged the document; `revision` is the one that was purged.
    package let isPurged: Bool
    /// The replication it came from; nil for a change made on this device.
    package let origin: String?

    /// Describes a change.
    package init(
        id: String, sequence: UInt64, revision: Revision, isDeleted: Bool,
        isPurged: Bool = false, origin: String?
    ) {
        self.id = id
        self.sequence = sequence
        self.revision = revision
        self.isDeleted = isDeleted
        self.isPurged = isPurged
        self.origin = origin
    }
}

/// What one commit did, for those who keep something up to date with the store.
package struct StoreCommit: Sendable {
    /// The last sequence of the store after the commit.
    package let sequence: UInt64
    /// Every change, in the order of the sequences; a document changed twice is there twice.
    package let changes: [RecordChange]
    /// True when a document got a date at which it is purged.
    package let setsExpirations: Bool
}
