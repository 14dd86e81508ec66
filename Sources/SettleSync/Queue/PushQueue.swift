import Settle
import Synchronization

/// The push queue of one remote: the pending changes of the documents of one database.
///
/// It takes part in every write transaction: an operation is stored, or coalesced with the one
/// that waits, in the commit that changes the document, and is gone when that is rolled back.
/// Changes that came from the remote itself are not sent back to it.
///
/// Nothing is kept in memory. What was written while no push queue was attached (before the first
/// replication, or by a process without one) is found by comparing the checkpoint with the database's
/// sequence, and read from the change feed by ``catchUp(_:)``.
final class PushQueue: CommitParticipant {
    /// The remote; also the origin of documents that came from it.
    let identifier: String
    /// Whose turn it is to push.
    let turn = PushTurn()
    /// How often answers of the remote were stored; a page that was asked for before such a moment
    /// may show items as they were before.
    let storedOutcomeCount = Atomic<UInt64>(0)
    /// Members that the server is known to leave out of what it shows.
    let omissions = OmittedMembers()

    init(identifier: String) {
        self.identifier = identifier
    }

    func willCommit(_ changes: [DocumentChange], in transaction: Transaction) throws {
        guard let first = changes.first, let last = changes.last,
            var record = try RemoteRecord.find(identifier, in: transaction),
            // After a gap the change feed is read in order first; it will bring these, too.
            record.checkpoint &+ 1 >= first.sequence, record.checkpoint < last.sequence
        else { return }
        if changes.contains(where: { $0.origin != identifier }) {
            let tables = try RemoteTables(record, writingIn: transaction)
            for change in changes { try note(change, in: transaction, tables) }
        }
        record.checkpoint = last.sequence
        try record.write(identifier, in: transaction)
    }

    /// Makes the remote known to the database and reads the changes that no push queue has seen.
    ///
    /// - Throws: What the database throws when it cannot be read or written.
    /// - Complexity: One transaction for each 1,000 changes; none when there are none.
    func catchUp(_ database: Database) async throws {
        let isUpToDate = try database.read { snapshot in
            try RemoteRecord.find(identifier, in: snapshot)?.checkpoint == snapshot.sequence
        }
        if isUpToDate { return }
        while try await database.write({ [self] in try catchUp(in: $0) }) == false {}
    }

    /// Reads one batch of changes; true when it was the last.
    func catchUp(in transaction: Transaction) throws -> Bool {
        var record = try RemoteRecord.findOrMake(identifier, in: transaction)
        guard record.checkpoint != transaction.sequence else { return true }
        let batch = try transaction.changes(
            since: record.checkpoint, limit: SyncTuning.catchUpCountMax)
        let tables = try RemoteTables(record, writingIn: transaction)
        if record.checkpoint < transaction.forgottenPurgeSequence {
            try forgetPurged(in: transaction, tables)
        }
        for change in batch.changes { try note(change, in: transaction, tables) }
        let isLast = batch.changes.count < SyncTuning.catchUpCountMax
        record.checkpoint =
            isLast ? transaction.sequence : batch.changes[batch.changes.count - 1].sequence
        try record.write(identifier, in: transaction)
        return isLast
    }

    /// Forgets the documents that were purged so long ago that no change tells of it any more.
    private func forgetPurged(in transaction: Transaction, _ tables: RemoteTables) throws {
        for id in try tables.knownIds() where try transaction.lastChange(of: id) == nil {
            try Self.forget(id, in: tables)
        }
    }

    /// As if the document had never been: nothing is sent, and the remote's next word is new again.
    static func forget(_ id: String, in tables: RemoteTables) throws {
        let entry = try tables.entry(id)
        // The document that was in a row's way is gone; the row is what the remote has.
        if entry?.isBlocked ?? false { return }
        try tables.setEntry(nil, id, replacing: entry)
        try tables.setBase(BaseItem.absent, id)
    }

    /// Coalesces a change into what waits for the document.
    ///
    /// A document that does not belong to the remote is, for the remote, not there.
    private func note(
        _ change: DocumentChange, in transaction: Transaction, _ tables: RemoteTables
    ) throws {
        guard change.origin != identifier else { return }
        let id = change.documentId
        if change.isPurged { return try Self.forget(id, in: tables) }
        let isDeleted = try change.isDeleted || !isInScope(id, in: transaction, tables)
        let old = try tables.entry(id)
        if let old, let seen = old.seen, old.isIdle, old.status != .outside,
            tables.scope.isLike(try tables.document(id, in: transaction), to: seen)
        {
            // Both sides became equal by themselves.
            return try Self.noteEquality(id, old, with: seen, in: tables)
        }
        var entry = old ?? PendingChange(order: change.sequence)
        if entry.status == .outside {
            // What becomes of a document that is not the remote's is no business of the remote.
            if isDeleted { return }
            entry.order = change.sequence
        }
        // What the server failed on time and again is not what the document is any more. It may have
        // been carried out all the same, so a deletion waits behind it.
        if entry.status == .rejected, !isDeleted { entry.sent = nil }
        var machine = entry.machine(server: try tables.base(id))
        machine.changed(isDeleted: isDeleted)
        entry.queued = machine.queued
        if machine.isDone, let seen = entry.seen {
            // The remote has something that was never shown here; forgetting the entry would
            // lose it.
            entry.queued = PendingChangeStateMachine.kind(
                server: seen.presence, isDeletedHere: isDeleted)
        }
        guard entry.sent != nil || entry.queued != nil else {
            return try tables.setEntry(nil, id, replacing: old)
        }
        if entry.status != .conflict {
            entry.status = .pending
            entry.reason = nil
            entry.failureCount = 0
        }
        try tables.setEntry(entry, id, replacing: old)
    }

    private func isInScope(
        _ id: String, in transaction: Transaction, _ tables: RemoteTables
    ) throws -> Bool {
        // A change that others follow may be of a document that is not there any more.
        try tables.scope == .all || tables.scope.includes(id, in: transaction)
    }

    /// Ends an entry whose document is edited into what the server has.
    ///
    /// A document that is to be purged then is left to the push, since no purge may be made here.
    private static func noteEquality(
        _ id: String, _ old: PendingChange, with seen: BaseItem, in tables: RemoteTables
    ) throws {
        guard old.isOutOfScope else {
            try tables.setBase(seen, id)
            return try tables.setEntry(nil, id, replacing: old)
        }
        var entry = old
        entry.status = .pending
        entry.reason = nil
        try tables.setEntry(entry, id, replacing: old)
    }

    /// Runs `body` with the remote's tables in a write transaction.
    ///
    /// The push queue first catches up when the database has changes that it has not seen, so that
    /// `body` may trust the entries.
    func write<R: Sendable>(
        _ database: Database,
        _ body: @escaping @Sendable (Transaction, RemoteTables) throws -> R
    ) async throws -> R {
        while true {
            let result = try await database.write { [identifier] transaction -> R? in
                let record = try RemoteRecord.findOrMake(identifier, in: transaction)
                guard record.checkpoint == transaction.sequence else { return nil }
                return try body(transaction, RemoteTables(record, writingIn: transaction))
            }
            if let result { return result }
            try await catchUp(database)
        }
    }

    /// Runs `body` with the remote's tables in a snapshot.
    func read<R>(_ database: Database, _ body: (Snapshot, RemoteTables) throws -> R) throws -> R {
        try database.read { snapshot in
            let record = try RemoteRecord.find(identifier, in: snapshot)
            return try body(snapshot, RemoteTables(record, in: snapshot))
        }
    }
}
