import Settle
import Synchronization

extension RevisionCycle {
    /// A revision that may be sent.
    private struct Offer: Sendable {
        let id: String
        let leaf: RevisionLeaf
    }

    /// Brings to the remote what it lacks of the changes made here, batch by batch.
    mutating func push() async throws {
        let hasDesigns = backend.hasDesignDocuments
        var logs = try await logs(of: .clientToServer, hasDesigns ? ["designs"] : [])
        let begun = logs.sequence
        // What came from the remote is not offered to it again. A remote that lacks our log may have lost what it sent,
        // but not what it sent in this cycle.
        let (remote, isWhole) = (backend.identifier, logs.isWhole)
        let fetchedAfter = sequenceBefore ?? .max
        var sequence = begun?.integerValue.flatMap { UInt64(exactly: $0) } ?? 0
        var logged = sequence
        try await offerAgain(upTo: sequence)
        while true {
            try Task.checkCancellation()
            let limit = session.configuration.pageSize
            let (changes, offers, noted) = try database.read { snapshot in
                let changes = try snapshot.changes(since: sequence, limit: limit)
                let tables = try RemoteTables(
                    RemoteRecord.find(remote, in: snapshot), in: snapshot)
                let offers = try changes.changes.flatMap { change -> [Offer] in
                    if change.isPurged { return [] }
                    if !hasDesigns, DocumentIdentifier.isDesign(change.documentId) { return [] }
                    let leaves = try snapshot.leaves(of: change.documentId)
                    let isFetched = leaves.count == 1 && change.sequence > fetchedAfter
                    return leaves.filter { $0.origin != remote || !isWhole && !isFetched }
                        .map { Offer(id: change.documentId, leaf: $0) }
                }
                return (changes, offers, try RevisionOutcome(of: changes.changes, tables))
            }
            var outcome = noted
            if !offers.isEmpty { try await send(offers, &outcome) }
            sequence = changes.lastSequence
            let isLast = changes.changes.count < limit
            // What came from the remote needs no entry for each batch.
            if sequence > logged, isLast || !offers.isEmpty {
                let log = log(
                    after: logs, from: .integer(Int64(logged)), to: .integer(Int64(sequence)),
                    outcome.counts)
                let (name, reached, kept) = (logs.name, sequence, outcome)
                try await database.write { transaction in
                    try RevisionTables.setLog(log, name, in: transaction)
                    try Self.keep(kept, upTo: reached, remote, in: transaction)
                }
                try await confirm(log, &logs)
                logged = sequence
            } else if !outcome.isEmpty {
                // Not kept in memory until there is an entry: there may be many such pages.
                let kept = outcome
                try await database.write { try Self.keep(kept, upTo: nil, remote, in: $0) }
            }
            if isLast { return }
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
            var outcome = RevisionOutcome(ids: Set(offers.map(\.id)))
            try await send(offers, &outcome)
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

    private mutating func send(_ offers: [Offer], _ outcome: inout RevisionOutcome) async throws {
        var revisions: [String: [String]] = [:]
        for offer in offers { revisions[offer.id, default: []].append(offer.leaf.revision) }
        outcome.counts.checked += offers.count
        let missing = try await backend.missing(revisions)
        let wanted = offers.filter {
            missing[$0.id]?.revisions.contains($0.leaf.revision) == true
        }
        outcome.counts.found += wanted.count
        // One that is no leaf any more has a change behind this one.
        let remote = backend.identifier
        var sent = try database.read { snapshot in
            let tables = try RemoteTables(RemoteRecord.find(remote, in: snapshot), in: snapshot)
            return try wanted.compactMap { offer -> SentRevision? in
                guard
                    let document = try snapshot.document(offer.id, atRevision: offer.leaf.revision)
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
