import SettlePrimitives

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a compaction has done.
package struct Compaction: Sendable, Equatable {
    /// Bytes of the data file before.
    package let bytesBefore: Int
    /// Bytes of the data file after.
    package let bytesAfter: Int
}

extension Environment {
    /// Replaces the data file by a copy without free pages, whose pages are full, while it is in use.
    ///
    /// Writers wait from the beginning to the end, those of other processes too. Readers of this
    /// process go on while the copy is made; at the end all of them must have ended once, and new
    /// ones wait for the exchange. Every ``Table`` stays valid.
    ///
    /// A crash at any moment leaves the old file or the new one, whole: the copy is flushed before
    /// it takes the name, and the directory after it. What a crash leaves of a copy is removed by
    /// the next open for writing. No other process may have the database open when the files are
    /// exchanged; one that opens it in that moment waits and gets the new file. A program that does
    /// not lock data.mdb, such as the engine's own tools, is not noticed: it would go on with the
    /// old file.
    ///
    /// - Parameter progress: Called with bytes copied and bytes of the file, at the beginning and at the
    ///   end.
    /// - Returns: The sizes before and after.
    /// - Throws: ``LMDBError``: `inUse` when another process has the database open, or the file
    ///   system has no locks; `readersBusy` when readers of this process do not end in time;
    ///   `diskFull`; `corrupted` when pages are damaged (use `verifyPages`); `readOnly`,
    ///   `closed`. The old file is there as before, unless the text says that the environment was
    ///   closed.
    /// - Complexity: reads every entry and writes it once; memory of some megabytes.
    @available(*, noasync, message: "A write transaction belongs to one thread.")
    @discardableResult
    package func compact(
        progress: ((_ bytesCopied: Int, _ bytesTotal: Int) -> Void)? = nil
    ) throws(LMDBError) -> Compaction {
        try requireUsable("compact")
        guard !options.isReadOnly else {
            throw LMDBError(
                code: .readOnly, operation: "compact", path: path,
                message: "The database was opened for reading only.")
        }
        try enterWriter("compact")
        defer { leaveWriter() }
        // Held until the exchange: no other process commits into the file that goes away.
        let writing = try beginExclusive()
        var isWriting = true
        defer { if isWriting { writing.abort() } }
        try requireAlone()
        holder.fileLock?.takeShared()
        // The new file has nothing to do with what the log holds of the old one.
        try log?.end(under: writing, engine)

        try requireSound("compact")
        let data = path + "/data.mdb"
        let before = try FileSystem.status(data)?.sizeBytes ?? 0
        progress?(0, before)
        // Known before the snapshot of the copy begins.
        try openUnknownTables()
        let copy = try CompactCopy.make(of: engine, in: path) { (reading) throws(LMDBError) in
            try ownTables(in: reading)
        }
        var isExchanged = false
        defer { if !isExchanged { copy.discard() } }
        let mapSize = try engine.info().mapSizeBytes
        try withoutReaders("compact") { () throws(LMDBError) in
            try OpenEnvironments.shared.exchangeFile(of: self) { () throws(LMDBError) in
                try requireAlone()
                defer { holder.fileLock?.takeShared() }
                isWriting = false
                writing.abort()
                let lock = try copy.lock(for: options)
                do throws(LMDBError) {
                    try reopenEngine(mapSize: mapSize) { () throws(LMDBError) in
                        try copy.takeName(data)
                        isExchanged = true
                        // Else a power failure could bring the old file back, without what is
                        // committed from now on.
                        try FileSystem.flushDirectory(path)
                    }
                } catch {
                    lock.release()
                    if isExchanged {
                        holder.close()
                        monitor.withLock { $0.isClosed = true }
                        throw error.closing
                    }
                    throw error
                }
                holder.exchange(lock)
            }
        }
        progress?(before, before)
        return Compaction(
            bytesBefore: before, bytesAfter: try FileSystem.status(data)?.sizeBytes ?? 0)
    }

    /// The handles of all tables of a snapshot; nil when one of them, or an entry beside them, is not ours.
    private func ownTables(
        in reading: EngineTransaction
    ) throws(LMDBError) -> [(name: String, handle: UInt32)]? {
        let known = monitor.withLock { $0.tables }
        var tables: [(name: String, handle: UInt32)] = []
        for name in try names(in: reading) {
            guard let table = known[name], let handle = slots.handle(of: table) else { return nil }
            tables.append((name, handle))
        }
        let count = try reading.size(of: mainSlot).entryCount
        return tables.count == count ? tables : nil
    }

    private func beginExclusive() throws(LMDBError) -> EngineTransaction {
        while true {
            do throws(LMDBError) {
                return try engine.begin(isReadOnly: false)
            } catch {
                guard error.code == .mapResized else { throw error }
                try adoptMapSize()
            }
        }
    }

    /// Takes the file's lock alone; the write transaction must be held.
    private func requireAlone() throws(LMDBError) {
        guard holder.fileLock?.takeAlone() == true else {
            throw LMDBError(
                code: .inUse, operation: "compact", path: path,
                message: "Another process has the database open, or the file system cannot tell; "
                    + "close it there and compact again.")
        }
    }
}

/// The new file of a compaction, from its making to its taking the name of the old one.
private struct CompactCopy {
    let path: String
    let directory: String
    let descriptor: Int32

    static func make(
        of engine: EngineEnvironment, in directory: String,
        tables: (EngineTransaction) throws(LMDBError) -> [(name: String, handle: UInt32)]?
    ) throws(LMDBError) -> CompactCopy {
        let path = directory + "/" + FileSystem.compactingName
        FileSystem.remove(path)
        let descriptor = open(
            path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(EnvironmentTuning.fileMode))
        guard descriptor >= 0 else {
            throw LMDBError(result: errno, operation: "compact", path: directory)
        }
        let copy = CompactCopy(path: path, directory: directory, descriptor: descriptor)
        do throws(LMDBError) {
            // The write transaction is held, so this is the number of the snapshot copied.
            let transaction = try engine.info().transactionLast
            try fill(path, descriptor, from: engine, tables)
            try MetaPages.renumber(descriptor, transaction: transaction, path: directory)
            try FileSystem.copyAccess(
                from: engine.dataDescriptor(), to: descriptor, path: directory)
            guard fsync(descriptor) == 0 else {
                throw LMDBError(result: errno, operation: "compact", path: directory)
            }
        } catch {
            copy.discard()
            throw error
        }
        return copy
    }

    private static func fill(
        _ path: String, _ descriptor: Int32, from engine: EngineEnvironment,
        _ tables: (EngineTransaction) throws(LMDBError) -> [(name: String, handle: UInt32)]?
    ) throws(LMDBError) {
        let reading = try engine.begin(isReadOnly: true)
        defer { reading.abort() }
        // The engine makes a file with the pages of the system, and the copy is to have those of this file.
        let isOfSystem = try engine.pageSize() == sysconf(Int32(_SC_PAGESIZE))
        if isOfSystem, let tables = try tables(reading) {
            try engine.fill(path, with: tables, of: reading)
        } else {
            // What is no table of ours, or has no handle, is copied with its pages as they are.
            try engine.copy(into: descriptor, compacting: true)
        }
    }

    /// The lock that the environment holds on the file from now on.
    func lock(for options: EnvironmentOptions) throws(LMDBError) -> FileLock {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else {
            throw LMDBError(result: errno, operation: "compact", path: directory)
        }
        let lock = try FileLock(owning: own, path: directory)
        _ = lock.announce(.writing)
        _ = lock.announce(.recovered)
        if let namespace = options.processNamespace { _ = lock.meetsForeigner(of: namespace) }
        return lock
    }

    func takeName(_ data: String) throws(LMDBError) {
        guard rename(path, data) == 0 else {
            throw LMDBError(result: errno, operation: "compact", path: directory)
        }
        close(descriptor)
    }

    func discard() {
        close(descriptor)
        FileSystem.remove(path)
    }
}
