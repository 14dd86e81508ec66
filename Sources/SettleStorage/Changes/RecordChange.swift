package import SettleDocuments

/// One document changed by a transaction.
package struct RecordChange: Sendable, Equatable {
    /// The identifier of the document.
    package let id: String
    /// The sequence the change was given.
    package let sequence: UInt64
    /// The revision it made.
    package let revision: Revision
    /// True when the change deleted the document.
    package let isDeleted: Bool
    /// The replication it came from; nil for a change made on this device.
    package let origin: String?

    /// Describes a change.
    package init(
        id: String, sequence: UInt64, revision: Revision, isDeleted: Bool, origin: String?
    ) {
        self.id = id
        self.sequence = sequence
        self.revision = revision
        self.isDeleted = isDeleted
        self.origin = origin
    }
}

/// What one commit did, told to those who keep something up to date with the store.
package struct StoreCommit: Sendable {
    /// The last sequence of the store after the commit.
    package let sequence: UInt64
    /// Every change, in the order of the sequences; a document changed twice is there twice.
    package let changes: [RecordChange]
}
