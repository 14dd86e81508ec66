public import Settle

extension Database {
    /// The remotes that this database has met, by identifier.
    ///
    /// - Throws: What the database throws when it cannot be read, or a row is damaged.
    /// - Complexity: A few page reads for each remote and each of its checkpoints.
    public func replicationRemotes() throws -> [ReplicationRemote] {
        try read { snapshot in
            try RemoteRecord.all(in: snapshot).map { identifier, record in
                ReplicationRemote(
                    identifier: identifier, isByRevisions: record.isByRevisions,
                    sequence: record.checkpoint, scope: record.scope,
                    carriesAttachments: record.carriesAttachments,
                    checkpoints: try RemoteTables(record, in: snapshot).allCheckpoints())
            }
        }
    }

    /// Some of what has not been carried out on a remote, in the order of the identifiers of the documents.
    ///
    /// Unlike ``pendingOperations(with:)`` it holds no more than it returns.
    ///
    /// - Parameters:
    ///   - remote: The remote, as its back-end calls it.
    ///   - id: The document after which to begin; nil for the first.
    ///   - limit: The most operations to look at, 1 or more.
    /// - Returns: The operations, none for a remote that is not known. A page may have fewer than `limit` of them and
    ///   not be the last.
    /// - Throws: What the database throws when it cannot be read, or the push queue is damaged.
    /// - Complexity: O(log n + `limit`) page reads, and as many for the documents.
    public func pendingOperations(
        with remote: String, after id: String?, limit: Int
    ) throws -> PendingOperationPage {
        precondition(limit > 0, "A page has one operation or more.")
        return try read { snapshot in
            guard let record = try RemoteRecord.find(remote, in: snapshot) else {
                return PendingOperationPage(operations: [], next: nil)
            }
            let tables = try RemoteTables(record, in: snapshot)
            let entries = try tables.entries(after: id, limit: limit + 1)
            let operations = try entries.prefix(limit).compactMap { id, entry in
                PendingOperation(
                    remote: remote, id: id, entry: entry,
                    fingerprint: try PendingOperation.fingerprint(of: entry, id, in: snapshot),
                    isConflict: try PushQueue.isConflict(id, entry, in: snapshot, tables))
            }
            let next = entries.count > limit ? entries[limit - 1].id : nil
            return PendingOperationPage(operations: operations, next: next)
        }
    }

    /// The conflict of a document with a remote; nil when there is none, or none is known.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - remote: The remote, as its back-end calls it.
    /// - Returns: The conflict, with the documents as they are now.
    /// - Throws: What the database throws when it cannot be read, or the push queue is damaged.
    /// - Complexity: O(log n) page reads.
    public func replicationConflict(
        of id: String, with remote: String
    ) throws -> ReplicationConflict? {
        try PushQueue(identifier: remote).unresolvedConflict(self, of: id)
    }
}
