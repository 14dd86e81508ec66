public import Foundation

/// A remote that a database has replicated with, as the database remembers it.
public struct ReplicationRemote: Sendable, Hashable {
    /// How far the pull of one query has come.
    public struct Checkpoint: Sendable, Hashable {
        /// The query: the channels and conditions that it asks for.
        public let query: String
        /// Where the pull goes on, in the remote's own words; nil at the beginning.
        public let token: String?
        /// When everything was last listed; nil when it never was.
        public let listed: Date?
    }

    /// The remote, as its back-end calls it.
    public let identifier: String
    /// Whether it is replicated with by revisions, as CouchDB's protocol has them.
    ///
    /// Then there is no queue: of the operations only those are listed that the remote refuses, or that the filter delegate
    /// holds back.
    public let isByRevisions: Bool
    /// Up to which sequence the changes of the database are in the push queue; of a remote by revisions, up to which they
    /// were offered to it.
    public let sequence: UInt64
    /// Which documents belong to the remote.
    public let scope: ReplicationScope
    /// Whether attachments travel.
    public let carriesAttachments: Bool
    /// The checkpoints of its pulls.
    public let checkpoints: [Checkpoint]
}
