#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

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

    /// Copies a snapshot of the environment into another directory, while it is in use.
    ///
    /// The copy is flushed before this returns. A copy that fails is removed.
    ///
    /// - Parameters:
    ///   - path: A directory; made if absent, and it must hold no data file.
    ///   - compacting: Leaves free pages out: slower, smaller.
    ///   - progress: Told bytes copied and bytes of the file, at the beginning and at the end: the
    ///     engine copies in one call.
    /// - Throws: ``LMDBError`` with `diskFull`, `permission`, `system(EEXIST)` for a directory that
    ///   has a data file, or as ``read(_:_:)``.
    package func copy(
        to path: String, compacting: Bool,
        progress: ((_ bytesCopied: Int, _ bytesTotal: Int) -> Void)? = nil
    ) throws {
        try FileSystem.makeDirectory(path)
        let target = path + "/data.mdb"
        guard try FileSystem.status(target) == nil else {
            throw LMDBError(
                code: .system(EEXIST), operation: "copy", path: path,
                message: "The directory holds a database already; choose another one.")
        }
        try read("copy") { _ in
            let bytes = try (engine.info().pageLast + 1) * engine.pageSize()
            progress?(0, bytes)
            do throws(LMDBError) {
                try engine.copy(to: path, compacting: compacting)
                try FileSystem.restrict(target)
                try FileSystem.flush(target)
                try FileSystem.flushDirectory(path)
                try FileSystem.flushDirectory(path + "/..")
            } catch {
                // Somebody else's file, made since we looked, is not ours to remove.
                if error.code != .system(EEXIST) { FileSystem.remove(target) }
                throw error
            }
            progress?(bytes, bytes)
        }
    }
}
