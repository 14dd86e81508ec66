#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What we ask the operating system about directories and files.
enum FileSystem {
    /// A file whatever its path: links and renames do not change it.
    struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    struct Status {
        let identity: Identity
        let sizeBytes: Int
        let isDirectory: Bool
        /// Whether it has a name; one that was removed while it was open has none.
        let hasName: Bool

        fileprivate init(_ buffer: stat) {
            identity = Identity(
                device: UInt64(truncatingIfNeeded: buffer.st_dev), inode: UInt64(buffer.st_ino))
            sizeBytes = Int(buffer.st_size)
            isDirectory = buffer.st_mode & S_IFMT == S_IFDIR
            hasName = buffer.st_nlink > 0
        }
    }

    /// The name of a compaction's new file until it takes the old one's.
    static let compactingName = "data.mdb.compacting"
    /// The name of a copy until it is whole.
    static let copyingName = "data.mdb.copying"

    /// The system's page size, which a new data file takes.
    static var pageSizeBytes: Int { Int(getpagesize()) }

    /// What lies at the path, symlinks followed; nil when nothing does.
    static func status(_ path: String) throws(LMDBError) -> Status? {
        var buffer = stat()
        guard stat(path, &buffer) == 0 else {
            if errno == ENOENT { return nil }
            throw LMDBError(result: errno, operation: "look up", path: path)
        }
        return Status(buffer)
    }

    /// What is open under a descriptor, whatever its path is by now; nil, with `errno`, when the system does not tell.
    static func status(of descriptor: Int32) -> Status? {
        var buffer = stat()
        return fstat(descriptor, &buffer) == 0 ? Status(buffer) : nil
    }

    /// Makes the directory and those above it, for the owner alone.
    static func makeDirectory(_ path: String) throws(LMDBError) {
        if let found = try status(path) {
            guard found.isDirectory else {
                throw LMDBError(result: ENOTDIR, operation: "make directory", path: path)
            }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeDirectory(String(path[..<slash]))
        }
        guard mkdir(path, mode_t(EnvironmentTuning.directoryMode)) == 0 || errno == EEXIST else {
            throw LMDBError(result: errno, operation: "make directory", path: path)
        }
    }

    /// Gives a file the owner and the mode of the one whose place it will take.
    ///
    /// - Parameters:
    ///   - old: The descriptor of the file that has them.
    ///   - new: The descriptor of the file that gets them.
    ///   - path: The environment's directory, for the error.
    /// - Throws: ``LMDBError`` with `permission` when the owner cannot be given, or as the system
    ///   reports it.
    static func copyAccess(
        from old: Int32, to new: Int32, path: String
    ) throws(LMDBError) {
        func check(_ result: Int32) throws(LMDBError) {
            if result != 0 { throw LMDBError(result: errno, operation: "compact", path: path) }
        }
        var wanted = stat()
        var found = stat()
        try check(fstat(old, &wanted))
        try check(fstat(new, &found))
        if wanted.st_uid != found.st_uid || wanted.st_gid != found.st_gid {
            try check(fchown(new, wanted.st_uid, wanted.st_gid))
        }
        try check(fchmod(new, wanted.st_mode & 0o7777))
    }

    /// Gives a file the owner and the mode of another, as far as this process may.
    ///
    /// By their paths: closing a descriptor of the lock file would drop the engine's locks on it.
    static func adoptAccess(of model: String, for path: String) {
        var wanted = stat()
        var found = stat()
        guard stat(model, &wanted) == 0, stat(path, &found) == 0 else { return }
        if wanted.st_uid != found.st_uid || wanted.st_gid != found.st_gid {
            _ = chown(path, wanted.st_uid, wanted.st_gid)
        }
        if wanted.st_mode != found.st_mode { _ = chmod(path, wanted.st_mode & 0o7777) }
    }

    static func remove(_ path: String) {
        unlink(path)
    }

    /// Gives the lock file its blocks before the engine maps it.
    ///
    /// The engine makes it sparse; on a full device its first write through the map would end
    /// the process with SIGBUS. A larger file than the engine wants is only a few more slots.
    static func reserve(_ path: String, bytes: Int) throws(LMDBError) {
        #if canImport(Glibc)
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(EnvironmentTuning.fileMode))
            guard file >= 0 else {
                throw LMDBError(result: errno, operation: "open lock file", path: path)
            }
            defer { close(file) }
            let result = posix_fallocate(file, 0, off_t(bytes))
            // Some file systems cannot reserve; then the sparse file has to do.
            guard result == 0 || result == EOPNOTSUPP || result == EINVAL else {
                throw LMDBError(result: result, operation: "make lock file", path: path)
            }
        #endif
    }

    /// Flushes the names in a directory to the device.
    static func flushDirectory(_ path: String) throws(LMDBError) {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            throw LMDBError(result: errno, operation: "flush", path: path)
        }
        defer { close(directory) }
        guard fsync(directory) == 0 else {
            throw LMDBError(result: errno, operation: "flush", path: path)
        }
    }
}
