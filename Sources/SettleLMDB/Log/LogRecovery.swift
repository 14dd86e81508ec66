#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Brings a data file to the state that its log says, before anybody opens it.
///
/// Whoever opens first does it, always: a file whose process has died is put back to its storage checkpoint, and the
/// records are carried out again under the transactions they had. Broken off at any point it begins anew.
struct LogRecovery {
    let directory: String
    let options: EnvironmentOptions
    /// Whether a data file that holds nothing yet is begun anew.
    let create: Bool

    /// Whether there is a log that says that its data file does not stand by itself.
    ///
    /// - Throws: ``LMDBError`` with `corrupted` when the data file says so, and the log is not there.
    func isLive() throws(LMDBError) -> Bool {
        if let log = try LogFile.open(in: directory, isReadOnly: true) {
            return try log.head()?.state == .live
        }
        // Who removes the log clears the mark before; one that was made meanwhile is looked at again.
        guard try pages().contains(where: { $0.mark.session != 0 }) else { return false }
        let isThere = try LogFile.open(in: directory, isReadOnly: true) != nil
        guard isThere else { throw missing("is not there") }
        return try isLive()
    }

    /// Recovers, when the log wants it; no other process may have the file open, or open it meanwhile.
    ///
    /// - Throws: ``LMDBError``: `invalid` for a log that does not fit the file, `corrupted` for a file whose log is
    ///   gone or damaged, both of which are left as they are; `versionMismatch`, `diskFull`, or as the system
    ///   reports it.
    func run() throws(LMDBError) {
        if create, try FileSystem.status(data)?.sizeBytes == 0 { return try removeLogOfNone() }
        let pages = try pages()
        let isUnderLog = pages.contains { $0.mark.session != 0 }
        guard let log = try LogFile.open(in: directory, isReadOnly: false) else {
            if isUnderLog { throw missing("is not there") }
            return
        }
        guard let head = try log.head() else {
            if isUnderLog { throw missing("holds nothing that can be read") }
            return
        }
        guard head.state == .live else {
            guard isUnderLog else { return }
            guard pages.allSatisfy({ $0.mark.identifier == head.identifier }) else {
                throw missing("belongs to another data file")
            }
            _ = try log.makeDurable(head)
            return try clearSession(head, pageSizeBytes: pages[0].meta.pageSizeBytes)
        }
        try requireFit(head, pages)
        try recover(head, log)
    }

    /// Removes a log without a data file: what a removal of both has left that was broken off.
    private func removeLogOfNone() throws(LMDBError) {
        let path = directory + "/" + LogLayout.name
        guard try FileSystem.status(path) != nil else { return }
        FileSystem.remove(path)
        // Before the new file has anything that the log does not fit.
        try FileSystem.flushDirectory(directory)
    }

    private struct MetaPage {
        let meta: DataFile.Meta
        let mark: DataMark
    }

    /// The meta pages that can be read; one may be damaged where the log puts it back.
    private func pages() throws(LMDBError) -> [MetaPage] {
        guard let found = try FileSystem.status(data), found.sizeBytes > 0 else { return [] }
        return try DataFile.reading(data) { (file) throws(LMDBError) in
            var pages: [MetaPage] = []
            var pageSize = FileSystem.pageSizeBytes
            for number in 0..<2 {
                let offset = UInt64(number * pageSize)
                guard let meta = try? file.meta(at: offset),
                    let bytes = try file.bytes(at: offset, count: DataFile.metaSizeBytes)
                else { continue }
                pageSize = meta.pageSizeBytes
                pages.append(MetaPage(meta: meta, mark: DataMark(ofPage: bytes)))
            }
            return pages
        }
    }

    private var data: String { directory + "/data.mdb" }

    /// A file that was under this log at its checkpoint has both pages marked, and one at least as new.
    private func requireFit(_ head: LogHead, _ pages: [MetaPage]) throws(LMDBError) {
        let newest = pages.map(\.meta.transaction).max() ?? 0
        let isNewEnough =
            newest >= head.checkpoint || (pages.count == 1 && newest + 1 == head.checkpoint)
        guard !pages.isEmpty, isNewEnough,
            pages.allSatisfy({
                $0.mark.identifier == head.identifier
                    && $0.meta.pageSizeBytes == head.pageSizeBytes
            })
        else {
            throw LMDBError(
                code: .invalid, operation: "recover", path: directory,
                message: "The log \(LogLayout.name) holds commits of another data file than "
                    + "data.mdb beside it, or of a later state of it; both were left as they are. "
                    + "Put the two back that belong together, or restore a backup and remove "
                    + "\(LogLayout.name).")
        }
    }

    private func missing(_ what: String) -> LMDBError {
        LMDBError(
            code: .corrupted, operation: "open", path: directory,
            message:
                "The database was not closed, and data.mdb needs its log \(LogLayout.name), which "
                + "\(what). Put the log back, or restore the database from a backup.")
    }

    private func recover(_ head: LogHead, _ log: LogFile) throws(LMDBError) {
        let head = try log.makeDurable(head)
        let used = try FileSystem.status(data)?.sizeBytes ?? 0
        // Address space only. The checkpoint's pages are kept meanwhile, so more than the file has is needed.
        var mapSize = max(options.mapSizeInitial, 2 * used + 8 * head.segmentBytes)
        mapSize = (mapSize + 0xFFFF) & ~0xFFFF
        while true {
            do throws(LMDBError) {
                return try attempt(head, log, mapSize: mapSize)
            } catch {
                guard error.code == .mapFull, mapSize <= Int.max / 4 else { throw error }
                mapSize *= 2
            }
        }
    }

    private func attempt(_ head: LogHead, _ log: LogFile, mapSize: Int) throws(LMDBError) {
        if !options.logFaults.contains(.replayTwice) { try restore(head) }
        let engine = try openEngine(mapSize)
        defer { engine.close() }
        let last = try replay(head, log, engine)
        if !options.logFaults.contains(.noDataFlush) { try engine.sync() }
        try log.write(head.cleaned(checkpoint: last, generation: head.generation + 1))
        try log.flush()
        try DataMark(identifier: head.identifier, session: 0).write(
            try engine.dataDescriptor(), pageSizeBytes: head.pageSizeBytes, path: directory)
    }

    private func restore(_ head: LogHead) throws(LMDBError) {
        try withData { (descriptor) throws(LMDBError) in
            try MetaPages.restore(
                head.meta, transaction: head.checkpoint,
                mark: DataMark(identifier: head.identifier, session: head.session), descriptor,
                pageSizeBytes: head.pageSizeBytes, path: directory, faults: options.logFaults)
        }
    }

    private func clearSession(_ head: LogHead, pageSizeBytes: Int) throws(LMDBError) {
        try withData { (descriptor) throws(LMDBError) in
            try DataMark(identifier: head.identifier, session: 0).write(
                descriptor, pageSizeBytes: pageSizeBytes, path: directory)
        }
    }

    private func withData(_ body: (Int32) throws(LMDBError) -> Void) throws(LMDBError) {
        let descriptor = open(data, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw LMDBError(result: errno, operation: "recover", path: directory)
        }
        defer { close(descriptor) }
        try body(descriptor)
    }

    private func openEngine(_ mapSize: Int) throws(LMDBError) -> EngineEnvironment {
        let lock = directory + "/lock.mdb"
        let found = try FileSystem.status(lock)
        try FileSystem.reserve(lock, bytes: LockFile.sizeBytes(readersMax: options.readersMax))
        if found == nil { FileSystem.adoptAccess(of: data, for: lock) }
        let engine = try EngineEnvironment.create(path: directory)
        do throws(LMDBError) {
            try engine.configure(
                readersMax: options.readersMax, tablesMax: options.tablesMax, mapSize: mapSize)
            try engine.open(
                isReadOnly: false, isWithoutLocks: false, durability: options.durability)
            try engine.setFlushing(false)
            return engine
        } catch {
            engine.close()
            throw error
        }
    }

    /// Carries the records out; gives the last transaction.
    private func replay(
        _ head: LogHead, _ log: LogFile, _ engine: EngineEnvironment
    ) throws(LMDBError) -> UInt64 {
        // Should this be broken off, the checkpoint's pages must still be there.
        let pin = try engine.begin(isReadOnly: true)
        defer { pin.abort() }
        var scan = LogScan(head, faults: options.logFaults) { (offset, count) throws(LMDBError) in
            try log.bytes(at: offset, count: count)
        }
        var replay = LogReplay(engine: engine, faults: options.logFaults)
        var last = head.checkpoint
        while let record = try scan.next() {
            try replay.carryOut(record)
            last = record.transaction
        }
        return last
    }
}

/// Carries records out, each in a transaction of its own.
private struct LogReplay {
    let engine: EngineEnvironment
    let faults: CommitLogFaults
    private var tables: [String: UInt32] = [:]

    init(engine: EngineEnvironment, faults: CommitLogFaults) {
        self.engine = engine
        self.faults = faults
    }

    mutating func carryOut(_ record: LogRecord) throws(LMDBError) {
        guard let changes = record.changes() else { throw broken("holds what is no change") }
        let handle = try engine.begin(isReadOnly: false)
        do throws(LMDBError) {
            guard handle.number == record.transaction || faults.contains(.replayTwice) else {
                throw broken("has a transaction that does not follow on the checkpoint")
            }
            for change in changes { try carryOut(change, handle) }
        } catch {
            handle.abort()
            throw error
        }
        try handle.commit()
    }

    private mutating func carryOut(
        _ change: LogChange, _ handle: EngineTransaction
    ) throws(LMDBError) {
        switch change {
        case .put(let table, let key, let value):
            _ = try handle.put(
                value, for: key, in: slot(of: table, handle), .replacing, atEnd: false)
        case .delete(let table, let key):
            _ = try handle.delete(key, in: slot(of: table, handle))
        case .clear(let table):
            try handle.drop(slot(of: table, handle), removing: false)
        }
    }

    private mutating func slot(
        of table: String, _ handle: EngineTransaction
    ) throws(LMDBError) -> UInt32 {
        if let known = tables[table] { return known }
        let slot = try handle.openTable(named: table, create: false)
        tables[table] = slot
        return slot
    }

    private func broken(_ what: String) -> LMDBError {
        LMDBError(
            code: .corrupted, operation: "recover", path: engine.path,
            message:
                "A record of the log \(LogLayout.name) \(what); restore the database from a backup."
        )
    }
}
