import Settle
import Synchronization

// Documents that went without their attachments, and whose items no page shows: because nothing is
// fetched, or because they are not among those that are. Their items are looked up, once it is known
// that attachments travel.

extension ReplicationCycle {
    /// Whether a push that has nothing to send should ask what the server offers.
    ///
    /// Looks through the documents once for each start of a replication that only sends; in all others
    /// the pull asks.
    func mayCatchUpAttachments() throws -> Bool {
        guard session.configuration.direction == .clientToServer,
            !session.hasSoughtUndescribed.exchange(true, ordering: .relaxed)
        else { return false }
        return try session.pushQueue.read(session.database) { snapshot, tables in
            try !tables.carriesAttachments
                && !PushQueue.undescribedIds(countMax: 1, in: snapshot, tables).isEmpty
        }
    }

    /// Queues documents that went without their attachments when these begin to travel.
    ///
    /// - Parameter isPulled: Whether the pull has shown what it may show of them.
    /// - Returns: How many were queued.
    /// - Throws: What the database throws when it cannot be read or written.
    mutating func queueUndescribed(isPulled: Bool) async throws -> Int {
        try await session.pushQueue.queueUndescribed(
            session.database, carriesAttachments: carriesAttachments(),
            isPulled: isPulled || session.configuration.direction == .clientToServer)
    }

    /// Looks up the items of documents, and puts their attachments together with those here.
    ///
    /// An item that is not shown, cannot be looked up, or may not be read, is sent what it can be sent
    /// without.
    ///
    /// - Throws: ``ReplicationError`` when nothing more can be asked for now; the database's errors.
    mutating func lookUpAttachments(
        of ids: [String], _ progress: inout PushProgress
    ) async throws {
        lookedUpIds.formUnion(ids)
        let (session, backend) = (session, session.backend)
        let width = max(1, session.configuration.concurrentRequestsMax)
        for start in stride(from: 0, to: ids.count, by: width) {
            var context = context(of: try await session.query(of: session.channels))
            context.isIncremental = false
            let answers = await withTaskGroup { group in
                for id in ids[start..<min(ids.count, start + width)] {
                    group.addTask { (id, await backend.lookUpAttachments(of: id)) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            var items: [RemoteItem] = []
            for (id, answer) in answers {
                switch answer {
                case .success(let item): if let item { items.append(item) }
                case .failure(let error): if !note(error, on: id, &progress) { throw error }
                }
            }
            if !items.isEmpty {
                note(try await session.pushQueue.apply(session.database, items, in: context))
            }
            if progress.isOutage { return }
        }
    }
}

extension Backend {
    /// A live item with a description of its attachments; nil when none is shown.
    fileprivate func lookUpAttachments(
        of id: String
    ) async -> Result<RemoteItem?, ReplicationError> {
        do throws(ReplicationError) {
            guard case .found(let item) = try await lookUp(id), !item.isDeleted, !item.isOutOfScope
            else { return .success(nil) }
            return .success(item.describingAttachments(true))
        } catch {
            // Asked again it would say the same.
            let isFinal = !error.isRetryable && error.code != .cancelled
            return isFinal ? .success(nil) : .failure(error)
        }
    }
}

extension PushQueue {
    /// Queues documents that went without their attachments when these begin to travel, and keeps
    /// whether they do.
    ///
    /// From then on the item of such a document is looked up before that is sent.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - carriesAttachments: Whether attachments travel now.
    ///   - isPulled: Whether no page will show the attachments of these documents' items.
    /// - Returns: How many were queued.
    /// - Throws: What the database throws when it cannot be read or written.
    func queueUndescribed(
        _ database: Database, carriesAttachments: Bool, isPulled: Bool
    ) async throws -> Int {
        let isKnown = try read(database) { _, tables in
            tables.carriesAttachments == carriesAttachments
        }
        if isKnown { return 0 }
        return try await write(database) { [identifier] transaction, tables in
            try Self.beginCarrying(carriesAttachments, of: identifier, in: transaction, tables)
            guard carriesAttachments, isPulled else { return 0 }
            var count = 0
            for id in try Self.undescribedIds(in: transaction, tables)
            where try tables.entry(id) == nil {
                try tables.setEntry(
                    PendingChange(queued: .update, order: transaction.sequence), id, replacing: nil)
                count += 1
            }
            try Self.setCarrying(true, of: identifier, in: transaction)
            return count
        }
    }

    /// Documents with attachments whose items are not known to have any or none.
    static func undescribedIds(
        countMax: Int = .max, in snapshot: Snapshot, _ tables: RemoteTables
    ) throws -> [String] {
        var ids: [String] = []
        _ = try tables.hasServer { id, state in
            if state.lacksDescription,
                try tables.document(id, in: snapshot)?.attachments.isEmpty == false
            {
                ids.append(id)
            }
            return ids.count >= countMax
        }
        return ids
    }
}
