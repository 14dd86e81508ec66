import Settle

extension PushQueue {
    /// Removes the documents that are shared with the remote; see
    /// ``Settle/Database/purgeReplicatedDocuments(of:discardingPendingOperations:where:)``.
    func purge(
        _ database: Database, discardingPendingOperations isForced: Bool,
        where isIncluded: @escaping @Sendable (Document) -> Bool
    ) async throws -> Int {
        var ids = try await write(database) { [identifier] transaction, tables in
            let entries = try tables.allEntries().filter { $0.entry.status.isPending }
            if !isForced, let first = entries.first {
                throw ReplicationError(
                    .pendingOperations,
                    "\(entries.count) documents have something to tell '\(identifier)' that is not "
                        + "sent or not resolved, so nothing was purged. Replicate first, or purge "
                        + "with what is pending.", documentId: first.id)
            }
            // Before the documents: what goes now has to be able to come again.
            try tables.removeAllCheckpoints()
            try tables.removeFaults { _, _ in true }
            return try tables.knownIds()
        }[...]
        var count = 0
        while !ids.isEmpty {
            let batch = Array(ids.prefix(SyncTuning.purgeCountMax))
            ids = ids.dropFirst(batch.count)
            count += try await write(database) { transaction, tables in
                // A pull that began meanwhile may have brought these again and gone past them.
                try tables.removeAllCheckpoints()
                return try batch.reduce(0) { count, id in
                    let isPurged = try Self.purge(
                        id, isForced: isForced, where: isIncluded, in: transaction, tables)
                    return isPurged ? count + 1 : count
                }
            }
        }
        return count
    }

    private static func purge(
        _ id: String, isForced: Bool, where isIncluded: (Document) -> Bool,
        in transaction: Transaction, _ tables: RemoteTables
    ) throws -> Bool {
        let entry = try tables.entry(id)
        if let entry, entry.status == .withheld {
            // What never left the device is not shared with anybody.
            let isShared = try tables.base(id) != nil || entry.sent != nil
            if !isShared || !isForced { return false }
        }
        // Edited since the others were looked at.
        if let entry, entry.status != .outside, !isForced { return false }
        let document = try tables.document(id, in: transaction)
        if let document, !isIncluded(document) { return false }
        // It moves here from another table, which is to delete its row: it is nowhere else.
        let others = try otherRemotes(waitingFor: id, in: transaction, tables)
        if try document != nil && others.contains(where: { try $0.isTaken(id, in: transaction) }) {
            return false
        }
        if let entry { try tables.setEntry(nil, id, replacing: entry) }
        return try purge(id, in: transaction, tables) && document != nil
    }
}
