public import Foundation
import SettleStorage

/// Sizes, counts, and readers of a database at one moment.
public struct DatabaseStatistics: Sendable {
    /// A table of the database and its size.
    public struct Table: Sendable {
        /// Its name; Docs/Formats/Store.md says what each holds.
        public let name: String
        /// Its number of rows.
        public let rowCount: Int
        /// The bytes of the pages it takes.
        public let sizeBytes: Int
    }

    /// A read of this process that is under way.
    public struct Reader: Sendable {
        /// What it was begun for.
        public let name: String
        /// How long it has been under way.
        public let age: Duration
        /// True when it is older than a minute: as long as it lasts, the file can only grow.
        public let isLong: Bool
    }

    /// The sequence of the last change.
    public let lastSequence: UInt64
    /// Documents that are not deleted.
    public let documentCount: Int
    /// Tombstones.
    public let tombstoneCount: Int
    /// Documents with a date at which they are purged.
    public let expiringDocumentCount: Int
    /// The earliest of these dates.
    public let nextExpirationDate: Date?
    /// Documents purged since the database was opened, because their date had come.
    public let expiredDocumentCount: Int
    /// Documents with more than one leaf that is no deletion (``Snapshot/conflicts(of:)``).
    public let conflictedDocumentCount: Int
    /// Leaves of revision trees that lost, deletions included.
    public let lostLeafCount: Int
    /// Contents of attachments, each counted once, those that are only described included.
    public let attachmentContentCount: Int
    /// Contents that were stored for a document and that no document has taken yet.
    public let waitingContentCount: Int
    /// Bytes of a page.
    public let pageSizeBytes: Int
    /// Pages of the file, free ones included.
    public let pagesUsed: Int
    /// Pages of the file that can be used again.
    public let pagesFree: Int
    /// Bytes of the file.
    public var fileSizeBytes: Int { pagesUsed * pageSizeBytes }
    /// Readers of all processes.
    public let readerCount: Int
    /// The tables, by name.
    public let tables: [Table]
    /// The reads of this process that are under way, the oldest first.
    public let readers: [Reader]
}

extension Database {
    /// Counts sizes, rows, and readers.
    ///
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read.
    /// - Complexity: A few page reads for each table, and one for each list of free pages.
    public func statistics() throws -> DatabaseStatistics {
        let found = try DatabaseError.translating { try store.statistics() }
        return DatabaseStatistics(
            lastSequence: found.lastSequence, documentCount: found.liveCount,
            tombstoneCount: found.deletedCount, expiringDocumentCount: found.expirationCount,
            nextExpirationDate: found.nextExpiration.map(Date.init),
            expiredDocumentCount: expirations.purgedCount,
            conflictedDocumentCount: found.conflictedCount, lostLeafCount: found.lostLeafCount,
            attachmentContentCount: found.contentCount, waitingContentCount: found.uploadCount,
            pageSizeBytes: found.pageSizeBytes, pagesUsed: found.pagesUsed,
            pagesFree: found.pagesFree, readerCount: found.readerSlotsUsed,
            tables: found.tables.map {
                DatabaseStatistics.Table(
                    name: $0.name, rowCount: $0.rowCount, sizeBytes: $0.sizeBytes)
            },
            readers: found.readers.map {
                DatabaseStatistics.Reader(
                    name: $0.name, age: .seconds($0.ageSeconds), isLong: $0.isLong)
            })
    }
}
