public import Settle

extension Database {
    /// Lets pulls of a remote begin at the beginning, so that all of their rows are fetched again.
    ///
    /// Nothing is removed here; rows that are here as they are there change nothing.
    ///
    /// - Parameters:
    ///   - remote: The remote, as its back-end calls it (the table's address).
    ///   - queryId: Which query, as ``ReplicationConfiguration/queryId`` names it; nil for all pulls
    ///     of the remote, those without an identifier included.
    /// - Throws: What the database throws when it cannot be written.
    public func removePullCheckpoints(
        of remote: String, queryId: String? = nil
    ) async throws {
        guard let record = try read({ try RemoteRecord.find(remote, in: $0) }) else { return }
        if record.isByRevisions {
            // Its pulls have no identifiers.
            if queryId != nil { return }
            return try await write {
                try RemoteTables.byRevisions(remote, in: $0).removeAllCheckpoints()
            }
        }
        let pushQueue = ReplicationCenter.of(self).pushQueue(for: remote, of: self)
        try await pushQueue.write(self) { _, tables in
            if let queryId {
                try tables.removeCheckpoints(ofQueriesWithId: queryId)
            } else {
                try tables.removeAllCheckpoints()
            }
        }
    }

    /// Removes the documents that are shared with a remote, as if they had never been here.
    ///
    /// Only documents in the remote's scope (``ReplicationConfiguration/scope``) are removed; those of
    /// other remotes neither go nor are they in the way. A document that the filter delegate holds back
    /// is not in the way either, and stays: one that never left the device always, one that did unless
    /// pending operations are discarded.
    ///
    /// Nothing is deleted on the remote. Every pull of the remote begins at the beginning
    /// afterwards, so that what may still be seen comes again when it is pulled. Documents that
    /// another remote is still to be told of stay; one that moves here from the scope of another remote
    /// stays with what is pending, as it may be nowhere else.
    ///
    /// With a remote by revisions (CouchDB's protocol) all documents are shared but those that the filter delegate holds back;
    /// a document goes with all of its leaves, and a replication under way begins anew.
    ///
    /// > Source: `purge` of Azure Mobile Services, which refuses while operations are pending, and
    /// > its forced variant, which drops them; both clear the tokens.
    ///
    /// - Parameters:
    ///   - remote: The remote, as its back-end calls it (the table's address).
    ///   - discardingPendingOperations: True to give up what has not been sent to the remote,
    ///     conflicts included. What is in flight may arrive all the same.
    ///   - isIncluded: Which documents; all unless given. Called within the transactions.
    /// - Returns: How many documents were removed.
    /// - Throws: ``ReplicationError`` with `pendingOperations` when anything has not been sent, or
    ///   not resolved, of any document of the remote, and nothing was removed; what the database
    ///   throws when it cannot be written.
    /// - Complexity: A transaction for each 1,000 documents. After a crash in between, calling it
    ///   again removes the others.
    @discardableResult
    public func purgeReplicatedDocuments(
        of remote: String, discardingPendingOperations: Bool = false,
        where isIncluded: @escaping @Sendable (Document) -> Bool = { _ in true }
    ) async throws -> Int {
        guard let record = try read({ try RemoteRecord.find(remote, in: $0) }) else { return 0 }
        if record.isByRevisions {
            return try await purgeRevisions(
                of: remote, discardingPendingOperations: discardingPendingOperations,
                where: isIncluded)
        }
        let pushQueue = ReplicationCenter.of(self).pushQueue(for: remote, of: self)
        // What is in flight is answered first, as far as that is up to us.
        return try await pushQueue.turn.run {
            try await pushQueue.purge(
                self, discardingPendingOperations: discardingPendingOperations, where: isIncluded)
        }
    }
}
