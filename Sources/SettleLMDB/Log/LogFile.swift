import SettlePrimitives
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The file of a commit log.
///
/// The heads of one log may be written by several processes, each for a moment while it has the file's lock; records
/// are written by the one whose session the log is in, inside its write transactions.
final class LogFile: Sendable {
    private let descriptor: Int32
    private let path: String
    /// Why nothing that is written can be believed to reach the medium any more.
    private let failure = Lock<LMDBError?>(nil)

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        Self.close(descriptor)
    }

    /// Opens the log of a directory.
    ///
    /// - Parameters:
    ///   - directory: The directory of the environment.
    ///   - isReadOnly: Whether it is only looked at.
    /// - Returns: The log; nil when there is none.
    /// - Throws: ``LMDBError`` as the system reports it.
    static func open(in directory: String, isReadOnly: Bool) throws(LMDBError) -> LogFile? {
        let path = directory + "/" + LogLayout.name
        let descriptor = Self.open(path, (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else {
            throw LMDBError(result: errno, operation: "open log", path: directory)
        }
        return LogFile(descriptor, directory)
    }

    /// Makes the log of a directory, or fills one anew that has no head, and flushes it with its name.
    ///
    /// The write transaction must be held: nobody else may make it meanwhile.
    ///
    /// - Parameters:
    ///   - directory: The directory of the environment.
    ///   - head: Its first head, a clean one.
    /// - Returns: The log.
    /// - Throws: ``LMDBError`` as the system reports it.
    static func make(in directory: String, head: LogHead) throws(LMDBError) -> LogFile {
        let path = directory + "/" + LogLayout.name
        let descriptor = Self.open(
            path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(EnvironmentTuning.fileMode))
        guard descriptor >= 0 else {
            throw LMDBError(result: errno, operation: "make log", path: directory)
        }
        let file = LogFile(descriptor, directory)
        do throws(LMDBError) {
            try file.fill(head)
        } catch {
            // The room is wanted for something better.
            FileSystem.remove(path)
            throw error
        }
        FileSystem.adoptAccess(of: directory + "/data.mdb", for: path)
        try FileSystem.flushDirectory(directory)
        return file
    }

    private func fill(_ head: LogHead) throws(LMDBError) {
        let end = LogLayout.fileBytes(segmentBytes: head.segmentBytes)
        let zeros = [UInt8](repeating: 0, count: min(end, 1 << 18))
        var offset = 0
        while offset < end {
            let count = min(zeros.count, end - offset)
            try write(count == zeros.count ? zeros : Array(zeros[..<count]), at: offset)
            offset += count
        }
        try write(head)
        guard fsync(descriptor) == 0 else {
            throw LMDBError(result: errno, operation: "make log", path: path)
        }
    }

    /// The newest head.
    ///
    /// - Returns: The head; nil when there is none.
    /// - Throws: ``LMDBError`` with `versionMismatch` for a log of a later release, or as the system reports it.
    func head() throws(LMDBError) -> LogHead? {
        var blocks: [[UInt8]] = []
        for slot in 0..<LogLayout.headCount {
            let offset = slot * LogLayout.blockBytes
            if let block = try bytes(at: offset, count: LogLayout.blockBytes) {
                blocks.append(block)
            }
        }
        switch LogHead.newest(blocks) {
        case .head(let head): return head
        case .none: return nil
        case .newer(let version):
            throw LMDBError(
                code: .versionMismatch, operation: "open log", path: path,
                message:
                    "The log \(LogLayout.name) has the form \(version), and this release reads "
                    + "\(LogHead.version); open the database with the release that wrote it.")
        }
    }

    /// Writes a head into its place; it is not flushed.
    func write(_ head: LogHead) throws(LMDBError) {
        try write(head.block, at: head.offset)
    }

    /// Makes sure that what a head says which was read is on the medium, before anything is built on it.
    ///
    /// Whoever wrote it may have died before the flush, or the flush may have failed.
    ///
    /// - Returns: The head as it was written once more.
    func makeDurable(_ head: LogHead) throws(LMDBError) -> LogHead {
        var next = head
        next.sequence += 1
        try write(next)
        try flush()
        return next
    }

    /// Writes bytes; they are not flushed.
    func write(_ bytes: [UInt8], at offset: Int) throws(LMDBError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                pwrite(
                    descriptor, all.baseAddress.map { $0 + done }, all.count - done,
                    off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw LMDBError(result: count < 0 ? errno : EIO, operation: "write log", path: path)
            }
            done += count
        }
    }

    /// Reads bytes; nil where the file ends before.
    func bytes(at offset: Int, count: Int) throws(LMDBError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { all in
                pread(
                    descriptor, all.baseAddress.map { $0 + done }, count - done,
                    off_t(offset + done))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                throw LMDBError(result: errno, operation: "read log", path: path)
            }
            if got == 0 { return nil }
            done += got
        }
        return bytes
    }

    /// Waits until all that was written is on the medium.
    ///
    /// One at a time: the system tells only one of two of a failure that meets both. After a failure all fail, until ``forgetFailure()``.
    /// On Apple systems the drive empties its cache. **That branch has never been run.**
    func flush() throws(LMDBError) {
        try failure.withLock { (failure) throws(LMDBError) in
            if let failure { throw failure }
            #if canImport(Darwin)
                let result = fcntl(descriptor, F_FULLFSYNC) == -1 ? fsync(descriptor) : 0
            #else
                let result = fdatasync(descriptor)
            #endif
            guard result != 0 else { return }
            let error = LMDBError(result: errno, operation: "flush log", path: path)
            failure = error
            throw error
        }
    }

    /// Lets flushes be tried again of what is written from now on.
    func forgetFailure() {
        failure.withLock { $0 = nil }
    }

    /// Runs the body while no other process, and nobody else in this one, writes a head.
    func locked<R>(_ body: () throws(LMDBError) -> R) throws(LMDBError) -> R {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw LMDBError(result: errno, operation: "lock log", path: path)
            }
        }
        // Closing alone would not do if the process was forked meanwhile.
        defer { _ = flock(descriptor, LOCK_UN) }
        return try body()
    }

    /// Tells the other processes that a flush has failed in a session; it is meant for them alone, and not flushed.
    func notePoison(session: UInt32) {
        var bytes: [UInt8] = []
        bytes.appendInteger(session)
        try? write(bytes, at: LogLayout.poisonOffset)
    }

    /// Refuses a session in which a flush has failed.
    func requireSound(session: UInt32) throws(LMDBError) {
        let bytes = try bytes(at: LogLayout.poisonOffset, count: 4)
        guard bytes?.logInteger(at: 0) == session else { return }
        throw LMDBError(
            code: .system(EIO), operation: "take over log", path: path,
            message: "A flush has failed in another process: close the database in all of them.")
    }

    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
        #if canImport(Darwin)
            Darwin.open(path, flags, mode)
        #else
            Glibc.open(path, flags, mode)
        #endif
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #else
            _ = Glibc.close(descriptor)
        #endif
    }
}
