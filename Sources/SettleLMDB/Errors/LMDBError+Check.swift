import CLMDB

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension LMDBError {
    /// The one path of every return code of the engine.
    ///
    /// - Parameters:
    ///   - result: What the C function returned.
    ///   - operation: What was being done, for the error's text.
    ///   - path: The environment's directory.
    /// - Throws: ``LMDBError`` for every result but zero.
    static func check(
        _ result: Int32, _ operation: @autoclosure () -> String, _ path: @autoclosure () -> String
    ) throws(LMDBError) {
        guard result != 0 else { return }
        throw LMDBError(result: result, operation: operation(), path: path())
    }

    /// Makes the error of a non-zero return code, the engine's or the system's.
    ///
    /// - Parameters:
    ///   - result: The return code.
    ///   - operation: What was being done.
    ///   - path: The environment's directory.
    init(result: Int32, operation: String, path: String) {
        let (code, message) =
            Self.engineMeaning(of: result)
            ?? Self.systemMeaning(of: result, path: path)
        self.init(code: code, operation: operation, path: path, message: message)
    }

    private static func engineMeaning(of result: Int32) -> (Code, String)? {
        switch result {
        case MDB_MAP_FULL:
            return (.mapFull, "The database has reached its largest size; raise mapSizeMax.")
        case MDB_MAP_RESIZED:
            return (.mapResized, "Another process has made the database larger; try again.")
        case MDB_BAD_VALSIZE:
            return (.keyTooLong, "A key must be 1 to 511 bytes long.")
        case MDB_READERS_FULL:
            return (
                .readersFull,
                "All reader slots are taken; end some reads or open with more readersMax."
            )
        case MDB_DBS_FULL:
            return (.tablesFull, "No more tables can be opened; open with more tablesMax.")
        case MDB_NOTFOUND:
            return (.notFound, "The table or entry does not exist.")
        case MDB_KEYEXIST:
            return (.keyOutOfOrder, "Appended keys must ascend; use put instead.")
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_PAGE_FULL:
            return (
                .corrupted,
                "The data file is damaged (\(engineText(of: result))); restore it from a backup."
            )
        case MDB_VERSION_MISMATCH:
            return (
                .versionMismatch,
                "The data file was written by another version of the engine; "
                    + "export it with that version and import it here."
            )
        case MDB_INVALID, MDB_INCOMPATIBLE:
            return (.invalid, "The file is not a data file of this engine; check the path.")
        case MDB_PANIC:
            return (
                .panic,
                "An earlier failure has stopped the environment; close it and open it again."
            )
        case MDB_BAD_TXN, MDB_BAD_RSLOT, MDB_BAD_DBI, MDB_TLS_FULL, MDB_TXN_FULL:
            return (.system(result), "The transaction cannot go on: \(engineText(of: result)).")
        default:
            return nil
        }
    }

    private static func systemMeaning(of result: Int32, path: String) -> (Code, String) {
        switch result {
        case ENOSPC, EDQUOT:
            return (
                .diskFull,
                "The device is full; nothing of this transaction was kept. Make room and try again."
            )
        case EIO where isFull(path):
            // The engine reports a short write, which a full device causes, as EIO.
            return (
                .diskFull,
                "The device is full; nothing of this transaction was kept. Make room and try again."
            )
        case EROFS:
            return (.readOnly, "The file system is read-only; open with isReadOnly.")
        case EACCES, EPERM:
            return (.permission, "Access to the files is denied; check owner and mode.")
        case ENOENT, ENOTDIR:
            return (.noSuchDirectory, "The directory does not exist or is not one.")
        default:
            return (.system(result), "The system reports: \(engineText(of: result)).")
        }
    }

    private static func engineText(of result: Int32) -> String {
        guard let text = mdb_strerror(result) else { return "error \(result)" }
        return String(cString: text)
    }

    /// Whether next to nothing is free where the path lies.
    private static func isFull(_ path: String) -> Bool {
        var buffer = statvfs()
        guard statvfs(path, &buffer) == 0 else { return false }
        return UInt64(buffer.f_bavail) * UInt64(buffer.f_frsize) < EnvironmentTuning.diskFullBytes
    }
}
