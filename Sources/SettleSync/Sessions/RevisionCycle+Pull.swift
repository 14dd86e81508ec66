import Foundation
import Settle

extension RevisionCycle {
    /// A page of changes, and the revisions of it that were not here.
    private struct Batch: Sendable {
        var query: RevisionQuery
        var feed: RevisionFeed
        var fetched: [FetchedRevision] = []
        var faults: [(id: String, fault: ItemFault)] = []
        var counts = LogCounts()
        var isLast = false
    }

    /// Fetches what is new at the remote, batch by batch; the next one comes while one is stored.
    ///
    /// The revisions of a batch and the log that says so are stored in one transaction.
    mutating func pull() async throws {
        let query = session.query
        sequenceBefore = try database.lastSequence
        var logs = try await logs(
            of: .serverToClient, [backend.selection] + query.channels.sorted())
        let source = Source(session: session, query: query)
        var sequence = logs.sequence
        session.notePull(upTo: sequence)
        var batch = try await source.batch(after: sequence)
        while !batch.feed.changes.isEmpty {
            let last = batch.feed.last
            guard last != sequence else {
                throw ReplicationError(
                    .protocolViolation,
                    "The remote shows changes after a sequence, and that they end at the same one.")
            }
            let isLast = batch.isLast
            async let next = isLast ? nil : source.batch(after: last)
            // Pages of what is known need no entry each: they are as soon read again.
            if isLast || !batch.fetched.isEmpty || !batch.faults.isEmpty {
                try await store(batch, from: logs.sequence, &logs)
            } else {
                note(batch)
            }
            sequence = last
            session.notePull(upTo: sequence)
            // With other channels another pull begins, of its own.
            guard session.query == query, let following = try await next else { break }
            batch = following
        }
    }

    private mutating func store(
        _ batch: Batch, from sequence: JSONValue?, _ logs: inout Logs
    ) async throws {
        var (counts, faults) = (batch.counts, batch.faults)
        var revisions: [(revision: ReceivedRevision, attachments: [DocumentAttachment])] = []
        for fetched in batch.fetched {
            switch fetched {
            case .fault(let id, let fault): faults.append((id, fault))
            case .revision(let revision):
                do {
                    revisions.append((revision, try await attachments(of: revision)))
                } catch let fault as AttachmentFault {
                    faults.append((revision.id, fault.fault))
                }
            }
        }
        counts.read = revisions.count
        let (cycle, known, stored, read, end) = (self, logs, revisions, counts, batch.feed.last)
        let faultCount = faults.count
        let (outcome, log) = try await database.write { transaction in
            var (outcome, counts) = (Outcome(), read)
            for (revision, attachments) in stored {
                try Self.store(
                    revision, attachments, from: cycle.backend.identifier, &outcome,
                    in: transaction)
            }
            counts.written = outcome.storedCount
            counts.failed = faultCount + outcome.faults.count
            let log = cycle.log(after: known, from: sequence, to: end, counts)
            try RevisionTables.setLog(log, known.name, in: transaction)
            return (outcome, log)
        }
        faults += outcome.faults
        summary.pulled += outcome.storedCount
        conflictedIds.formUnion(outcome.conflictedIds)
        for (id, fault) in faults { setAside(id, fault) }
        note(batch)
        try await confirm(log, &logs)
    }

    private mutating func note(_ batch: Batch) {
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
        var faults: [(id: String, fault: ItemFault)] = []
    }

    private static func store(
        _ revision: ReceivedRevision, _ attachments: [DocumentAttachment], from origin: String,
        _ outcome: inout Outcome, in transaction: Transaction
    ) throws {
        var document = Document(id: revision.id, packed: revision.members)
        document.attachments = attachments
        do {
            let isNew = try transaction.store(
                document, revisions: revision.path, isDeleted: revision.isDeleted, from: origin)
            guard isNew else { return }
        } catch let error as DatabaseError where Self.concernOneDocument.contains(error.code) {
            outcome.faults.append((revision.id, ItemFault(error.message)))
            return
        }
        outcome.storedCount += 1
        if try transaction.revisionTree(of: revision.id)?.isConflicted == true {
            outcome.conflictedIds.insert(revision.id)
        }
        for (remote, here) in zip(revision.attachments, attachments) {
            guard let name = remote.digest else { continue }
            try RevisionTables.noteContent(name, here.digest, in: transaction)
        }
    }

    private static let concernOneDocument: Set<DatabaseError.Code> = [
        .invalidDocument, .invalidDocumentId, .documentTooLarge, .invalidAttachment,
    ]

    private mutating func setAside(_ id: String, _ fault: ItemFault) {
        summary.skipped += 1
        session.report(
            .setAside(
                SetAsideItem(
                    remote: backend.identifier, id: id, fault,
                    since: session.configuration.now())))
    }

    // MARK: Attachments

    private struct AttachmentFault: Error { let fault: ItemFault }

    /// The attachments of a revision, their content fetched where it did not come along and is not here.
    private mutating func attachments(
        of revision: ReceivedRevision
    ) async throws -> [DocumentAttachment] {
        if revision.attachments.isEmpty { return [] }
        let known = try knownContents(of: revision)
        var attachments: [DocumentAttachment] = []
        for described in revision.attachments {
            if let data = described.data {
                attachments.append(
                    DocumentAttachment(
                        name: described.name, contentType: described.contentType, data: data))
            } else if let (digest, length) = described.digest.flatMap({ known[$0] }) {
                attachments.append(
                    try DocumentAttachment(
                        name: described.name, contentType: described.contentType, length: length,
                        digest: digest))
            } else {
                attachments.append(try await fetch(described, of: revision))
            }
        }
        return attachments
    }

    /// The contents that leaves of the document have here, by what the remote calls them.
    private func knownContents(
        of revision: ReceivedRevision
    ) throws -> [String: (digest: String, length: Int)] {
        try database.read { snapshot in
            var lengths: [String: Int] = [:]
            for leaf in try snapshot.revisionTree(of: revision.id)?.sortedLeaves ?? [] {
                let document = try snapshot.document(
                    revision.id, atRevision: leaf.name.description)
                for attachment in document?.attachments ?? []
                where try attachment.isContentAvailable {
                    lengths[attachment.digest] = attachment.length
                }
            }
            var known: [String: (digest: String, length: Int)] = [:]
            for name in revision.attachments.compactMap(\.digest) {
                guard let digest = try RevisionTables.content(name, in: snapshot),
                    let length = lengths[digest]
                else { continue }
                known[name] = (digest, length)
            }
            return known
        }
    }

    private mutating func fetch(
        _ described: FetchedAttachment, of revision: ReceivedRevision
    ) async throws -> DocumentAttachment {
        let chunks: AsyncThrowingStream<Data, any Error>?
        do {
            chunks = try await backend.content(of: described, revision)
        } catch  where error.code == .responseTooLarge {
            throw AttachmentFault(
                fault: ItemFault(error.message, member: "_attachments"))
        }
        guard let chunks else {
            throw AttachmentFault(
                fault: ItemFault(
                    "The remote does not have the content of an attachment.",
                    member: "_attachments"))
        }
        let attachment = try await database.storeAttachment(
            named: described.name, contentType: described.contentType, chunks: chunks)
        if let length = described.length, length != attachment.length {
            throw ReplicationError(
                .protocolViolation,
                "The content of an attachment is not as long as the remote says.",
                documentId: revision.id)
        }
        summary.attachmentsDownloaded += 1
        return attachment
    }

    // MARK: Reading ahead

    /// Where batches come from.
    private struct Source: Sendable {
        let session: RevisionSession
        let query: RevisionQuery

        /// The next batch: changes, and of those what is not here.
        func batch(after sequence: JSONValue?) async throws -> Batch {
            let limit = session.configuration.pageSize
            let feed = try await session.backend.changes(query, after: sequence, limit: limit)
            var batch = Batch(query: query, feed: feed)
            batch.isLast = feed.pendingCount.map { $0 == 0 } ?? (feed.changes.count < limit)
            let wanted = try wanted(&batch)
            if !wanted.isEmpty { batch.fetched = try await session.backend.fetch(wanted) }
            return batch
        }

        private func wanted(_ batch: inout Batch) throws -> [WantedRevisions] {
            var (counts, faults) = (batch.counts, batch.faults)
            defer { (batch.counts, batch.faults) = (counts, faults) }
            let changes = batch.feed.changes
            return try session.database.read { snapshot in
                try changes.compactMap { change in
                    // Design documents are the remote's own unless they are asked for.
                    if DocumentIdentifier.isDesign(change.id), !session.backend.hasDesignDocuments {
                        return nil
                    }
                    counts.checked += change.revisions.count
                    do throws(DocumentIdentifierError) {
                        try DocumentIdentifier.check(change.id)
                    } catch {
                        faults.append((change.id, ItemFault(error.description)))
                        return nil
                    }
                    let tree = try snapshot.revisionTree(of: change.id)
                    // A selection shows deletions of what it never showed.
                    if change.isDeleted, !query.channels.isEmpty, tree == nil { return nil }
                    let missing = change.revisions.filter { text in
                        guard let name = RevisionName(text) else {
                            faults.append(
                                (change.id, ItemFault("The name of a revision cannot be read.")))
                            return false
                        }
                        return tree?.contains(name) != true
                    }
                    if missing.isEmpty { return nil }
                    counts.found += missing.count
                    return WantedRevisions(id: change.id, revisions: missing)
                }
            }
        }
    }
}
