import Settle

extension PushQueue {
    /// Counts a cycle in which the remote failed on these documents while it answered others,
    /// and sets aside those on which it always does.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - failures: What the remote said, by document.
    ///   - keepsPlaces: Whether they keep their places in the queue, for the sake of other remotes.
    /// - Returns: Those that were set aside, with their reasons.
    /// - Throws: What the database throws when it cannot be written.
    func countFailures(
        _ database: Database, of failures: [String: RemoteRejection],
        keepingPlaces keepsPlaces: Bool
    ) async throws -> [String: String] {
        guard !failures.isEmpty else { return [:] }
        return try await write(database) { transaction, tables in
            var setAside: [String: String] = [:]
            for (id, rejection) in failures {
                guard let old = try tables.entry(id), old.status == .pending else { continue }
                var entry = old
                entry.failureCount += 1
                // Behind the others, so that a few that fail do not stand before them for ever.
                if !keepsPlaces { entry.order = max(entry.order, transaction.sequence) }
                let isExhausted =
                    entry.failureCount >= UInt64(SyncTuning.serverFailureCountMax)
                if isExhausted,
                    try tables.document(id, in: transaction)?.metaData.revision
                        != old.sent?.revision
                {
                    // Edited since it was sent, perhaps into what the remote can take.
                    try Self.release(id, old, in: transaction, tables)
                    continue
                }
                if isExhausted {
                    // What was sent stays remembered: its outcome is still not known.
                    entry.reject(rejection)
                    setAside[id] = rejection.reason
                }
                try tables.setEntry(entry, id, replacing: old)
            }
            return setAside
        }
    }

    /// Puts back into the queue what waits beside it.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - statuses: Which entries.
    /// - Throws: What the database throws when it cannot be read or written.
    func requeue(_ database: Database, _ statuses: Set<PendingChange.Status>) async throws {
        let isNeeded = try read(database) { _, tables in
            try tables.allEntries().contains { statuses.contains($0.entry.status) }
        }
        guard isNeeded else { return }
        try await write(database) { _, tables in
            for (id, old) in try tables.allEntries() where statuses.contains(old.status) {
                var entry = old
                entry.requeue()
                try tables.setEntry(entry, id, replacing: old)
            }
        }
    }

    /// Counts an insert that the server refuses because of an item that it does not show, and sets it
    /// aside after some.
    ///
    /// The item may be another user's, or have been removed just then. The insert was not carried
    /// out, and goes behind the others.
    static func countHidden(
        _ id: String, _ old: PendingChange, in transaction: Transaction, _ tables: RemoteTables
    ) throws -> PushResult {
        let local = try tables.document(id, in: transaction)
        guard local?.metaData.revision == old.sent?.revision else {
            try release(id, old, in: transaction, tables)
            return .returned
        }
        var entry = old
        entry.sent = nil
        entry.queued = .insert
        entry.failureCount += 1
        entry.order = max(entry.order, transaction.sequence)
        guard entry.failureCount >= UInt64(SyncTuning.hiddenItemCountMax) else {
            try tables.setEntry(entry, id, replacing: old)
            return .returned
        }
        let reason =
            "The server refuses to insert item '\(id)' because it has one with this identifier, and "
            + "it does not show that item: it may be another user's, or removed just now. Give the "
            + "document another identifier, or replicate again when the item is visible or gone."
        entry.reject(RemoteRejection(reason: reason))
        try tables.setEntry(entry, id, replacing: old)
        return .rejected(reason: reason)
    }
}
