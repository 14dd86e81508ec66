public import Foundation
public import Settle

/// A document that was changed here and on the remote since both last had the same version.
///
/// Two inserts of one identifier and an edit of something deleted are conflicts, too. Equal edits
/// are none.
public struct ReplicationConflict: Sendable {
    /// The document.
    public let documentId: String
    /// The remote it is a conflict with.
    public let remote: String
    /// The document as both sides last had it; nil when they never had the same.
    public let base: Document?
    /// The document as it is here; nil when it was deleted here, or edited so that it does not belong
    /// to the remote any more.
    public let local: Document?
    /// The document as the remote has it; nil when it was deleted there or never was.
    public let server: Document?
    /// When the document was changed or deleted here, by this device's clock.
    public let localChange: Date?
    /// When the item was changed or deleted on the remote, by that side's clock.
    public let serverChange: Date?

    /// The revision that `local` is, or that deleted it.
    let localRevision: String?
    /// The state of the remote that the resolution is about.
    let seen: BaseItem
}

/// What becomes of a conflict.
public enum ConflictResolution: Sendable {
    /// The document stays as it is here and is sent.
    case useLocal
    /// The document becomes what the remote has; the edit made here is given up.
    case useServer
    /// The document becomes this one, here and on the remote. Its identifier does not matter.
    case use(Document)
    /// As ``use(_:)``, and in the same commit documents are added that there are not yet.
    ///
    /// For what a merge makes beside the document: a record of what it gave up, for example. A document with an
    /// identifier that is taken, by a document or a tombstone, is not added. Those that are belong to the changes that
    /// are sent, where the remote's scope includes them.
    case useAndAdd(Document, [Document])
    /// Nothing: the document stays as it is here, the conflict is listed in
    /// `Database.replicationConflicts(with:)`, and the replication goes on with the others.
    case leave
    /// As ``leave``, and the replication ends with an error.
    ///
    /// Nothing behind this operation is sent: it stays in the queue for the next replication. See
    /// ``ConflictHandler`` for what that costs.
    case stop
}
