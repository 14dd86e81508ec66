import SettlePrimitives

extension Environment {
    /// Counts sizes, readers and tables.
    ///
    /// - Returns: The statistics of a snapshot.
    /// - Throws: ``LMDBError`` as ``read(_:_:)``.
    /// - Complexity: O(t + f) page reads, for t tables and f pages that list free ones.
    package func statistics() throws -> EnvironmentStatistics {
        let now = ContinuousClock.now
        let readers = monitor.withLock { $0.active }
            .sorted { $0.start < $1.start }
            .map { reader in
                let age = (now - reader.start) / .seconds(1)
                return EnvironmentStatistics.Reader(
                    name: reader.name, ageSeconds: age, isLong: age > options.longReaderSeconds)
            }
        return try read("statistics") { transaction in
            let info = try engine.info()
            let pageSize = try engine.pageSize()
            return EnvironmentStatistics(
                mapSizeBytes: info.mapSizeBytes,
                pageSizeBytes: pageSize,
                pagesUsed: info.pageLast + 1,
                pagesFree: try freePages(transaction.live),
                transactionLast: info.transactionLast,
                readerSlotsUsed: info.readerSlotsUsed,
                readerSlotsMax: info.readerSlotsMax,
                readers: readers,
                tables: try transaction.tableNames().compactMap { name in
                    guard let table = try transaction.table(named: name) else { return nil }
                    let size = try transaction.live.size(of: transaction.require(table))
                    return EnvironmentStatistics.TableSize(
                        name: name, entryCount: size.entryCount,
                        sizeBytes: size.pageCount * pageSize)
                })
        }
    }

    /// Adds up the lists of free pages: table 0, whose values begin with their length.
    private func freePages(_ handle: EngineTransaction) throws(LMDBError) -> Int {
        let cursor = try handle.cursor(in: 0)
        defer { cursor.close() }
        var count = 0
        var entry = try cursor.first()
        while let found = entry {
            if found.value.count >= MemoryLayout<Int>.size {
                count += found.value.loadUnaligned(as: Int.self)
            }
            entry = try cursor.next()
        }
        return count
    }
}
