#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EnvironmentOpening {
    /// Tells the other processes what this one is about to do, and finds out whether it may.
    ///
    /// A reader that cannot be listed in lock.mdb reads without locks. Nothing would keep a writer
    /// from using its pages again, so the two exclude each other: each first marks the data file
    /// and then looks for the other's mark, so at least one of them sees the other.
    ///
    /// - Parameter lock: The lock on the data file, shared.
    /// - Returns: Whether to read without locks.
    /// - Throws: ``LMDBError`` with `inUse` when the database is being written and can be read only
    ///   without locks, or is read without locks for longer than an opening for writing waits.
    func announce(_ lock: FileLock) throws(LMDBError) -> Bool {
        guard options.isReadOnly else {
            _ = lock.announce(.writing)
            try waitForReadersWithoutLocks(lock)
            return false
        }
        if options.isLockFileUsable ?? LockFile.isUsable(in: directory) {
            _ = lock.announce(.reading)
            return false
        }
        guard lock.announce(.readingWithoutLocks) else {
            throw inUse(
                "lock.mdb may not be written here, and the file system cannot tell whether a "
                    + "process writes the database. Give this user the right to write lock.mdb.")
        }
        let holder = LockFile.holder(in: directory)
        // One that has the engine open without having marked the file is another program's.
        guard !lock.isAnnounced(.writing), holder == nil || lock.isAnnounced(.reading) else {
            let number = holder.flatMap { $0 > 0 ? " (process \($0))" : nil } ?? ""
            throw inUse(
                "Another process\(number) has the database open for writing. Without the right to "
                    + "write lock.mdb it cannot be read meanwhile: give this user that right, or "
                    + "try again when the other has ended.")
        }
        return true
    }

    private func waitForReadersWithoutLocks(_ lock: FileLock) throws(LMDBError) {
        let limit = ContinuousClock.now.advanced(by: .seconds(options.readersWithoutLocksSeconds))
        while lock.isAnnounced(.readingWithoutLocks) {
            guard ContinuousClock.now < limit else {
                throw inUse(
                    "Another process reads the database without locks, because it may not write "
                        + "lock.mdb, so nothing can be written meanwhile. Try again when it has "
                        + "ended, or give its user the right to write lock.mdb.")
            }
            usleep(EnvironmentTuning.markCheckMicroseconds)
        }
    }

    private func inUse(_ message: String) -> LMDBError {
        LMDBError(code: .inUse, operation: "open", path: directory, message: message)
    }
}
