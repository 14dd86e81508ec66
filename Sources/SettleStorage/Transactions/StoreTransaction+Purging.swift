package import SettleDocuments
import SettleLMDB

extension StoreTransaction {
    /// Removes a document, or its tombstone, as if it had never been.
    ///
    /// No tombstone is left and nothing is passed on. The purge itself has a sequence, so that
    /// indexes and whoever follows the changes take the document out.
    ///
    /// - Returns: The record that was there; nil when there was none.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError`` when the engine cannot.
    @discardableResult
    package func purge(_ id: String) throws -> DocumentRecord? {
        guard let existing = try record(id) else { return nil }
        let key = Array(id.utf8)
        try displaceHolds(of: existing, key: key)
        try removeTraces(of: existing, key: key)
        try removeTree(of: existing, key: key)
        try writer.delete(key, from: tables.documents)
        counters.lastSequence += 1
        let sequence = counters.lastSequence
        if let forgotten = try tables.purges.append(key, sequence: sequence, in: writer) {
            counters.purgesForgotten = forgotten
        }
        note(
            RecordChange(
                id: id, sequence: sequence, revision: existing.revision, isDeleted: true,
                isPurged: true, origin: nil), before: existing)
        return existing
    }

    /// Removes leaves of a document, with the revisions that only they came from, as if they had never been.
    ///
    /// What is left has a sequence of its own, so that whoever follows the changes sees the leaf that wins now. Without a
    /// leaf left it is a purge of the document.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - names: Revisions; those that are no leaves do not count.
    /// - Returns: The leaves that were removed, the one that won first.
    /// - Throws: As ``purge(_:)``.
    @discardableResult
    package func purge(
        _ id: String, leaves names: Set<RevisionName>
    ) throws -> [RevisionName] {
        guard let existing = try record(id) else { return [] }
        var tree = try self.tree(of: id, existing)
        let purged = tree.sortedLeaves.map(\.name).filter(names.contains)
        guard !purged.isEmpty else { return [] }
        for name in purged { tree.remove(name) }
        if tree.isEmpty {
            try purge(id)
        } else {
            try store(nil, in: tree, of: id, replacing: existing)
        }
        return purged
    }

    /// Says when a document is to be purged, without making a revision of it.
    ///
    /// - Parameters:
    ///   - date: When; nil for never.
    ///   - id: The document.
    /// - Throws: ``StorageError/documentNotFound(id:)`` when there is no live document;
    ///   ``LMDBError`` when the engine cannot.
    package func setExpiration(_ date: Timestamp?, of id: String) throws {
        guard var record = try record(id), !record.isDeleted else {
            throw StorageError.documentNotFound(id: id)
        }
        let key = Array(id.utf8)
        try moveExpiration(of: key, from: record.expiration, to: date)
        record.expiration = date
        try write(record, for: key)
    }
}
