#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The steps from a directory to an open environment.
struct EnvironmentOpening {
    let directory: String
    let options: EnvironmentOptions
    let create: Bool

    /// Looks at the files, then lets the engine open them.
    ///
    /// - Parameter dataFile: What lies at the data file's path now.
    /// - Returns: An environment with all its tables' handles open.
    /// - Throws: ``LMDBError``; files made here are removed again.
    func run(dataFile: FileSystem.Status?) throws(LMDBError) -> Environment {
        try makeOrRequireDirectory(dataFile)
        if !options.allowsNetworkFileSystem { try FileSystem.requireLocal(directory) }
        let lock = try lockRecovered()
        do throws(LMDBError) {
            let isWithoutLocks = try announce(lock)
            // The number of a process matters only in the list of readers.
            if !isWithoutLocks { try requireOwnNamespace(lock) }
            return try open(lock, isNew: dataFile == nil, isWithoutLocks: isWithoutLocks)
        } catch {
            lock.release()
            throw error
        }
    }

    private func requireOwnNamespace(_ lock: FileLock) throws(LMDBError) {
        guard let namespace = options.processNamespace, lock.meetsForeigner(of: namespace),
            !options.allowsForeignProcessNamespace
        else { return }
        throw ProcessNamespace.error(directory)
    }

    private func open(
        _ lock: FileLock, isNew: Bool, isWithoutLocks: Bool
    ) throws(LMDBError) -> Environment {
        let meta = try DataFile.check(directory + "/data.mdb")
        if meta == nil, !isNew, !create {
            throw LMDBError(
                code: .invalid, operation: "open", path: directory,
                message: "The data file is empty: it was never finished, or was emptied by "
                    + "somebody. Restore it from a backup, or remove it to begin anew.")
        }
        if meta == nil { try beginAnew(lock) }
        let engine = try EngineEnvironment.create(path: directory)
        do throws(LMDBError) {
            return try open(engine, lock, meta, isWithoutLocks: isWithoutLocks)
        } catch {
            engine.close()
            if meta == nil, !options.isReadOnly, lock.takeAlone() { removeUnfinishedFiles() }
            throw error
        }
    }

    /// Empties a file that a power failure has left at its creation: the engine takes it for damaged.
    ///
    /// When another process has it open, that is creating it at this moment. So it seems too while a process that
    /// this one has just started has not yet let go of what it inherited: therefore it is tried for a second.
    private func beginAnew(_ lock: FileLock) throws(LMDBError) {
        var isAlone = lock.takeAlone()
        for _ in 0..<100 where !isAlone {
            guard try DataFile.check(directory + "/data.mdb") == nil else { return }
            usleep(EnvironmentTuning.markCheckMicroseconds)
            isAlone = lock.takeAlone()
        }
        guard isAlone else { return }
        defer { lock.takeShared() }
        if try FileSystem.status(directory + "/data.mdb")?.sizeBytes ?? 0 > 0 {
            try DataFile.empty(directory + "/data.mdb")
        }
    }

    private func makeOrRequireDirectory(_ dataFile: FileSystem.Status?) throws(LMDBError) {
        if dataFile?.isDirectory == true {
            throw LMDBError(
                code: .invalid, operation: "open", path: directory,
                message: "data.mdb is a directory and not a data file; check the path.")
        }
        if dataFile != nil { return }
        let isThere = try FileSystem.status(directory) != nil
        guard create, !options.isReadOnly else {
            throw LMDBError(
                code: isThere ? .notFound : .noSuchDirectory, operation: "open", path: directory,
                message: isThere
                    ? "There is no database in the directory; open with create to make one."
                    : "The directory does not exist; open with create to make it.")
        }
        try FileSystem.makeDirectory(directory)
    }

    private func open(
        _ engine: EngineEnvironment, _ lock: FileLock, _ meta: DataFile.Meta?,
        isWithoutLocks: Bool
    ) throws(LMDBError) -> Environment {
        guard engine.keySizeMax >= EnvironmentTuning.keySizeMax else {
            throw LMDBError(
                code: .versionMismatch, operation: "open", path: directory,
                message: "This build of the engine takes keys of \(engine.keySizeMax) bytes only, "
                    + "and 511 are needed; install the usual build of LMDB.")
        }
        try engine.configure(
            readersMax: options.readersMax, tablesMax: options.tablesMax, mapSize: mapSize(meta))
        let lockFile = directory + "/lock.mdb"
        let lockFound = try FileSystem.status(lockFile)
        if !isWithoutLocks {
            try FileSystem.reserve(
                lockFile, bytes: LockFile.sizeBytes(readersMax: options.readersMax))
        }
        try engine.open(
            isReadOnly: options.isReadOnly, isWithoutLocks: isWithoutLocks,
            durability: options.durability)
        // Made by root, it would shut the owner of the database out.
        if lockFound == nil, !isWithoutLocks {
            FileSystem.adoptAccess(of: directory + "/data.mdb", for: lockFile)
        }
        if !options.isReadOnly {
            // A meta page that was put back after a failed write must be on the disk before a page
            // is written that the failed one points to.
            try engine.sync()
            if meta == nil {
                // Else the file itself may be gone after a power failure, whatever was flushed.
                try FileSystem.flushDirectory(directory)
                try FileSystem.flushDirectory(directory + "/..")
            }
        }
        try engine.checkReaders()
        try requireFitPages(engine)
        let names = try engine.beginFirstRead()
        let mainSlot: UInt32
        do throws(LMDBError) {
            mainSlot = try names.openTable(named: nil, create: false)
        } catch {
            names.abort()
            throw error
        }
        try names.commit()
        let environment = Environment(
            path: directory, options: options, isWithoutLocks: isWithoutLocks,
            holder: EngineHolder(engine, lock), mainSlot: mainSlot, log: log(lock))
        try environment.openAllTables()
        return environment
    }

    private func requireFitPages(_ engine: EngineEnvironment) throws(LMDBError) {
        let size = try engine.pageSize()
        guard !options.isReadOnly, !EngineEnvironment.version.canWrite(pageSizeBytes: size)
        else { return }
        throw LMDBError(
            code: .versionMismatch, operation: "open", path: directory,
            message: "The file has pages of \(size) bytes, into which LMDB "
                + "\(Environment.engineVersion) cannot write every key; install LMDB 0.9.30 or "
                + "newer, or open with isReadOnly.")
    }

    /// The first size: as asked, doubled until the file has room to grow, at least the file.
    private func mapSize(_ meta: DataFile.Meta?) -> Int {
        guard let meta else { return options.mapSizeInitial }
        let used = Int(clamping: (meta.pageLast + 1) * UInt64(meta.pageSizeBytes))
        var size = options.mapSizeInitial
        while size / 2 < used, size <= options.mapSizeMax / 2 { size *= 2 }
        return max(size, used)
    }

    /// Takes away what a failed creation left, so that the next try begins anew.
    private func removeUnfinishedFiles() {
        guard
            let found = try? FileSystem.status(directory + "/data.mdb"),
            found.sizeBytes < 2 * FileSystem.pageSizeBytes
        else { return }
        FileSystem.remove(directory + "/data.mdb")
        FileSystem.remove(directory + "/lock.mdb")
    }
}
