import Settle

/// A page of changes of a remote, and the revisions of it that were not here.
struct RevisionBatch: Sendable {
    var query: RevisionQuery
    var feed: RevisionFeed
    var fetched: [FetchedRevision] = []
    var faults: [(id: String, fault: ItemFault)] = []
    /// Whether documents of the page were set aside when it came.
    var hasSetAside = false
    var counts = LogCounts()
    var isLast = false
}

/// Where the batches of a pull come from: the revisions of one, and meanwhile the changes of the one behind it.
struct RevisionSource: Sendable {
    let session: RevisionSession
    let query: RevisionQuery

    /// A batch whose changes were listed ahead.
    ///
    /// That they could not be listed is told when it is asked for, so that it keeps nothing back that comes before.
    typealias Listed = Result<RevisionBatch, any Error>

    /// The first batch, and the changes of the second one; nil when there is none.
    func begin(
        after sequence: JSONValue?
    ) async throws -> (batch: RevisionBatch, ahead: Listed?) {
        try await fetching(listed(after: sequence))
    }

    /// The next batch, and the changes of the one behind it; nil without one.
    func next(_ listed: Listed?) async throws -> (batch: RevisionBatch, ahead: Listed?)? {
        guard let listed else { return nil }
        return try await fetching(listed.get())
    }

    private func fetching(
        _ listed: RevisionBatch
    ) async throws -> (batch: RevisionBatch, ahead: Listed?) {
        let isEnd = listed.isLast || listed.feed.changes.isEmpty
        async let ahead = isEnd ? nil : result(after: listed.feed.last)
        return (try await fetched(listed), await ahead)
    }

    private func result(after sequence: JSONValue?) async -> Listed {
        do {
            return .success(try await listed(after: sequence))
        } catch {
            return .failure(error)
        }
    }

    /// A batch with a page of changes, and none of their revisions yet.
    private func listed(after sequence: JSONValue?) async throws -> RevisionBatch {
        let limit = session.configuration.pageSize
        let feed = try await session.backend.changes(query, after: sequence, limit: limit)
        var batch = RevisionBatch(query: query, feed: feed)
        batch.isLast = feed.pendingCount.map { $0 == 0 } ?? (feed.changes.count < limit)
        return batch
    }

    /// A batch with those of its revisions that are not here.
    private func fetched(_ listed: RevisionBatch) async throws -> RevisionBatch {
        var batch = listed
        let wanted = try wanted(&batch)
        if !wanted.isEmpty { batch.fetched = try await session.backend.fetch(wanted) }
        return batch
    }

    /// The revisions of a page that are not here, and what of it cannot be.
    private func wanted(_ batch: inout RevisionBatch) throws -> [WantedRevisions] {
        var (counts, faults) = (batch.counts, batch.faults)
        defer { (batch.counts, batch.faults) = (counts, faults) }
        let changes = batch.feed.changes
        let remote = session.backend.identifier
        return try session.database.read { snapshot in
            let tables = try RemoteTables(
                RemoteRecord.find(remote, in: snapshot), in: snapshot)
            if try tables.hasFaults() {
                batch.hasSetAside = try changes.contains {
                    try tables.fault(SetAsideKey(id: $0.id)) != nil
                }
            }
            return try changes.compactMap { change in
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
