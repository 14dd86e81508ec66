import Settle

extension RevisionCycle {
    /// Fetches what is new at the remote, batch by batch.
    ///
    /// While one is stored, the revisions of the next one come, and the list of changes of the one after that. The revisions
    /// of a batch and the log that says so are stored in one transaction.
    mutating func pull() async throws {
        let query = session.query
        sequenceBefore = try database.lastSequence
        var logs = try await logs(of: .serverToClient, selection(of: query))
        if try await !hasCheckpoint(of: query) { logs.forget() }
        let source = RevisionSource(session: session, query: query)
        var sequence = logs.sequence
        session.notePull(upTo: sequence)
        var (batch, ahead) = try await source.begin(after: sequence)
        var knownPageCount = 0
        while !batch.feed.changes.isEmpty {
            let last = batch.feed.last
            guard last != sequence else {
                throw ReplicationError(
                    .protocolViolation,
                    "The remote shows changes after a sequence, and that they end at the same one.")
            }
            let (isLast, listed) = (batch.isLast, ahead)
            async let next = source.next(listed)
            knownPageCount += 1
            // Pages of what is known need no entry each: some are as soon read again.
            if isLast || !batch.fetched.isEmpty || !batch.faults.isEmpty
                || batch.hasSetAside || knownPageCount == SyncTuning.knownPageCountMax
            {
                try await store(batch, from: logs.sequence, &logs)
                knownPageCount = 0
            } else {
                note(batch)
            }
            sequence = last
            session.notePull(upTo: sequence)
            // With other channels another pull begins, of its own.
            guard session.query == query, let following = try await next else { break }
            (batch, ahead) = following
        }
    }

    /// What the database calls a pull, and keeps its checkpoint under.
    private func stored(_ query: RevisionQuery) -> PullQuery {
        PullQuery(channels: query.channels, filter: backend.selection)
    }

    /// What the log of a pull is called after.
    private func selection(of query: RevisionQuery) -> [String] {
        [backend.selection] + query.channels.sorted()
    }

    /// Makes the remote known, and lets a pull go on by the log of a release that knew no remotes by revisions.
    ///
    /// Without a record nothing of the remote was ever forgotten, so that its log speaks of what is here.
    ///
    /// - Parameters:
    ///   - databaseName: What the database is called in the names of logs.
    ///   - transaction: The transaction.
    /// - Throws: What the database throws when it cannot be written.
    func makeKnown(_ databaseName: String, in transaction: Transaction) throws {
        let (remote, query) = (backend.identifier, session.query)
        let isKnown = try RemoteRecord.find(remote, in: transaction) != nil
        let tables = try RemoteTables.byRevisions(remote, in: transaction)
        let name = logName(of: .serverToClient, selection(of: query), databaseName)
        guard !isKnown,
            let reached = try RevisionTables.log(name, in: transaction)?.entries.first?.sequence
        else { return }
        try tables.setCheckpoint(Checkpoint(upTo: reached), of: stored(query))
    }

    /// Whether a pull may go on by its log: not after all checkpoints of the remote were removed.
    ///
    /// One that may not gets a checkpoint without a token, which is gone when they are removed meanwhile.
    private func hasCheckpoint(of query: RevisionQuery) async throws -> Bool {
        let (identifier, stored) = (backend.identifier, stored(query))
        let (hasToken, isThere) = try database.read { snapshot in
            let tables = try RemoteTables(
                RemoteRecord.find(identifier, in: snapshot), in: snapshot)
            return (
                try tables.checkpoint(of: stored).token != nil,
                try tables.hasCheckpoint(of: stored)
            )
        }
        if hasToken || isThere { return hasToken }
        try await database.write { transaction in
            let tables = try RemoteTables.byRevisions(identifier, in: transaction)
            try tables.setCheckpoint(Checkpoint(carriesAttachments: true), of: stored)
        }
        return false
    }

    private mutating func store(
        _ batch: RevisionBatch, from sequence: JSONValue?, _ logs: inout Logs
    ) async throws {
        let ready = try await RevisionContents(
            database: database, backend: backend,
            concurrentRequestsMax: session.configuration.concurrentRequestsMax
        ).ready(batch.fetched)
        summary.attachmentsDownloaded += ready.fetchedCount
        let (revisions, faults) = (ready.revisions, batch.faults + ready.faults)
        var counts = batch.counts
        counts.read = revisions.count
        let (cycle, known, stored, read) = (self, logs, revisions, counts)
        let (found, query) = (faults, self.stored(batch.query))
        let (outcome, log) = try await database.write { transaction in
            let tables = try RemoteTables.byRevisions(cycle.backend.identifier, in: transaction)
            var (outcome, counts) = (Outcome(faults: found), read)
            for revision in stored {
                try Self.store(
                    revision, from: cycle.backend.identifier, tables, &outcome, in: transaction)
            }
            counts.written = outcome.storedCount
            counts.failed = outcome.faults.count
            try cycle.setAside(batch, &outcome, query, in: tables)
            let end = batch.feed.last
            try Self.setCheckpoint(end, of: query, in: tables)
            let log = cycle.log(after: known, from: sequence, to: end, counts)
            try RevisionTables.setLog(log, known.name, in: transaction)
            return (outcome, log)
        }
        summary.pulled += outcome.storedCount
        conflictedIds.formUnion(outcome.conflictedIds)
        summary.skipped += outcome.setAside.count
        for item in outcome.setAside { session.report(.setAside(item)) }
        note(batch)
        try await confirm(log, &logs, said: backend.commit())
    }

    /// Notes where a pull goes on.
    ///
    /// - Throws: ``ReplicationError`` when the checkpoints of the remote were removed since it began: documents may have
    ///   been purged that it has passed by.
    private static func setCheckpoint(
        _ sequence: JSONValue, of query: PullQuery, in tables: RemoteTables
    ) throws {
        guard try tables.hasCheckpoint(of: query) else {
            throw ReplicationError(
                .busy,
                "The documents of the remote were purged during the replication, which begins again."
            )
        }
        try tables.setCheckpoint(Checkpoint(upTo: sequence), of: query)
    }

    /// Lists what cannot be documents here, and takes off the list what can be by now.
    private func setAside(
        _ batch: RevisionBatch, _ outcome: inout Outcome, _ query: PullQuery,
        in tables: RemoteTables
    ) throws {
        let identifier = backend.identifier
        var ids: Set<String> = []
        if !outcome.faults.isEmpty {
            let leaves = Dictionary(batch.feed.changes.map { ($0.id, $0.revisions) }) { $1 }
            for (id, fault) in outcome.faults where ids.insert(id).inserted {
                let row = SetAsideRow(
                    fault, id: id, version: leaves[id]?.joined(separator: " "), source: query.hash,
                    at: session.configuration.now())
                if let row = try tables.setFault(row, SetAsideKey(id: id)) {
                    outcome.setAside.append(SetAsideItem(remote: identifier, row: row))
                }
            }
        }
        guard try tables.hasFaults() else { return }
        // Also what the batch before set aside.
        for change in batch.feed.changes where !ids.contains(change.id) {
            let key = SetAsideKey(id: change.id)
            if try tables.fault(key) != nil { try tables.removeFault(key) }
        }
    }

    private mutating func note(_ batch: RevisionBatch) {
        summary.received += batch.feed.changes.count
        session.report(
            .receiving(
                received: summary.received,
                total: summary.received + (batch.feed.pendingCount ?? 0)))
    }

    /// What a transaction did with a batch.
    private struct Outcome: Sendable {
        var storedCount = 0
        var conflictedIds: Set<String> = []
        var faults: [(id: String, fault: ItemFault)]
        /// What was set aside and was not before.
        var setAside: [SetAsideItem] = []
    }

    private static func store(
        _ ready: ReadyRevision, from origin: String, _ tables: RemoteTables,
        _ outcome: inout Outcome, in transaction: Transaction
    ) throws {
        let id = ready.revision.id
        do {
            guard try ready.store(from: origin, tables, in: transaction) else { return }
        } catch let error as DatabaseError {
            guard let fault = ItemFault(refusing: error) else { throw error }
            outcome.faults.append((id, fault))
            return
        }
        outcome.storedCount += 1
        if try transaction.revisionTree(of: id)?.isConflicted == true {
            outcome.conflictedIds.insert(id)
        }
    }
}

extension Checkpoint {
    /// The checkpoint of a pull by revisions.
    fileprivate init(upTo sequence: JSONValue) {
        let text = String(decoding: JSONText.text(of: sequence), as: UTF8.self)
        self.init(token: PullToken(text), carriesAttachments: true)
    }
}
