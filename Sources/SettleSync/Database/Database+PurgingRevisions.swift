import Settle

extension Database {
    /// Purges what is shared with a remote by revisions; see ``purgeReplicatedDocuments(of:discardingPendingOperations:where:)``.
    func purgeRevisions(
        of remote: String, discardingPendingOperations isForced: Bool,
        where isIncluded: @escaping @Sendable (Document) -> Bool
    ) async throws -> Int {
        let last = try await write { transaction in
            let record = try RemoteRecord.findOrMake(remote, in: transaction, byRevisions: true)
            let tables = try RemoteTables(record, writingIn: transaction)
            if !isForced { try tables.requireNothingUnoffered(record.checkpoint, to: remote) }
            // Before the documents: what goes now has to be able to come again.
            try tables.removeAllCheckpoints()
            try tables.removeFaults { _, _ in true }
            return transaction.sequence
        }
        var (count, place) = (0, UInt64(0))
        while place < last {
            let (purged, end) = try await write { [place] transaction in
                let record = try RemoteRecord.findOrMake(remote, in: transaction, byRevisions: true)
                let tables = try RemoteTables(record, writingIn: transaction)
                try tables.removeAllCheckpoints()
                let batch = try transaction.changes(since: place, limit: SyncTuning.purgeCountMax)
                let purged = try batch.changes.count { change in
                    try change.sequence <= last && !change.isPurged
                        && tables.purge(
                            change.documentId, of: remote, offered: record.checkpoint,
                            isForced: isForced, where: isIncluded, in: transaction)
                }
                return (purged, batch.lastSequence)
            }
            count += purged
            place = end
        }
        return count
    }
}

extension RemoteTables {
    /// Refuses to go on where anything was not offered to a remote by revisions, or is refused by it.
    fileprivate func requireNothingUnoffered(_ sequence: UInt64, to remote: String) throws {
        func refuse(_ id: String) -> ReplicationError {
            ReplicationError(
                .pendingOperations,
                "Document '\(id)' has something that '\(remote)' does not have, and perhaps others, so "
                    + "nothing was purged. Replicate first, or purge with what is pending.",
                documentId: id)
        }
        for (id, entry) in try allEntries() where entry.status.isPending { throw refuse(id) }
        var place = sequence
        while place < snapshot.sequence {
            let batch = try snapshot.changes(since: place, limit: SyncTuning.catchUpCountMax)
            for change in batch.changes {
                let id = change.documentId
                if try entry(id) == nil, try hasUnoffered(id, after: sequence, to: remote) {
                    throw refuse(id)
                }
            }
            place = batch.lastSequence
        }
    }

    /// Purges a document that is shared with a remote by revisions.
    ///
    /// - Returns: Whether there was a document, and it went.
    fileprivate func purge(
        _ id: String, of remote: String, offered sequence: UInt64, isForced: Bool,
        where isIncluded: (Document) -> Bool, in transaction: Transaction
    ) throws -> Bool {
        let entry = try entry(id)
        if entry?.status == .withheld { return false }
        // Edited since the others were looked at.
        if !isForced, try hasUnoffered(id, after: sequence, to: remote) { return false }
        let document = try transaction.document(id)
        if let document, !isIncluded(document) { return false }
        guard try PushQueue.purge(id, in: transaction, self) else { return false }
        if let entry { try setEntry(nil, id, replacing: entry) }
        try removeNote(ofDocumentWithId: id, in: transaction)
        return document != nil
    }
}
