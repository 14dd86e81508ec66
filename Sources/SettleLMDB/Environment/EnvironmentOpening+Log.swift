#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EnvironmentOpening {
    /// Takes the lock on the data file, which is then as its commit log says.
    ///
    /// A file whose log is live was left by a process that has ended without closing it, unless somebody who says that he
    /// has found it recovered, or has recovered it, has it open still. The first is put right by who has it alone. Of the
    /// second no power failure has been since, so it is sound.
    ///
    /// - Returns: The lock, shared.
    /// - Throws: ``LMDBError`` of ``FileLock/share(_:isReadOnly:create:whileAlone:)`` and ``LogRecovery/run()``; `readOnly`
    ///   when the file must be recovered and is opened for reading; `inUse` when others keep it open meanwhile.
    func lockRecovered() throws(LMDBError) -> FileLock {
        let data = directory + "/data.mdb"
        let recovery = LogRecovery(directory: directory, options: options, create: create)
        let deadline = ContinuousClock.now + .seconds(EnvironmentTuning.recoveryWaitSeconds)
        var lookCount = 0
        while true {
            let lock = try FileLock.share(
                data, isReadOnly: options.isReadOnly, create: create && !options.isReadOnly
            ) { () throws(LMDBError) in
                // Left by a compaction, or a copy into here, that a crash has ended.
                FileSystem.remove(directory + "/" + FileSystem.compactingName)
                FileSystem.remove(directory + "/" + FileSystem.copyingName)
                try recovery.run()
            }
            do throws(LMDBError) {
                let isLive = try recovery.isLive()
                if !isLive || lock.isAnnounced(.recovered) {
                    _ = lock.announce(.recovered)
                    return lock
                }
                lookCount += 1
                try requirePatience(lookCount, until: deadline)
            } catch {
                lock.release()
                throw error
            }
            // Without the lock: somebody wants the file alone, to recover it.
            lock.release()
            usleep(EnvironmentTuning.markCheckMicroseconds)
        }
    }

    private func requirePatience(
        _ lookCount: Int, until deadline: ContinuousClock.Instant
    ) throws(LMDBError) {
        if options.isReadOnly {
            guard lookCount > EnvironmentTuning.recoveryCheckCountMax else { return }
            throw LMDBError(
                code: .readOnly, operation: "open", path: directory,
                message:
                    "The database was not closed when it was last written, and its log must be "
                    + "carried out first: open it for writing once.")
        }
        guard ContinuousClock.now > deadline else { return }
        throw LMDBError(
            code: .inUse, operation: "open", path: directory,
            message:
                "The database was not closed when it was last written, and has to be recovered, "
                + "but another process keeps it open; try again when that has ended.")
    }

    /// The commit log of the environment that is opened; nil for reading.
    func log(_ lock: FileLock) -> LogKeeper? {
        guard !options.isReadOnly else { return nil }
        return LogKeeper(
            directory: directory, options: options,
            // Marking once more tells whether the system has marks.
            isPossible: lock.isHeld && lock.announce(.recovered))
    }
}
