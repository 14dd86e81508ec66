/// What is done to an item on the remote.
///
/// The word that a replication and an outbox have in common. Stored by its name.
public enum OperationKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// The remote is not known to have the item: make it.
    case insert
    /// The remote has the item: change it.
    case update
    /// The remote has the item: delete it.
    case delete
    /// The remote has a deleted item: bring it back with the members it had. An update follows
    /// when the document here has others.
    case undelete
}
