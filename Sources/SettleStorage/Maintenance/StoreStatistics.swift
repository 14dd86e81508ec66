package import SettleDocuments
import SettleLMDB

/// Sizes, counts, and readers of a store at one moment.
package struct StoreStatistics: Sendable {
    /// A table and its size.
    package struct Table: Sendable {
        /// Its name in the store.
        package let name: String
        /// Its number of rows.
        package let rowCount: Int
        /// The bytes of the pages it takes.
        package let sizeBytes: Int
    }

    /// A read of this process that is under way.
    package struct Reader: Sendable {
        /// What it was begun for.
        package let name: String
        /// How long it has been under way, in seconds.
        package let ageSeconds: Double
        /// True when it is older than readers should get.
        package let isLong: Bool
    }

    /// The sequence of the last change.
    package let lastSequence: UInt64
    /// Documents that are not deleted.
    package let liveCount: Int
    /// Tombstones.
    package let deletedCount: Int
    /// Documents with a date at which they are purged.
    package let expirationCount: Int
    /// The earliest of these dates.
    package let nextExpiration: Timestamp?
    /// Documents with more than one leaf that is no deletion.
    package let conflictedCount: Int
    /// Leaves of revision trees that lost, deletions included.
    package let lostLeafCount: Int
    /// Contents of attachments, described ones included.
    package let contentCount: Int
    /// Uploads that no document has taken yet.
    package let uploadCount: Int
    /// Bytes of a page.
    package let pageSizeBytes: Int
    /// Pages of the file, free ones included.
    package let pagesUsed: Int
    /// Pages of the file that can be used again.
    package let pagesFree: Int
    /// Slots for readers in use, by all processes.
    package let readerSlotsUsed: Int
    /// The tables, by name.
    package let tables: [Table]
    /// The reads of this process, the oldest first.
    package let readers: [Reader]
}

extension Store {
    /// Counts sizes, rows, and readers.
    ///
    /// - Throws: ``StorageError`` when the store is closed or cannot be read.
    package func statistics() throws -> StoreStatistics {
        try read("statistics") { snapshot in
            let engine = try environment.statistics()
            return StoreStatistics(
                lastSequence: snapshot.lastSequence, liveCount: snapshot.liveCount,
                deletedCount: snapshot.deletedCount,
                expirationCount: try snapshot.expirationCount,
                nextExpiration: try snapshot.nextExpiration,
                conflictedCount: try snapshot.conflictedCount,
                lostLeafCount: try snapshot.lostLeafCount,
                contentCount: try snapshot.reader.count(of: snapshot.tables.contents.contents),
                uploadCount: try snapshot.reader.count(of: snapshot.tables.contents.uploads),
                pageSizeBytes: engine.pageSizeBytes, pagesUsed: engine.pagesUsed,
                pagesFree: engine.pagesFree, readerSlotsUsed: engine.readerSlotsUsed,
                tables: engine.tables.map {
                    StoreStatistics.Table(
                        name: $0.name, rowCount: $0.entryCount, sizeBytes: $0.sizeBytes)
                },
                readers: engine.readers.filter { $0.name != "statistics" }.map {
                    StoreStatistics.Reader(
                        name: $0.name, ageSeconds: $0.ageSeconds, isLong: $0.isLong)
                })
        }
    }
}
