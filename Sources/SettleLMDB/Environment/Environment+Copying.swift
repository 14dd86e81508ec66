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
    ///   - progress: Told bytes copied and bytes of the file, at the beginning and at the end: the
    ///     engine copies in one call.
    /// - Throws: ``LMDBError`` with `diskFull`, `permission`, `system(EEXIST)` for a directory that
    ///   has a data file, or as ``read(_:_:)``.
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
            let bytes = try (engine.info().pageLast + 1) * engine.pageSize()
            progress?(0, bytes)
            try engine.copy(into: part.descriptor, compacting: compacting)
            try part.takeName(target)
            try FileSystem.flushDirectory(path)
            try FileSystem.flushDirectory(path + "/..")
            progress?(bytes, bytes)
        }
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
    /// Waits while another process writes it.
    init(_ path: String) throws(LMDBError) {
        while true {
            let descriptor = open(
                path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(EnvironmentTuning.fileMode))
            guard descriptor >= 0 else {
                throw LMDBError(result: errno, operation: "copy", path: path)
            }
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            var own = stat()
            var found = stat()
            // It was given its name, or removed, while we waited.
            if fstat(descriptor, &own) == 0, stat(path, &found) == 0, own.st_ino == found.st_ino,
                own.st_dev == found.st_dev, ftruncate(descriptor, 0) == 0
            {
                self.path = path
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    /// Gives the file its name, which nothing may have.
    func takeName(_ target: String) throws(LMDBError) {
        // Unlike rename(2), link(2) never takes the place of another file.
        guard fsync(descriptor) == 0, link(path, target) == 0 else {
            throw LMDBError(result: errno, operation: "copy", path: target)
        }
    }

    /// Takes the first name away and closes the file.
    func discard() {
        FileSystem.remove(path)
        close(descriptor)
    }
}
