import Settle
import Synchronization

// What replications bring back of the history that this device does not keep goes again.

extension EntityChangeHub {
    /// Sets what is not kept; nil to keep everything that comes.
    func setPruning(_ rule: PruneRule?, of database: Database) {
        state.withLock { $0.pruning = rule }
    }

    /// Has entries that a replication brings looked at once they are stored.
    func pruneLater(_ changes: [DocumentChange], in transaction: Transaction) {
        guard let rule = state.withLock({ $0.pruning }) else { return }
        let keys = changes.filter { change in
            change.isFromReplication && !change.isDeleted
                && change.documentId.utf8.starts(with: EntryIdentifier.prefix.utf8)
        }.map { EntryIdentifier.beginningOfKey(in: $0.documentId) }
        if keys.isEmpty { return }
        transaction.afterCommit { [weak self, weak database = transaction.database] in
            guard let self, let database else { return }
            prune(rule, keys, of: database)
        }
    }

    private func prune(_ rule: PruneRule, _ keys: [String], of database: Database) {
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
}
