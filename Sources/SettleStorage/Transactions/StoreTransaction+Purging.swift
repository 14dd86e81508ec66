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
