public import Foundation

extension Database {
    /// Removes documents as if they had never been, tombstones too.
    ///
    /// Unlike a deletion, a purge leaves nothing and is passed on to nobody: a replication may bring
    /// the document back. Indexes, observed queries, and the change delegate learn of it.
    ///
    /// - Parameter ids: The identifiers; those of no document are passed over.
    /// - Returns: The identifiers among `ids` that there were documents or tombstones of.
    /// - Throws: ``DatabaseError`` when the store cannot take it; then all of them are still there.
    @discardableResult
    public func purge(documentsWithIds ids: [String]) async throws -> [String] {
        try await write { try $0.purge(documentsWithIds: ids) }
    }

    /// Says when a document is to be purged, without making a revision of it.
    ///
    /// Another way is to set ``Document/MetaData/expirationDate`` and save. While the database is
    /// open, a document is purged when its date comes (within a minute, should the device's clock
    /// be set); one that is overdue when the database is opened, then.
    ///
    /// - Parameters:
    ///   - date: When; nil for never.
    ///   - id: The document.
    /// - Throws: ``DatabaseError`` with `documentNotFound`, or when the store cannot take it.
    public func setExpirationDate(_ date: Date?, ofDocumentWithId id: String) async throws {
        try await write { try $0.setExpirationDate(date, ofDocumentWithId: id) }
    }
}
