import Settle
import Synchronization

extension RevisionCycle {
    /// A revision that may be sent.
    private struct Offer: Sendable {
        let id: String
        let leaf: RevisionLeaf
    }

    /// What the remote lacks of some offers.
    private struct Prepared: Sendable {
        var sent: [SentRevision] = []
        /// The last change of the database when they were read.
        var readAt: UInt64 = 0
        var counts = LogCounts()
        /// The changes that the offers are of.
        var changes: [DocumentChange] = []
        /// The last change that was looked at.
        var sequence: UInt64 = 0
        var isLast = false
    }

    /// Brings to the remote what it lacks of the changes made here, batch by batch; the next one is prepared while one is
    /// stored.
    mutating func push() async throws {
        let hasDesigns = backend.hasDesignDocuments
        var logs = try await logs(of: .clientToServer, hasDesigns ? ["designs"] : [])
        let (remote, begun) = (backend.identifier, logs.sequence)
        var logged = begun?.integerValue.flatMap { UInt64(exactly: $0) } ?? 0
        try await offerAgain(upTo: logged)
        // A remote that lacks our log may have lost what it sent, but not what it sent in this cycle.
        let preparation = Preparation(
            session: session, isWhole: logs.isWhole, fetchedAfter: sequenceBefore ?? .max)
        var batch = try await preparation.batch(after: logged)
        while true {
            try Task.checkCancellation()
            let (sequence, isLast) = (batch.sequence, batch.isLast)
            async let next = isLast ? nil : preparation.batch(after: sequence)
            // What is kept of these documents may be of the batch before.
            var outcome = try database.read { [changes = batch.changes] snapshot in
                let record = try RemoteRecord.find(remote, in: snapshot)
                return try RevisionOutcome(of: changes, RemoteTables(record, in: snapshot))
            }
            try await store(batch, &outcome)
            // What came from the remote needs no entry for each batch.
            if sequence > logged, isLast || batch.counts.checked > 0 {
                let log = log(
                    after: logs, from: .integer(Int64(logged)), to: .integer(Int64(sequence)),
                    outcome.counts)
                let (name, reached, kept) = (logs.name, sequence, outcome)
                let backend = backend
                async let said = backend.commit()
                try await database.write { transaction in
                    try RevisionTables.setLog(log, name, in: transaction)
                    try Self.keep(kept, upTo: reached, remote, in: transaction)
                }
                try await confirm(log, &logs, said: said)
                logged = sequence
            } else if !outcome.isEmpty {
                // Not kept in memory until there is an entry: there may be many such pages.
                let kept = outcome
                try await database.write { try Self.keep(kept, upTo: nil, remote, in: $0) }
            }
            guard let following = try await next else { return }
            batch = following
        }
    }

    /// Offers again what the remote refuses and what the filter delegate holds back, once after the start.
    ///
    /// - Parameter sequence: The feed brings what changed after it.
    /// - Throws: What the database and the remote throw.
    private mutating func offerAgain(upTo sequence: UInt64) async throws {
        guard !session.hasOfferedAgain.load(ordering: .relaxed) else { return }
        let (remote, limit) = (backend.identifier, session.configuration.pageSize)
        var last: String?
        while true {
            let (ids, offers) = try database.read { [last] snapshot in
                let tables = try RemoteTables(
                    RemoteRecord.find(remote, in: snapshot), in: snapshot)
                let ids = try tables.entries(after: last, limit: limit).map(\.id)
                let offers = try ids.flatMap { id -> [Offer] in
                    guard let change = try snapshot.lastChange(of: id),
                        change.sequence <= sequence
                    else { return [] }
                    return try snapshot.leaves(of: id).filter { $0.origin != remote }
                        .map { Offer(id: id, leaf: $0) }
                }
                return (ids, offers)
            }
            guard let end = ids.last else { break }
            last = end
            if offers.isEmpty { continue }
            let preparation = Preparation(session: session, isWhole: true, fetchedAfter: .max)
            var outcome = RevisionOutcome(ids: Set(offers.map(\.id)))
            try await store(try await preparation.prepare(offers), &outcome)
            let kept = outcome
            try await database.write { try Self.keep(kept, upTo: nil, remote, in: $0) }
        }
        session.hasOfferedAgain.store(true, ordering: .relaxed)
    }

    /// Keeps what did not get through, and forgets it of documents that did.
    ///
    /// - Parameters:
    ///   - outcome: What came of offers.
    ///   - sequence: Up to where all changes were offered; nil when that is not new.
    ///   - remote: The remote.
    ///   - transaction: The transaction.
    /// - Throws: What the database throws when it cannot be written.
    private static func keep(
        _ outcome: RevisionOutcome, upTo sequence: UInt64?, _ remote: String,
        in transaction: Transaction
    ) throws {
        if let sequence {
            var record = try RemoteRecord.findOrMake(remote, in: transaction, byRevisions: true)
            record.checkpoint = sequence
            try record.write(remote, in: transaction)
        }
        let tables = try RemoteTables.byRevisions(remote, in: transaction)
        for note in outcome.stored { try tables.setNote(note, in: transaction) }
        for id in outcome.purgedIds { try tables.removeNote(ofDocumentWithId: id, in: transaction) }
        for id in outcome.changedIds {
            let old = try tables.entry(id)
            let entry = try entry(of: id, outcome, in: transaction)
            if entry != old { try tables.setEntry(entry, id, replacing: old) }
        }
    }

    /// The entry of a document that did not get through; nil for one that did, or is not here any more.
    private static func entry(
        of id: String, _ outcome: RevisionOutcome, in transaction: Transaction
    ) throws -> PendingChange? {
        let rejection = outcome.refused[id]
        guard rejection != nil || outcome.withheld.contains(id),
            let last = try transaction.lastChange(of: id), !last.isPurged
        else { return nil }
        let isFirst = last.revision.hasPrefix("1-")
        var entry = PendingChange(
            queued: last.isDeleted ? .delete : isFirst ? .insert : .update, order: last.sequence)
        if let rejection { entry.reject(rejection) } else { entry.status = .withheld }
        return entry
    }

    /// Brings to the remote what was prepared, and counts it.
    private mutating func store(
        _ batch: Prepared, _ outcome: inout RevisionOutcome
    ) async throws {
        outcome.counts = batch.counts
        var sent = batch.sent
        if !sent.isEmpty, try database.lastSequence != batch.readAt {
            // What was purged or followed meanwhile does not go; what followed has a change behind this one.
            sent = try database.read { snapshot in
                try sent.filter { revision in
                    let name = RevisionName(revision.path[0])
                    let tree = try snapshot.revisionTree(of: revision.document.id)
                    return name.flatMap { tree?.leaf($0) } != nil
                }
            }
        }
        if let filter = session.filter, !sent.isEmpty {
            let answers = await filter(sent.map(\.document))
            summary.withheld += answers.count { !$0 }
            for (revision, isSent) in zip(sent, answers) where !isSent {
                outcome.withheld.insert(revision.document.id)
            }
            sent = zip(sent, answers).filter(\.1).map(\.0)
        }
        outcome.counts.read += sent.count
        guard !sent.isEmpty else { return }
        let refused = try await backend.store(sent)
        outcome.counts.failed += refused.count
        outcome.counts.written += sent.count - refused.count
        summary.rejected += refused.count
        for refusal in refused {
            outcome.refused[refusal.id] = refusal.rejection
            session.report(.rejected(documentId: refusal.id, reason: refusal.rejection.reason))
        }
        outcome.stored += sent.filter { outcome.refused[$0.document.id] == nil }
            .compactMap { AttachmentNote($0.document, $0.path[0]) }
        summary.pushed += sent.count - refused.count
        session.report(.sending(sent: summary.pushed, total: summary.pushed))
    }

    // MARK: Reading ahead

    /// Finds what is to be sent.
    private struct Preparation: Sendable {
        let session: RevisionSession
        /// Whether the remote has all that it sent.
        let isWhole: Bool
        /// What changed after it came from the remote in this cycle, when it has one leaf.
        let fetchedAfter: UInt64

        /// What the remote lacks of the next changes made here.
        func batch(after sequence: UInt64) async throws -> Prepared {
            let limit = session.configuration.pageSize
            let (remote, hasDesigns) = (session.remote, session.backend.hasDesignDocuments)
            let (changes, offers) = try session.database.read { snapshot in
                let changes = try snapshot.changes(since: sequence, limit: limit)
                // What came from the remote is not offered to it again.
                let offers = try changes.changes.flatMap { change -> [Offer] in
                    if change.isPurged { return [] }
                    if !hasDesigns, DocumentIdentifier.isDesign(change.documentId) { return [] }
                    let leaves = try snapshot.leaves(of: change.documentId)
                    let isFetched = leaves.count == 1 && change.sequence > fetchedAfter
                    return leaves.filter { $0.origin != remote || !isWhole && !isFetched }
                        .map { Offer(id: change.documentId, leaf: $0) }
                }
                return (changes, offers)
            }
            var batch = try await prepare(offers)
            batch.changes = changes.changes
            batch.sequence = changes.lastSequence
            batch.isLast = changes.changes.count < limit
            return batch
        }

        /// What the remote lacks of some offers.
        func prepare(_ offers: [Offer]) async throws -> Prepared {
            var prepared = Prepared()
            guard !offers.isEmpty else { return prepared }
            var revisions: [String: [String]] = [:]
            for offer in offers { revisions[offer.id, default: []].append(offer.leaf.revision) }
            prepared.counts.checked = offers.count
            let missing = try await session.backend.missing(revisions)
            let wanted = offers.filter {
                missing[$0.id]?.revisions.contains($0.leaf.revision) == true
            }
            prepared.counts.found = wanted.count
            // One that is no leaf any more has a change behind this one.
            let remote = session.remote
            (prepared.sent, prepared.readAt) = try session.database.read { snapshot in
                let tables = try RemoteTables(
                    RemoteRecord.find(remote, in: snapshot), in: snapshot)
                let sent = try wanted.compactMap { offer -> SentRevision? in
                    guard
                        let document = try snapshot.document(
                            offer.id, atRevision: offer.leaf.revision)
                    else { return nil }
                    var revision = SentRevision(
                        document: document, path: [offer.leaf.revision] + offer.leaf.ancestors,
                        isDeleted: offer.leaf.isDeleted)
                    if !document.attachments.isEmpty {
                        revision.knownAttachments = try tables.knownAttachments(
                            of: document, after: offer.leaf.ancestors,
                            among: missing[offer.id]?.ancestors ?? [])
                    }
                    return revision
                }
                return (sent, snapshot.sequence)
            }
            return prepared
        }
    }

    /// Has the conflict handler decide what was pulled into conflict, and counts what is left.
    mutating func resolve() async throws {
        let handler = session.configuration.conflictHandler
        if !handler.isPassive {
            for conflicted in try database.conflictedDocuments() {
                do {
                    if try await database.resolveConflicts(of: conflicted.id, with: handler) {
                        summary.conflictsResolved += 1
                        conflictedIds.remove(conflicted.id)
                    }
                } catch let error as DatabaseError {
                    throw error
                } catch {
                    try Task.checkCancellation()
                    session.report(
                        .conflictHandlerFailed(documentId: conflicted.id, error: error))
                }
            }
        }
        for id in conflictedIds.sorted() { session.report(.conflict(documentId: id)) }
        summary.conflicts = try database.read { try $0.conflictedDocumentCount }
    }
}
