#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The lock on a directory under which small files in it are made and removed.
///
/// It is flock(2) on the directory itself and held for moments only, so whoever wants it waits. It
/// meets none of the engine's locks and none of ``FileLock``.
enum DirectoryLock {
    /// Runs the body while nobody else, of this process or another, runs one for the directory.
    ///
    /// - Parameters:
    ///   - path: A file; its directory must exist.
    ///   - body: What to do.
    /// - Returns: What the body returns.
    /// - Throws: ``LMDBError`` when the directory cannot be opened or its file system has no locks;
    ///   what the body throws.
    static func holding<R>(
        directoryOf path: String, _ body: () throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        let descriptor = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw LMDBError(result: errno, operation: "lock directory", path: path)
        }
        defer {
            // Closing alone would not do if the process was forked meanwhile.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw LMDBError(result: errno, operation: "lock directory", path: path)
            }
        }
        return try body()
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
