#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Environment {
    /// Removes the files of an environment, and its directory if nothing else is in it.
    ///
    /// `data.mdb` goes first, and for good, before any other: broken off at any moment, a crash leaves the whole
    /// environment or none, and files that mean nothing without it. An opening meanwhile waits, and finds none. On a
    /// file system without locks it is not noticed that another process has it open.
    ///
    /// - Parameters:
    ///   - directory: The directory of the environment, which this process has closed; it need not be there.
    ///   - others: Paths of further files that go with it.
    /// - Throws: ``LMDBError`` with `inUse` when it is open elsewhere, or as the system reports it; nothing is removed
    ///   then, or what is left is removed by the next call.
    package static func remove(
        at directory: String, with others: [String] = []
    ) throws(LMDBError) {
        guard try FileSystem.status(directory) != nil else { return }
        let data = directory + "/data.mdb"
        while true {
            let lock = try FileLock.alone(toRemove: data)
            defer { lock?.release() }
            let isDone = try DirectoryLock.holdingIfPossible(directoryOf: data) {
                () throws(LMDBError) in
                // Made since it was looked for.
                if lock == nil, try FileSystem.status(data) != nil { return false }
                if lock != nil {
                    try unlink(data, of: directory)
                    // Else a power failure could bring it back without its log.
                    try FileSystem.flushDirectory(directory)
                }
                let names = [
                    LogLayout.name, "lock.mdb", FileSystem.compactingName, FileSystem.copyingName,
                ]
                for path in names.map({ directory + "/" + $0 }) + others {
                    try unlink(path, of: directory)
                }
                removeEmptyDirectory(directory)
                return true
            }
            if isDone { return }
        }
    }

    /// Removes a directory; one with something in it stays, also what another process puts there at this moment.
    package static func removeEmptyDirectory(_ path: String) {
        rmdir(path)
    }

    private static func unlink(_ path: String, of directory: String) throws(LMDBError) {
        #if canImport(Darwin)
            let result = Darwin.unlink(path)
        #else
            let result = Glibc.unlink(path)
        #endif
        guard result == 0 || errno == ENOENT else {
            throw LMDBError(result: errno, operation: "remove", path: directory)
        }
    }
}
