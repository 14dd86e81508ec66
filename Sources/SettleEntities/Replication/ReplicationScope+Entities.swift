import Settle
public import SettleSync

extension ReplicationScope {
    /// The entities of a datastore and their history, and no other documents.
    ///
    /// ```swift
    /// configuration.scope = .entities
    /// configuration.conflictHandler = .entities
    /// ```
    public static var entities: ReplicationScope {
        .documents(matching: [EntityFormat.format: ["$type": "number"]])
    }
}
