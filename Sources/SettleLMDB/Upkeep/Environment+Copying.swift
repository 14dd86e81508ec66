#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Environment {
    /// Copies a snapshot of the environment into another directory, while it is in use.
    ///
    /// The copy is flushed before it gets its name, so a crash leaves it whole or not at all; what
    /// is left of an unfinished one is used again by the next copy into that directory, and removed
    /// by the next open for writing. Processes that copy into one directory wait for each other,
    /// and the first makes the copy.
    ///
    /// - Parameters:
    ///   - path: A directory; made if absent, and it must hold no data file.
    ///   - compacting: Leaves free pages out: slower, smaller.
    ///   - progress: Called with bytes copied and bytes of the file, at the beginning and at the end: the
    ///     engine copies in one call.
    /// - Throws: ``LMDBError`` with `diskFull`, `permission`, `system(EEXIST)` for a directory that
    ///   has a data file, `corrupted` when a compacting copy meets damaged pages, or as
    ///   ``read(_:_:)``.
    package func copy(
        to path: String, compacting: Bool,
        progress: ((_ bytesCopied: Int, _ bytesTotal: Int) -> Void)? = nil
    ) throws {
        try FileSystem.makeDirectory(path)
        let target = path + "/data.mdb"
        try Self.requireNone(at: target, in: path)
        let part = try PartialFile(path + "/" + FileSystem.copyingName)
        defer { part.discard() }
        // Another process may have made one while this one waited.
        try Self.requireNone(at: target, in: path)
        try read("copy") { _ in
            if compacting { try requireSound("copy") }
            let bytes = try (engine.info().pageLast + 1) * engine.pageSize()
            progress?(0, bytes)
            try engine.copy(into: part.descriptor, compacting: compacting)
            // A copy stands by itself, whatever the log of this file says.
            try DataMark.none.write(
                part.descriptor, pageSizeBytes: engine.pageSize(), path: path)
            try part.flush()
            try DirectoryLock.holdingIfPossible(directoryOf: target) { () throws(LMDBError) in
                try Self.requireNone(at: target, in: path)
                // A log without a data file, which a removal has left that was broken off, would be taken for the copy's.
                let log = path + "/" + LogLayout.name
                if try FileSystem.status(log) != nil {
                    FileSystem.remove(log)
                    try FileSystem.flushDirectory(path)
                }
                try part.takeName(target)
            }
            try FileSystem.flushDirectory(path)
            try FileSystem.flushDirectory(path + "/..")
            progress?(bytes, bytes)
        }
    }

    /// Refuses to compact pages that are damaged: the engine would follow them and end the process.
    ///
    /// Called in a read or a write transaction: as long as it lasts, no page of a later commit is
    /// used again.
    ///
    /// - Parameter operation: What is being done, for the error.
    /// - Throws: ``LMDBError`` with `corrupted`, or as the system reports it.
    /// - Complexity: reads every page in use once; memory of a bit a page.
    func requireSound(_ operation: String) throws(LMDBError) {
        let data = path + "/data.mdb"
        let meta = try DataFile.reading(data) { (file) throws(LMDBError) in try file.newerMeta() }
        // Opened again, the file is at least as large as that commit needs.
        let report = try DataFile.reading(data) { (file) throws(LMDBError) in
            try file.verify(meta)
        }
        guard let finding = report.findings.first else { return }
        throw LMDBError(
            code: .corrupted, operation: operation, path: path,
            message: "The data file is damaged and was left as it is: \(finding) Restore the "
                + "database from a backup.")
    }

    private static func requireNone(
        at target: String, in directory: String
    ) throws(LMDBError) {
        guard try FileSystem.status(target) == nil else {
            throw LMDBError(
                code: .system(EEXIST), operation: "copy", path: directory,
                message: "The directory holds a database already; choose another one.")
        }
    }
}

/// A file that is written under another name and gets its own when it is whole and on the disk.
private struct PartialFile {
    let path: String
    let descriptor: Int32

    /// Makes the file, empty; one that is left of a process that has died is emptied.
    ///
    /// Waits while another process writes it. One that has a second name is a whole copy, whose
    /// process died before it could take this name away: that one alone is given up.
    init(_ path: String) throws(LMDBError) {
        while true {
            let descriptor = open(
                path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(EnvironmentTuning.fileMode))
            guard descriptor >= 0 else {
                throw LMDBError(result: errno, operation: "copy", path: path)
            }
            do {
                if try Self.isOurs(descriptor, path) {
                    self.path = path
                    self.descriptor = descriptor
                    return
                }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
    }

    /// Locks and empties an open file; false when it has no longer the name, and has to be opened anew.
    private static func isOurs(_ descriptor: Int32, _ path: String) throws(LMDBError) -> Bool {
        func check(_ result: Int32) throws(LMDBError) {
            if result != 0 { throw LMDBError(result: errno, operation: "copy", path: path) }
        }
        var own = stat()
        var checkCount = 0
        while true {
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            if !isLocked, errno != EWOULDBLOCK, errno != EINTR { try check(-1) }
            var found = stat()
            try check(fstat(descriptor, &own))
            // It was given its name, or removed, while we waited.
            guard stat(path, &found) == 0, own.st_ino == found.st_ino, own.st_dev == found.st_dev
            else { return false }
            // A whole copy that is open as a database is locked for as long as that is: the wait is
            // for the name, and not for the lock.
            let isWhole = own.st_nlink > 1
            if isWhole, isLocked || checkCount > EnvironmentTuning.copyNameCheckCountMax {
                FileSystem.remove(path)
                return false
            }
            if isLocked { break }
            checkCount = isWhole ? checkCount + 1 : 0
            usleep(EnvironmentTuning.copyCheckMicroseconds)
        }
        try check(ftruncate(descriptor, 0))
        return true
    }

    /// Waits until the file is on the disk.
    func flush() throws(LMDBError) {
        guard fsync(descriptor) == 0 else {
            throw LMDBError(result: errno, operation: "copy", path: path)
        }
    }

    /// Gives the file, which was flushed, its name, which nothing may have.
    func takeName(_ target: String) throws(LMDBError) {
        // Unlike rename(2), link(2) never takes the place of another file.
        if link(path, target) == 0 { return }
        guard Self.hasNoLinks(errno), try FileSystem.status(target) == nil,
            rename(path, target) == 0
        else {
            throw LMDBError(result: errno, operation: "copy", path: target)
        }
    }

    /// Whether a file system, FAT for example, has one name for a file and no more.
    private static func hasNoLinks(_ error: Int32) -> Bool {
        [EPERM, ENOSYS, EOPNOTSUPP, ENOTSUP].contains(error)
    }

    /// Takes the first name away and closes the file.
    func discard() {
        FileSystem.remove(path)
        close(descriptor)
    }
}
