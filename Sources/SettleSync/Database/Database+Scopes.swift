public import Settle

extension Database {
    /// Which documents belong to a remote, as the last replication with it said.
    ///
    /// - Parameter remote: The remote, as its back-end calls it (the table's address).
    /// - Returns: The scope; nil for a remote that this database never replicated with.
    /// - Throws: What the database throws when it cannot be read, or the record is damaged.
    public func replicationScope(of remote: String) throws -> ReplicationScope? {
        try read { try RemoteRecord.find(remote, in: $0)?.scope }
    }
}
