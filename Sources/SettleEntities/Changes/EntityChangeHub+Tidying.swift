import Settle
import Synchronization

// What replications bring of the history that is not kept goes again: what this device prunes, and what a removal says to
// forget on all of them.

extension EntityChangeHub {
    /// Sets what is not kept; nil to keep everything that comes.
    func setPruning(_ rule: PruneRule?, of database: Database) {
        state.withLock { $0.pruning = rule }
    }

    /// Has what a commit brings of the history looked at once it is stored.
    ///
    /// - Throws: What reading documents throws.
    func tidyLater(_ changes: [DocumentChange], in transaction: Transaction) throws {
        let rule = state.withLock { $0.pruning }
        // What the identifiers of entries begin with.
        var (arrived, removed) = (Set<String>(), Set<String>())
        for change in changes where !change.isDeleted {
            let id = change.documentId
            if id.utf8.starts(with: EntryIdentifier.prefix.utf8) {
                guard change.isFromReplication else { continue }
                arrived.insert(EntryIdentifier.beginningOfKey(in: id))
                if try transaction.isOfRemovedKey(entryWithId: id) {
                    removed.insert(EntryIdentifier.beginningOfKey(in: id))
                }
            } else {
                // Also in a commit of this device, which a merge is.
                for key in try transaction.newlyRemovedKeys(ofEntityWithId: id) {
                    removed.insert(EntryIdentifier.beginning(entity: id, key: key.asKey))
                }
            }
        }
        if !removed.isEmpty {
            transaction.afterCommit { [weak database = transaction.database, removed] in
                // The next commit. On a full disk the next arrival of the entity does it.
                database?.enqueue({ try Self.forget(removed.sorted(), in: $0) }) { _ in }
            }
        }
        if let rule, !arrived.isEmpty {
            transaction.afterCommit {
                [weak self, weak database = transaction.database, arrived] in
                guard let self, let database else { return }
                prune(rule, arrived, of: database)
            }
        }
    }

    private func prune(_ rule: PruneRule, _ keys: Set<String>, of database: Database) {
        state.withLock { state in
            state.arrived.formUnion(keys)
            guard state.pruner == nil else { return }
            state.pruner = Task { [weak self, weak database] in
                while let keys = self?.takeArrived(), let database {
                    // On a full disk, or when the database is closed, the next call of `prune` does it.
                    _ = try? await rule.prune(database, beginningWith: keys)
                }
            }
        }
    }

    private func takeArrived() -> [String]? {
        state.withLock { state in
            defer { state.arrived = [] }
            guard state.arrived.isEmpty else { return state.arrived.sorted() }
            state.pruner = nil
            return nil
        }
    }

    /// Returns when what has arrived so far was looked at.
    func finishPruning() async {
        await state.withLock { $0.pruner }?.value
    }

    /// Deletes the entries that a removal says to forget, here and, when that is sent, elsewhere.
    private static func forget(_ beginnings: [String], in transaction: Transaction) throws {
        for beginning in beginnings {
            var found: [(record: EntryRecord, id: String)] = []
            try transaction.forEachDocument(after: beginning) { document in
                guard document.id.utf8.starts(with: beginning.utf8) else { return false }
                // What cannot be read is told of by whoever asks for it.
                if let record = try? EntryRecord(document) { found.append((record, document.id)) }
                return true
            }
            for (record, id) in found {
                guard let state = try? transaction.entity(record.entity),
                    state.isForgotten(record.entry, of: record.key)
                else { continue }
                try transaction.delete(documentWithId: id)
            }
        }
    }
}

extension Transaction {
    /// The keys of an entity that the transaction says to be removed with their history.
    fileprivate func newlyRemovedKeys(ofEntityWithId id: String) throws -> [String] {
        guard let removals = try removals(ofEntityWithId: id) else { return [] }
        let before = try previous(id)?[json: EntityFormat.removals]?.objectValue ?? [:]
        return removals.filter { before[$0.key] != $0.value }.map(\.key)
    }

    /// Whether an entry is of a key that was ever removed with its history.
    fileprivate func isOfRemovedKey(entryWithId id: String) throws -> Bool {
        let names = try withDocument(id) { document in
            [try document.string(EntityFormat.entity), try document.string(EntityFormat.key)]
        }
        guard let names, let entity = names[0], let key = names[1] else { return false }
        // Of an entity that cannot be read nothing is forgotten.
        return (try? removals(ofEntityWithId: entity))??[key] != nil
    }

    /// When keys of an entity were last removed, as it is stored; nil when it is no entity, or none ever was.
    private func removals(ofEntityWithId id: String) throws -> [String: JSONValue]? {
        try withDocument(id) { document -> JSONValue? in
            guard try document.integer(EntityFormat.format) != nil else { return nil }
            return try document.json(EntityFormat.removals)
        }?.flatMap { $0.objectValue }
    }
}
