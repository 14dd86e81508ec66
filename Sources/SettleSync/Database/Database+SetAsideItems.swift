public import Settle

extension Database {
    /// The items of a remote that cannot be documents here, with the reason for each.
    ///
    /// An identifier that is empty, too long or begins with an underscore, a number that no double holds,
    /// a document beyond the limits: one such item does not stop the others. It is read again when it
    /// changes on the remote, and leaves the list when it can be a document, is deleted, goes out of
    /// scope, or the remote's documents are purged. A listing
    /// (``ReplicationConfiguration/reconciling``) takes those off that are not there any more.
    ///
    /// - Parameter remote: The remote, as its back-end calls it; nil for all.
    /// - Returns: The items, by remote and identifier; those without an identifier come last.
    /// - Throws: What the database throws when it cannot be read, or a row is damaged.
    public func setAsideItems(with remote: String? = nil) throws -> [SetAsideItem] {
        try read { snapshot in
            var items: [SetAsideItem] = []
            for (identifier, record) in try RemoteRecord.all(in: snapshot)
            where remote == nil || remote == identifier {
                try RemoteTables(record, in: snapshot).forEachFault { _, row in
                    items.append(SetAsideItem(remote: identifier, row: row))
                }
            }
            return items
        }
    }
}
