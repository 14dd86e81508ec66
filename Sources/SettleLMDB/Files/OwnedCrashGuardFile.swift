#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A crash guard file on the disk that this process has made and holds the lock of.
struct OwnedCrashGuardFile {
    private let path: String
    private let descriptor: Int32
    private let sizeBytes: Int

    /// Makes the file, in place of one that a dead process left without records.
    ///
    /// - Throws: ``LMDBError``, as ``CrashGuardFile/init(path:slotCount:)``.
    init(path: String, slotCount: Int) throws(LMDBError) {
        self.path = path
        let size = CrashGuardLayout.sizeBytes(slotCount: slotCount)
        sizeBytes = size
        descriptor = try DirectoryLock.holding(directoryOf: path) { () throws(LMDBError) -> Int32 in
            try Self.clearPath(path)
            let descriptor = open(
                path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(EnvironmentTuning.fileMode))
            guard descriptor >= 0 else { throw Self.failure(errno, path) }
            do throws(LMDBError) {
                let head = CrashGuardLayout.head(slotCount: slotCount, start: MachineStart.current)
                guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                    throw Self.failure(errno, path)
                }
                try Self.reserve(descriptor, bytes: size, path)
                // Last: a file without it is one that was never finished.
                try Self.write(head, to: descriptor, path)
            } catch {
                unlink(path)
                Self.close(descriptor)
                throw error
            }
            return descriptor
        }
    }

    /// Maps the whole file, for reading and writing.
    func map() throws(LMDBError) -> UnsafeMutableRawPointer {
        let memory = mmap(nil, sizeBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let memory, memory != MAP_FAILED else { throw Self.failure(errno, path) }
        return memory
    }

    /// Removes the file, if it is still the one at the path, and gives the lock up.
    ///
    /// A file that cannot be removed is left behind; ``CrashGuardFile/harvest(path:)`` finds it.
    func remove() {
        // Without the directory there is no file either.
        try? DirectoryLock.holding(directoryOf: path) { () throws(LMDBError) in
            var own = stat()
            guard fstat(descriptor, &own) == 0, let found = try FileSystem.status(path),
                found.identity
                    == FileSystem.Identity(
                        device: UInt64(truncatingIfNeeded: own.st_dev), inode: UInt64(own.st_ino))
            else { return }
            unlink(path)
        }
        // Closing alone would leave it to a child that was forked meanwhile.
        _ = flock(descriptor, LOCK_UN)
        Self.close(descriptor)
    }

    private static func clearPath(_ path: String) throws(LMDBError) {
        switch try RemainingCrashGuardFile.find(path) {
        case .absent: return
        case .owned:
            throw LMDBError(
                code: .inUse, operation: "make a crash guard", path: path,
                message: "The records are another's, who is still at work.")
        case .remains(let records):
            guard records.isEmpty else {
                throw LMDBError(
                    code: .inUse, operation: "make a crash guard", path: path,
                    message: "A process that has died left records here; harvest them first.")
            }
            guard unlink(path) == 0 else { throw failure(errno, path) }
        }
    }

    /// Gives the file its blocks before it is mapped.
    ///
    /// On a full device the first write through the map would end the process with SIGBUS.
    private static func reserve(
        _ descriptor: Int32, bytes: Int, _ path: String
    ) throws(LMDBError) {
        #if canImport(Glibc)
            let result = posix_fallocate(descriptor, 0, off_t(bytes))
            if result == 0 { return }
            // Some file systems cannot reserve; then it is written.
            guard result == EOPNOTSUPP || result == EINVAL else { throw failure(result, path) }
        #endif
        try write([UInt8](repeating: 0, count: bytes), to: descriptor, path)
    }

    /// Writes bytes at the beginning of the file.
    private static func write(
        _ bytes: [UInt8], to descriptor: Int32, _ path: String
    ) throws(LMDBError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress.map { $0 + done }, bytes.count - done,
                    off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(count < 0 ? errno : EIO, path) }
            done += count
        }
    }

    private static func failure(_ result: Int32, _ path: String) -> LMDBError {
        LMDBError(result: result, operation: "make a crash guard", path: path)
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            Darwin.close(descriptor)
        #else
            Glibc.close(descriptor)
        #endif
    }
}
