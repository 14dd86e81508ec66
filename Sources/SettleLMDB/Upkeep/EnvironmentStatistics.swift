/// Sizes and readers of an environment at one moment.
package struct EnvironmentStatistics: Sendable {
    /// A read of this process that is under way.
    package struct Reader: Sendable {
        /// The name given to ``Environment/read(_:_:)``.
        package let name: String
        /// How long it has been under way, in seconds of the monotonic clock.
        package let ageSeconds: Double
        /// Whether it is older than `EnvironmentOptions.longReaderSeconds`.
        package let isLong: Bool
    }

    /// A table's size.
    package struct TableSize: Sendable {
        /// The table's name.
        package let name: String
        /// Its number of keys.
        package let entryCount: Int
        /// Bytes of the pages it takes.
        package let sizeBytes: Int
    }

    /// Size of the map, in bytes of address space.
    package let mapSizeBytes: Int
    /// Size of a page, in bytes.
    package let pageSizeBytes: Int
    /// Pages of the file up to the last one used, free ones included.
    package let pagesUsed: Int
    /// Of these, pages free to be used again.
    package let pagesFree: Int
    /// Number of the last committed transaction.
    package let transactionLast: UInt64
    /// Reader slots of the lock file in use by all processes, and how many there are.
    package let readerSlotsUsed: Int
    /// Reader slots there are.
    package let readerSlotsMax: Int
    /// The reads of this process, oldest first; the one that asks is not among them.
    package let readers: [Reader]
    /// The tables, by name.
    package let tables: [TableSize]
}
