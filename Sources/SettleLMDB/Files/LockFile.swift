#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The engine's lock.mdb, looked at before the engine opens it.
///
/// Only for a directory of which nothing is open in this process: closing a descriptor of the file
/// would drop the locks that the engine has on it.
enum LockFile {
    /// Bytes of a file for so many readers: 192 of header at most, 64 a slot.
    static func sizeBytes(readersMax: Int) -> Int { (readersMax + 3) * 64 }

    /// Whether the engine can keep its list of readers in the file.
    ///
    /// A file that is not there counts if the data file is this user's, who then may make it; made
    /// by another user it would keep the owner out.
    ///
    /// - Parameter directory: The directory of the environment.
    /// - Returns: False when the file may not be written here.
    static func isUsable(in directory: String) -> Bool {
        if isAllowed(directory + "/lock.mdb", R_OK | W_OK) { return true }
        switch errno {
        case ENOENT:
            return isOwned(directory + "/data.mdb") && isAllowed(directory, W_OK | X_OK)
        case EACCES, EPERM, EROFS: return false
        // What is strange shows itself when the engine opens it.
        default: return true
        }
    }

    /// The number of a process in which an engine has the file open.
    ///
    /// - Parameter directory: The directory of the environment.
    /// - Returns: The number, 0 when there is one in another namespace of process numbers; nil when
    ///   there is none, or the file is not there or may not be read.
    static func holder(in directory: String) -> Int32? {
        let descriptor = open(directory + "/lock.mdb", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The engine holds its first byte as long as it is open.
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = 0
        range.l_len = 1
        guard fcntl(descriptor, F_GETLK, &range) == 0, range.l_type != Int16(F_UNLCK) else {
            return nil
        }
        return max(range.l_pid, 0)
    }

    /// As the effective user; `errno` says why not.
    private static func isAllowed(_ path: String, _ mode: Int32) -> Bool {
        faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
    }

    private static func isOwned(_ path: String) -> Bool {
        var buffer = stat()
        return stat(path, &buffer) == 0 && buffer.st_uid == geteuid()
    }
}
