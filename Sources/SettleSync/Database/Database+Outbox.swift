public import Settle

extension Database {
    /// What has not been carried out on the remote, in the order in which it will be sent.
    ///
    /// Changes made before the first replication, or by a process that did not replicate, appear
    /// when the next replication starts.
    ///
    /// Only documents in the remote's scope have any (``ReplicationConfiguration/scope``), and those
    /// that were edited out of it and are still to be deleted there. What the filter delegate holds
    /// back is among them with the state `withheld`.
    ///
    /// - Parameter remote: The remote, as its back-end calls it; nil for all.
    /// - Returns: One operation for each document that has something to tell.
    /// - Throws: What the database throws when it cannot be read, or the push queue is damaged.
    public func pendingOperations(with remote: String? = nil) throws -> [PendingOperation] {
        try read { snapshot in
            try RemoteRecord.all(in: snapshot).flatMap { identifier, record in
                guard remote == nil || remote == identifier else { return [PendingOperation]() }
                let tables = try RemoteTables(record, in: snapshot)
                return try tables.allEntries()
                    .sorted { ($0.entry.order, $0.id) < ($1.entry.order, $1.id) }
                    .compactMap { id, entry in
                        PendingOperation(
                            remote: identifier, id: id, entry: entry,
                            fingerprint: try PendingOperation.fingerprint(
                                of: entry, id, in: snapshot),
                            isConflict: try PushQueue.isConflict(
                                id, entry, in: snapshot, tables))
                    }
            }
        }
    }

    /// The pending operations that the remote refuses, with its reasons.
    ///
    /// Each is tried again when its document changes and when a replication starts;
    /// ``withdraw(_:_:)`` ends that.
    ///
    /// - Parameter remote: The remote, as its back-end calls it; nil for all.
    /// - Returns: The operations, each with the state `rejected`.
    /// - Throws: As ``pendingOperations(with:)``.
    public func rejectedOperations(with remote: String? = nil) throws -> [PendingOperation] {
        try pendingOperations(with: remote).filter {
            if case .rejected = $0.state { true } else { false }
        }
    }

    /// The conflicts that are known and not resolved.
    ///
    /// A conflict is listed from the moment in which the server showed it, also when the replication
    /// ended before a handler was asked, and also after the database was closed and opened again. It
    /// is gone when both sides became equal by themselves.
    ///
    /// - Parameter remote: The remote, as its back-end calls it; nil for all.
    /// - Returns: The conflicts, with the documents as they are now.
    /// - Throws: As ``pendingOperations(with:)``.
    public func replicationConflicts(with remote: String? = nil) throws -> [ReplicationConflict] {
        let identifiers = try read { try RemoteRecord.all(in: $0).map(\.identifier) }
        return try identifiers.filter { remote == nil || remote == $0 }.flatMap {
            try PushQueue(identifier: $0).conflicts(self)
        }
    }

    /// Resolves a conflict that was left.
    ///
    /// What has to be sent is sent by the next cycle.
    ///
    /// - Parameters:
    ///   - conflict: A conflict from ``replicationConflicts(with:)``.
    ///   - resolution: What becomes of it.
    /// - Returns: False when the document changed here or on the remote since the conflict was
    ///   read, and nothing was done: read it again.
    /// - Throws: What the database throws when it cannot be written.
    @discardableResult
    public func resolve(
        _ conflict: ReplicationConflict, with resolution: ConflictResolution
    ) async throws -> Bool {
        let pushQueue = ReplicationCenter.of(self).pushQueue(for: conflict.remote, of: self)
        return try await pushQueue.resolve(self, conflict, resolution) != .changed
    }
}
