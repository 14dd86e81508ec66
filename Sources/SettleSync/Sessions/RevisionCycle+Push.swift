import Settle

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
        while true {
            try Task.checkCancellation()
            let limit = session.configuration.pageSize
            let (changes, offers) = try database.read { snapshot in
                let changes = try snapshot.changes(since: sequence, limit: limit)
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
            var counts = LogCounts()
            if !offers.isEmpty { try await send(offers, &counts) }
            sequence = changes.lastSequence
            let isLast = changes.changes.count < limit
            // What came from the remote needs no entry for each batch.
            if sequence > logged, isLast || !offers.isEmpty {
                let log = log(
                    after: logs, from: .integer(Int64(logged)), to: .integer(Int64(sequence)),
                    counts)
                let name = logs.name
                try await database.write { try RevisionTables.setLog(log, name, in: $0) }
                try await confirm(log, &logs)
                logged = sequence
            }
            if isLast { return }
        }
    }

    private mutating func send(_ offers: [Offer], _ counts: inout LogCounts) async throws {
        var revisions: [String: [String]] = [:]
        for offer in offers { revisions[offer.id, default: []].append(offer.leaf.revision) }
        counts.checked = offers.count
        let missing = try await backend.missing(revisions).mapValues { Set($0) }
        let wanted = offers.filter { missing[$0.id]?.contains($0.leaf.revision) == true }
        counts.found = wanted.count
        // One that is no leaf any more has a change behind this one.
        var sent = try database.read { snapshot in
            try wanted.compactMap { offer in
                try snapshot.document(offer.id, atRevision: offer.leaf.revision).map {
                    SentRevision(
                        document: $0, path: [offer.leaf.revision] + offer.leaf.ancestors,
                        isDeleted: offer.leaf.isDeleted)
                }
            }
        }
        if let filter = session.filter, !sent.isEmpty {
            let answers = await filter(sent.map(\.document))
            summary.withheld += answers.count { !$0 }
            sent = zip(sent, answers).filter(\.1).map(\.0)
        }
        counts.read = sent.count
        guard !sent.isEmpty else { return }
        let refused = try await backend.store(sent)
        counts.failed = refused.count
        counts.written = sent.count - refused.count
        summary.rejected += refused.count
        for refusal in refused {
            session.report(.rejected(documentId: refusal.id, reason: refusal.reason))
        }
        summary.pushed += counts.written
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
