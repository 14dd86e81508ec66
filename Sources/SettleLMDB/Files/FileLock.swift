#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The lock on a data file that says: this process has it open.
///
/// Everybody who opens the file takes it shared, before the engine opens anything; who exchanges
/// the file takes it alone, so that nobody else can be at work in the old one. It is flock(2),
/// which belongs to the descriptor and does not meet the engine's own locks: those are on lock.mdb
/// and belong to the process.
struct FileLock: Sendable {
    let descriptor: Int32
    /// The file, whatever its path is by now.
    let identity: FileSystem.Identity
    /// Whether the file system has such locks; without them no file is ever exchanged, and no log used.
    let isHeld: Bool

    /// Opens the file at the path and takes its lock.
    ///
    /// Waits while another process exchanges the file, and then takes the new one's; also while one removes it.
    ///
    /// - Parameters:
    ///   - path: The data file.
    ///   - isReadOnly: Whether the descriptor is for reading only.
    ///   - create: Whether an absent file is made, empty.
    ///   - whileAlone: Runs if no other process has the file open, before one can; not for
    ///     reading only.
    /// - Returns: The lock, shared.
    /// - Throws: ``LMDBError`` of opening the file, or what `whileAlone` throws.
    static func share(
        _ path: String, isReadOnly: Bool, create: Bool, whileAlone: () throws(LMDBError) -> Void
    ) throws(LMDBError) -> FileLock {
        while true {
            let descriptor = try openFile(path, isReadOnly: isReadOnly, create: create)
            if !isReadOnly, flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                do throws(LMDBError) {
                    // Of a file that was exchanged or removed since, others may have the next one open.
                    let isThere =
                        try FileSystem.status(path)?.identity
                        == FileSystem.status(of: descriptor)?.identity
                    if isThere { try whileAlone() }
                } catch {
                    Self.close(descriptor)
                    throw error
                }
            }
            let isHeld = wait(descriptor)
            guard let identity = FileSystem.status(of: descriptor)?.identity else {
                let failure = errno
                Self.close(descriptor)
                throw LMDBError(result: failure, operation: "open", path: path)
            }
            let lock = FileLock(descriptor: descriptor, identity: identity, isHeld: isHeld)
            // Exchanged, or removed, while we waited.
            if try FileSystem.status(path)?.identity == identity { return lock }
            lock.release()
        }
    }

    /// Opens the file; one that is not there is made while no removal or copy is under way there.
    private static func openFile(
        _ path: String, isReadOnly: Bool, create: Bool
    ) throws(LMDBError) -> Int32 {
        let flags = (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC
        func opened(_ flags: Int32) throws(LMDBError) -> Int32? {
            let descriptor = open(path, flags, mode_t(EnvironmentTuning.fileMode))
            if descriptor >= 0 { return descriptor }
            if errno == ENOENT { return nil }
            throw LMDBError(result: errno, operation: "open", path: path)
        }
        if let descriptor = try opened(flags) { return descriptor }
        let made =
            try create
            ? DirectoryLock.holdingIfPossible(directoryOf: path) { () throws(LMDBError) in
                // A removal takes the directory with the files.
                if let slash = path.lastIndex(of: "/") {
                    try FileSystem.makeDirectory(String(path[..<slash]))
                }
                return try opened(flags | O_CREAT)
            } : nil
        guard let made else { throw LMDBError(result: ENOENT, operation: "open", path: path) }
        return made
    }

    /// Takes the lock of a file alone, to remove it.
    ///
    /// A process that this one has just started may not yet have let go of what it inherited: therefore it is tried for a
    /// second.
    ///
    /// - Parameter path: The data file.
    /// - Returns: The lock, which counts for nothing where the file system has no such locks; nil when there is no file.
    /// - Throws: ``LMDBError`` with `inUse` when the file is open elsewhere, or as the system reports it.
    static func alone(toRemove path: String) throws(LMDBError) -> FileLock? {
        var lookCount = 0
        while true {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            if descriptor < 0, errno == ENOENT { return nil }
            guard descriptor >= 0 else {
                throw LMDBError(result: errno, operation: "remove", path: path)
            }
            let isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            var isInUse = !isHeld && errno == EWOULDBLOCK
            do throws(LMDBError) {
                let found = try FileSystem.status(path)?.identity
                if !isInUse, let found, found == FileSystem.status(of: descriptor)?.identity {
                    let lock = FileLock(descriptor: descriptor, identity: found, isHeld: isHeld)
                    // Who changes a shared lock for a lone one, or back, has none for a moment; the marks stay.
                    isInUse = lock.isUsedElsewhere()
                    if !isInUse { return lock }
                }
                lookCount += 1
                guard !isInUse || lookCount < EnvironmentTuning.removalCheckCountMax else {
                    throw LMDBError(
                        code: .inUse, operation: "remove", path: path,
                        message: "Another process has the database open; nothing was removed. "
                            + "Close it there and try again.")
                }
            } catch {
                Self.close(descriptor)
                throw error
            }
            Self.close(descriptor)
            if isInUse { usleep(EnvironmentTuning.markCheckMicroseconds) }
        }
    }

    /// Takes the lock of a file that nobody else can have opened yet.
    init(owning descriptor: Int32, path: String) throws(LMDBError) {
        self.descriptor = descriptor
        isHeld = Self.wait(descriptor)
        guard let identity = FileSystem.status(of: descriptor)?.identity else {
            throw LMDBError(result: errno, operation: "open", path: path)
        }
        self.identity = identity
    }

    private init(descriptor: Int32, identity: FileSystem.Identity, isHeld: Bool) {
        self.descriptor = descriptor
        self.identity = identity
        self.isHeld = isHeld
    }

    /// Changes the shared lock for a lone one, if no other process has the file open.
    ///
    /// The change is not one step: for a moment no lock is held. The caller must have the write
    /// transaction, so that no other process can exchange the file in that moment.
    ///
    /// - Returns: Whether it is alone; if not, the lock is shared as before.
    func takeAlone() -> Bool {
        guard isHeld else { return false }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        _ = Self.wait(descriptor)
        return false
    }

    /// Changes a lone lock for a shared one.
    func takeShared() {
        _ = Self.wait(descriptor)
    }

    /// Gives the lock up.
    func release() {
        // Closing alone would not do if the process was forked meanwhile.
        withdraw()
        _ = flock(descriptor, LOCK_UN)
        Self.close(descriptor)
    }

    private static func wait(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_SH) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            Darwin.close(descriptor)
        #else
            Glibc.close(descriptor)
        #endif
    }
}
