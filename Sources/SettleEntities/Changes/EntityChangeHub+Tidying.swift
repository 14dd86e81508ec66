import Settle
import SettlePrimitives
import Synchronization

// What replications bring of the history that is not kept goes again: what this device prunes, and what a removal says to
// forget on all of them.

extension EntityChangeHub {
    /// Sets what is not kept; nil to keep everything that comes.
    func setPruning(_ rule: PruneRule?, of database: Database) {
        state.withLock { $0.pruning = rule }
    }

    /// Has what a commit brings of the history looked at once it is stored.
    func tidyLater(_ changes: [DocumentChange], in transaction: Transaction) {
        let rule = state.withLock { $0.pruning }
        // What the identifiers of entries begin with.
        var (arrived, removed) = (Set<String>(), Set<String>())
        var forgotten: [String] = []
        for change in changes where !change.isDeleted {
            let id = change.documentId
            if id.utf8.starts(with: EntryIdentifier.prefix.utf8) {
                guard change.isFromReplication else { continue }
                arrived.insert(EntryIdentifier.beginningOfKey(in: id))
                if transaction.isForgotten(entryWithId: id) { forgotten.append(id) }
            } else {
                // Also in a commit of this device, which a merge is.
                for key in transaction.newlyRemovedKeys(ofEntityWithId: id) {
                    removed.insert(EntryIdentifier.beginning(entity: id, key: key.asKey))
                }
            }
        }
        if !removed.isEmpty || !forgotten.isEmpty {
            transaction.afterCommit { [weak database = transaction.database, removed, forgotten] in
                // The next commit. What a crash or a full disk leaves is not shown all the same.
                database?.enqueue({ try Self.forget(forgotten, removed.sorted(), in: $0) }) { _ in }
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
    private static func forget(
        _ ids: [String], _ beginnings: [String], in transaction: Transaction
    ) throws {
        var forgotten = ids
        for beginning in beginnings {
            var found: [(record: EntryRecord, id: String)] = []
            try transaction.forEachDocument(after: beginning) { document in
                guard document.id.utf8.starts(with: beginning.utf8) else { return false }
                // What cannot be read is told of by whoever asks for it.
                if let record = try? EntryRecord(document) { found.append((record, document.id)) }
                return true
            }
            var states: [ExactText: EntityState?] = [:]
            for (record, id) in found {
                let entity = ExactText(record.entity)
                let state = states[entity] ?? (try? transaction.entity(record.entity))
                states[entity] = .some(state)
                if state?.isForgotten(record.entry, of: record.key) == true { forgotten.append(id) }
            }
        }
        for id in forgotten { try transaction.delete(documentWithId: id) }
    }
}

extension Transaction {
    /// The keys of an entity that the transaction says to be removed with their history.
    fileprivate func newlyRemovedKeys(ofEntityWithId id: String) -> [String] {
        guard let removals = removals(ofEntityWithId: id) else { return [] }
        let before = (try? previous(id)?[json: EntityFormat.removals]?.objectValue) ?? [:]
        return removals.filter { before[$0.key] != $0.value }.map(\.key)
    }

    /// Whether an entry is not later than the removal of its key, as far as both can be read.
    fileprivate func isForgotten(entryWithId id: String) -> Bool {
        let entity = try? withDocument(id) { try $0.string(EntityFormat.entity) }
        // Most entities have none, so that is asked first.
        guard case .some(.some(let entity)) = entity, removals(ofEntityWithId: entity) != nil,
            let document = try? document(id), let record = try? EntryRecord(document),
            let state = try? self.entity(entity)
        else { return false }
        return state.isForgotten(record.entry, of: record.key)
    }

    /// When keys of an entity were last removed, as it is stored; nil when it is no entity, or none ever was.
    private func removals(ofEntityWithId id: String) -> [String: JSONValue]? {
        let removals = try? withDocument(id) { document -> JSONValue? in
            guard try document.integer(EntityFormat.format) != nil else { return nil }
            return try document.json(EntityFormat.removals)
        }
        return (removals ?? nil)?.objectValue
    }
}
