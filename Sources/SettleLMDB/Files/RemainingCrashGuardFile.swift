#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A crash guard file as one finds it who does not own it.
enum RemainingCrashGuardFile {
    /// There is none.
    case absent
    /// Its owner lives.
    case owned
    /// Its owner has died and left these records.
    case remains([[UInt8]])

    /// Looks what is at a path.
    ///
    /// Under ``DirectoryLock``, so that what it finds stays so until the caller has acted on it.
    ///
    /// - Throws: ``LMDBError`` with `invalid` for another program's file; as the system refuses.
    static func find(_ path: String) throws(LMDBError) -> RemainingCrashGuardFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .absent }
            throw failure(errno, path)
        }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return .owned }
            throw failure(errno, path)
        }
        switch CrashGuardLayout.content(of: try read(descriptor, path), start: MachineStart.current)
        {
        case .unfinished: return .remains([])
        case .records(let records): return .remains(records)
        case .foreign:
            throw LMDBError(
                code: .invalid, operation: "read a crash guard", path: path,
                message: "The file at the place of the records is another program's; move it away.")
        }
    }

    /// The bytes of the file; of one that is longer than any crash guard file only as many as tell so.
    private static func read(_ descriptor: Int32, _ path: String) throws(LMDBError) -> [UInt8] {
        let countMax = CrashGuardLayout.sizeBytes(slotCount: CrashGuardLayout.slotCountMax) + 1
        var file: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while file.count < countMax {
            let count = pread(descriptor, &piece, piece.count, off_t(file.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(errno, path) }
            if count == 0 { break }
            file += piece[..<count]
        }
        return file
    }

    private static func failure(_ result: Int32, _ path: String) -> LMDBError {
        LMDBError(result: result, operation: "read a crash guard", path: path)
    }
}
