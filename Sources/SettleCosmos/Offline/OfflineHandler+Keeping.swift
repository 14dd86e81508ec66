import Foundation
import Settle
import SettleDocuments
import SettleOutbox

// What the service has sent is kept, unless a write came in between.

extension Cosmos.OfflineHandler {
    typealias Record = Cosmos.CachedRecord
    typealias Name = Cosmos.ResourceName

    /// Whether writes of a resource wait.
    static func isPending(
        _ name: Name, _ snapshot: Snapshot, _ store: Cosmos.OfflineStore
    ) throws -> Bool {
        try store.queueState.mayWait
            && OutboxSnapshot(in: snapshot).hasOperations(about: name.queueId)
    }

    /// Keeps resources that the service has sent.
    ///
    /// - Parameters:
    ///   - resources: The resources with their names.
    ///   - count: How many writes there were before they were asked for, or with the one that made them.
    ///   - store: The store.
    ///   - isWrite: Whether they are what a write of this device has made.
    /// - Throws: ``Cosmos/ClientError`` with `internalError` when they cannot be stored.
    func keep(
        _ resources: [(Name, Cosmos.ResourceBody)], since count: UInt64,
        _ store: Cosmos.OfflineStore, isWrite: Bool = false
    ) async throws(Cosmos.ClientError) {
        let sealer = sealer
        let kept = resources.filter { rules.keeps($0.0.link.type, at: $0.0.link) }
        guard !kept.isEmpty else { return }
        for (name, body) in kept where name.link.type == .collection {
            store.keepDefinition(of: body, at: name.link)
        }
        if !isWrite, try store.read({ try Self.areKept(kept, $0) }) {
            note(kept, store)
            return
        }
        let sizes = try await store.write { transaction in
            let writer = try Cosmos.CacheWriter(transaction, sealer)
            var sizes: [(String, Int)] = []
            for (name, body) in kept {
                if store.marks.isWritten(name, since: count) { continue }
                // The last of our own writes is what is kept, until it was sent.
                if try Self.isPending(name, transaction, store) { continue }
                if let path = try writer.put(body, named: name) {
                    sizes.append((path, body.packed.bytes.count))
                }
            }
            return sizes
        }
        for (path, size) in sizes { store.usage.note(path, size: size) }
        note(kept, store)
        try await makeRoom(store)
    }

    private static func areKept(
        _ resources: [(Name, Cosmos.ResourceBody)], _ snapshot: Snapshot
    ) throws -> Bool {
        // Only what is encrypted need not be compared by its bytes, and that costs more than to write it.
        let reader = Cosmos.CacheReader(snapshot: snapshot, sealer: Cosmos.Sealer(encryptor: nil))
        return try resources.allSatisfy { name, body in
            guard let path = body.selfLink?.text, try reader.path(of: name) == path,
                let document = try snapshot.document(path)
            else { return false }
            return try document.packed().packedMember("resource") == body.packed
        }
    }

    private func note(_ resources: [(Name, Cosmos.ResourceBody)], _ store: Cosmos.OfflineStore) {
        let date = now()
        for (_, body) in resources {
            guard let path = body.selfLink?.text else { continue }
            store.usage.check(path, at: date)
            store.usage.touch(path)
        }
    }

    /// Removes what is kept of a resource that the service does not have.
    func remove(_ name: Name, _ store: Cosmos.OfflineStore) async throws(Cosmos.ClientError) {
        let sealer = sealer
        guard let path = try store.read({ try Cosmos.NameTable(in: $0).path(of: name) }) else {
            return
        }
        if name.link.type == .collection || name.link.type == .database {
            store.forgetDefinitions(within: name.link)
        }
        try await store.write { transaction in
            if try Self.isPending(name, transaction, store) { return }
            // What waits to be put in it would lose its copy.
            if store.queueState.mayWait,
                try OutboxSnapshot(in: transaction).hasOperations(about: name.belowQueueId)
            {
                return
            }
            try Cosmos.CacheWriter(transaction, sealer).remove(at: path)
        }
        store.usage.forget(within: path)
    }

    /// Removes what was not used for longest, beyond the size that the cache may have.
    func makeRoom(_ store: Cosmos.OfflineStore) async throws(Cosmos.ClientError) {
        guard let sizeMax = rules.configuration.sizeMax else { return }
        let excess = store.usage.excess(over: sizeMax)
        guard !excess.isEmpty else { return }
        let sealer = sealer
        let removed = try await store.write { transaction in
            let writer = try Cosmos.CacheWriter(transaction, sealer)
            let queue = try OutboxSnapshot(in: transaction)
            var removed: [String] = []
            for path in excess {
                if let name = try writer.names.name(ofPath: path) {
                    guard [.document, .attachment].contains(name.link.type),
                        try !queue.hasOperations(about: name.queueId),
                        try !queue.hasOperations(about: name.belowQueueId)
                    else { continue }
                } else if path.hasSuffix("/media") {
                    let owner = String(path.dropLast("/media".count))
                    guard let name = try writer.names.name(ofPath: owner),
                        try !queue.hasOperations(about: name.queueId)
                    else { continue }
                } else if !path.contains("/queries/") {
                    continue
                }
                // The names stay: they say nothing of what the resource holds.
                try transaction.purge(documentsWithIds: try writer.documentIds(within: path))
                removed.append(path)
            }
            return removed
        }
        for path in removed { store.usage.forget(within: path) }
    }
}
