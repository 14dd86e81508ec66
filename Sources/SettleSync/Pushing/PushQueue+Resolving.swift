import Settle

/// What became of an attempt to resolve a conflict.
enum ResolutionResult: Sendable, Hashable {
    /// It is resolved, or there was none any more.
    case resolved
    /// It stays listed.
    case left
    /// The document changed here or there meanwhile; nothing was done.
    case changed
}

extension PushQueue {
    /// The conflict of a document; nil when there is none.
    ///
    /// - Throws: What the database throws when it cannot be read.
    func conflict(_ database: Database, of id: String) throws -> ReplicationConflict? {
        try read(database) { snapshot, tables in
            guard let entry = try tables.entry(id) else { return nil }
            return try Self.conflict(id, entry, remote: identifier, in: snapshot, tables)
        }
    }

    /// The conflicts that are known and not resolved, by document identifier.
    ///
    /// - Throws: What the database throws when it cannot be read.
    func conflicts(_ database: Database) throws -> [ReplicationConflict] {
        try read(database) { snapshot, tables in
            try tables.allEntries().compactMap { id, entry in
                guard try Self.isConflict(id, entry, in: snapshot, tables) else { return nil }
                return try Self.conflict(id, entry, remote: identifier, in: snapshot, tables)
            }
        }
    }

    /// The conflict of a document that is known and not resolved.
    ///
    /// - Throws: What the database throws when it cannot be read.
    func unresolvedConflict(_ database: Database, of id: String) throws -> ReplicationConflict? {
        try read(database) { snapshot, tables in
            guard let entry = try tables.entry(id),
                try Self.isConflict(id, entry, in: snapshot, tables)
            else { return nil }
            return try Self.conflict(id, entry, remote: identifier, in: snapshot, tables)
        }
    }

    /// Whether the server has something that the document does not build on.
    ///
    /// That is known as soon as an answer or a pull has shown it, whether a handler has been asked or
    /// not. What may be the work of an operation without an answer is no conflict.
    static func isConflict(
        _ id: String, _ entry: PendingChange, in snapshot: Snapshot, _ tables: RemoteTables
    ) throws -> Bool {
        guard entry.status == .pending || entry.status == .conflict, let seen = entry.seen,
            try !tables.scope.isLike(tables.document(id, in: snapshot), to: seen)
        else { return false }
        guard entry.status == .pending, let sent = entry.sent else { return true }
        return try !isOwnWork(sent, shows: seen, base: tables.base(id), in: tables.scope)
    }

    private static func conflict(
        _ id: String, _ entry: PendingChange, remote: String, in snapshot: Snapshot,
        _ tables: RemoteTables
    ) throws -> ReplicationConflict? {
        guard let seen = entry.seen else { return nil }
        let record = try snapshot.document(id, includingDeleted: true)
        let local = try tables.document(id, in: snapshot)
        return ReplicationConflict(
            documentId: id, remote: remote,
            base: tables.scope.document(id, try tables.base(id)), local: local,
            server: tables.scope.document(id, seen),
            localChange: record?.metaData.lastChange, serverChange: seen.updated,
            localRevision: record?.metaData.revision, seen: seen)
    }

    /// Carries out what was decided, if the document is still what it was decided for.
    ///
    /// - Throws: What the database throws when it cannot be written.
    func resolve(
        _ database: Database, _ conflict: ReplicationConflict, _ resolution: ConflictResolution
    ) async throws -> ResolutionResult {
        try await write(database) { [identifier] transaction, tables in
            let id = conflict.documentId
            guard let old = try tables.entry(id), let seen = old.seen else { return .resolved }
            let record = try transaction.document(id, includingDeleted: true)
            guard seen == conflict.seen, record?.metaData.revision == conflict.localRevision else {
                return .changed
            }
            let scope = tables.scope
            let local = try tables.document(id, in: transaction)
            func leave() throws -> ResolutionResult {
                var entry = old
                entry.status = .conflict
                try tables.setEntry(entry, id, replacing: old)
                return .left
            }
            switch resolution {
            case .leave, .stop:
                return try leave()
            case .useServer:
                try Self.take(
                    seen, id, replacing: old, in: transaction, tables, origin: identifier)
            case .useLocal:
                try tables.setBase(seen, id)
                try Self.rebase(
                    id, old, on: seen, isDeletedHere: local == nil,
                    isEqual: scope.isLike(local, to: seen), in: transaction, tables)
            case .use(let given), .useAndAdd(let given, _):
                // The document that has the identifier belongs to another remote.
                if try tables.isTaken(id, in: transaction) { return try leave() }
                let carries = seen.carriesAttachments
                var document = scope.stamped(
                    Document(id: id, members: given.members(withAttachments: carries)))
                document.attachments =
                    carries ? given.attachments : local?.attachments ?? []
                let isIncluded = try scope.includes(document)
                if isIncluded, scope.isEqual(document, to: seen) {
                    try Self.take(
                        seen, id, replacing: old, in: transaction, tables, origin: identifier)
                } else {
                    try tables.setBase(seen, id)
                    try Self.rebase(
                        id, old, on: seen, isDeletedHere: !isIncluded, isEqual: false,
                        in: transaction, tables)
                    let members = document.members(withAttachments: true)
                    if local?.members(withAttachments: true) != members {
                        if carries { try tables.noteDownload(of: document, in: transaction) }
                        try transaction.save(document)
                    }
                }
            }
            if case .useAndAdd(_, let others) = resolution {
                for other in others where try transaction.lastChange(of: other.id) == nil {
                    try transaction.add(other)
                }
            }
            return .resolved
        }
    }

    /// Queues what takes the remote from the state that was seen to the document here.
    private static func rebase(
        _ id: String, _ old: PendingChange, on seen: BaseItem, isDeletedHere: Bool,
        isEqual: Bool, in transaction: Transaction, _ tables: RemoteTables
    ) throws {
        var machine = old.machine(server: seen)
        machine.restarted(server: seen.presence, isDeletedHere: isDeletedHere)
        if isEqual || machine.isDone { return try close(id, old, in: transaction, tables) }
        var entry = old
        entry.status = .pending
        entry.reason = nil
        entry.failureCount = 0
        entry.sent = nil
        entry.seen = nil
        entry.queued = machine.queued
        try tables.setEntry(entry, id, replacing: old)
    }
}
