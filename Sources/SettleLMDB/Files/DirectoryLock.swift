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
        let descriptor = try locked(directory(of: path))
        defer { release(descriptor) }
        return try body()
    }

    /// Runs the body as ``holding(directoryOf:_:)`` does, and without the lock where there can be none.
    ///
    /// - Parameters:
    ///   - path: A file; its directory need not exist.
    ///   - body: What to do.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    static func holdingIfPossible<R>(
        directoryOf path: String, _ body: () throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        let descriptor = try? locked(directory(of: path))
        defer { if let descriptor { release(descriptor) } }
        return try body()
    }

    private static func locked(_ directory: String) throws(LMDBError) -> Int32 {
        while true {
            let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw LMDBError(result: errno, operation: "lock directory", path: directory)
            }
            do throws(LMDBError) {
                while flock(descriptor, LOCK_EX) != 0 {
                    guard errno == EINTR else {
                        throw LMDBError(result: errno, operation: "lock directory", path: directory)
                    }
                }
                // Removed, and perhaps made anew, while we waited.
                let found = try FileSystem.status(directory)?.identity
                if found == FileSystem.status(of: descriptor)?.identity { return descriptor }
            } catch {
                release(descriptor)
                throw error
            }
            release(descriptor)
        }
    }

    private static func release(_ descriptor: Int32) {
        // Closing alone would not do if the process was forked meanwhile.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
