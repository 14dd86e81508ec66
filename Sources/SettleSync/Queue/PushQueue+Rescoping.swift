import Settle

extension PushQueue {
    /// Makes a scope the remote's, after what was written under the one before was read, and judges
    /// all documents again when it is another one.
    ///
    /// - Parameters:
    ///   - scope: The scope.
    ///   - database: The database.
    /// - Throws: What the database throws when it cannot be read or written.
    /// - Complexity: With another scope one transaction that reads all documents.
    func setScope(_ scope: ReplicationScope, _ database: Database) async throws {
        let isKnown = try database.read { try RemoteRecord.find(identifier, in: $0) != nil }
        if !isKnown {
            try await database.write { [identifier] transaction in
                guard try RemoteRecord.find(identifier, in: transaction) == nil else { return }
                var record = try RemoteRecord.findOrMake(identifier, in: transaction)
                record.scope = scope
                try record.write(identifier, in: transaction)
            }
        }
        try await catchUp(database)
        let isSame = try read(database) { _, tables in tables.scope == scope }
        if isSame { return }
        try await write(database) { [identifier] transaction, tables in
            guard var record = try RemoteRecord.find(identifier, in: transaction),
                record.scope != scope
            else { return }
            record.scope = scope
            // Its rows were not stored when they were not in the scope before.
            if tables.scope != .all { try tables.removeAllCheckpoints() }
            let judge = ScopeJudge(
                origin: identifier, before: tables,
                after: try RemoteTables(record, writingIn: transaction), transaction: transaction)
            try judge.judgeAll()
            record.checkpoint = transaction.sequence
            try record.write(identifier, in: transaction)
        }
    }
}

/// Judges the documents of a database by a new scope of a remote.
private struct ScopeJudge {
    let origin: String
    let before: RemoteTables
    let after: RemoteTables
    let transaction: Transaction

    func judgeAll() throws {
        let known = try after.knownIds()
        for id in known { try judgeKnown(id) }
        // All of them were in the scope before.
        if before.scope == .all { return }
        let knownBytes = Set(known.map { Array($0.utf8) })
        var newIds: [String] = []
        try transaction.forEachDocument { document in
            if !knownBytes.contains(Array(document.id.utf8)), try after.scope.includes(document),
                try !before.scope.includes(document)
            {
                newIds.append(document.id)
            }
            return true
        }
        for id in newIds {
            var entry = PendingChange(order: transaction.sequence)
            entry.queued = .insert
            try after.setEntry(entry, id, replacing: nil)
        }
    }

    private func judgeKnown(_ id: String) throws {
        let (old, server) = (try after.entry(id), try after.base(id))
        guard var document = try transaction.document(id) else {
            guard let old, old.status == .outside, !old.isBlocked else { return }
            return try enter(id, old, server, nil)
        }
        var isIncluded = try after.scope.includes(document)
        if !isIncluded, server?.isLive ?? false {
            // A row that came when there was no scope has no type yet.
            let stamped = after.scope.stamped(document)
            if stamped != document {
                document = try transaction.store(stamped, from: origin)
                isIncluded = true
            }
        }
        if isIncluded {
            let wasIncluded = try before.scope.includes(document)
            if wasIncluded, old?.status != .outside { return }
            return try enter(id, old, server, document)
        }
        try release(id, old, server, document)
    }

    /// The document is in the scope, or is deleted.
    private func enter(
        _ id: String, _ old: PendingChange?, _ server: BaseItem?, _ document: Document?
    ) throws {
        var entry = old ?? PendingChange(order: transaction.sequence)
        if entry.status == .outside {
            entry.status = .pending
            entry.order = transaction.sequence
            entry.failureCount = 0
        }
        let isEqual = after.scope.isEqual(document, to: server ?? .absent)
        if entry.sent == nil, entry.seen == nil, isEqual {
            return try after.setEntry(nil, id, replacing: old)
        }
        var machine = entry.machine(server: server)
        machine.changed(isDeleted: document == nil)
        entry.queued = machine.queued
        let isNeeded = entry.hasOperation || entry.seen != nil
        try after.setEntry(isNeeded ? entry : nil, id, replacing: old)
    }

    /// The document is there and not in the scope: nothing of it is pending any more.
    private func release(
        _ id: String, _ old: PendingChange?, _ server: BaseItem?, _ document: Document
    ) throws {
        if let old {
            // One that was edited out of the scope before is still to be deleted there.
            if old.status != .outside, try !before.scope.includes(document) { return }
        } else if !(server?.isLive ?? false) {
            return
        }
        var entry = old ?? PendingChange(order: transaction.sequence)
        entry.status = .outside
        entry.reason = nil
        let isNeeded = entry.sent != nil || entry.seen != nil || server?.isLive ?? false
        try after.setEntry(isNeeded ? entry : nil, id, replacing: old)
    }
}
