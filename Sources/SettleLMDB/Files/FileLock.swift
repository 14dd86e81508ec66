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
    /// Waits while another process exchanges the file, and then takes the new one's.
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
            let flags =
                (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC | (create ? O_CREAT : 0)
            let descriptor = open(path, flags, mode_t(EnvironmentTuning.fileMode))
            guard descriptor >= 0 else {
                throw LMDBError(result: errno, operation: "open", path: path)
            }
            if !isReadOnly, flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                do throws(LMDBError) {
                    try whileAlone()
                } catch {
                    Self.close(descriptor)
                    throw error
                }
            }
            let isHeld = wait(descriptor)
            guard let identity = identity(of: descriptor) else {
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

    /// Takes the lock of a file that nobody else can have opened yet.
    init(owning descriptor: Int32, path: String) throws(LMDBError) {
        self.descriptor = descriptor
        isHeld = Self.wait(descriptor)
        guard let identity = Self.identity(of: descriptor) else {
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
        Self.close(descriptor)
    }

    private static func wait(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_SH) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    private static func identity(of descriptor: Int32) -> FileSystem.Identity? {
        var buffer = stat()
        guard fstat(descriptor, &buffer) == 0 else { return nil }
        return FileSystem.Identity(
            device: UInt64(truncatingIfNeeded: buffer.st_dev), inode: UInt64(buffer.st_ino))
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            Darwin.close(descriptor)
        #else
            Glibc.close(descriptor)
        #endif
    }
}
