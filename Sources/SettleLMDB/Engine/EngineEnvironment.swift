import CLMDB

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Where an engine's files are, for the texts of errors.
///
/// A class, so that what reads or writes an entry passes on a pointer and counts no references.
final class EnginePlace: Sendable {
    let path: String

    init(_ path: String) {
        self.path = path
    }
}

/// The engine's functions on an environment, one caller each.
///
/// Sendable because LMDB allows these on any thread; the rules about what may run at the same
/// time are kept by ``Environment``.
struct EngineEnvironment: @unchecked Sendable {
    let pointer: OpaquePointer
    let place: EnginePlace

    var path: String { place.path }

    /// Makes an environment that is not open yet.
    static func create(path: String) throws(LMDBError) -> EngineEnvironment {
        var made: OpaquePointer?
        try LMDBError.check(mdb_env_create(&made), "create", path)
        guard let made else {
            preconditionFailure("The engine reported success without an environment.")
        }
        return EngineEnvironment(pointer: made, place: EnginePlace(path))
    }

    /// The version of the engine that runs.
    static var version: EngineVersion {
        var major: Int32 = 0
        var minor: Int32 = 0
        var patch: Int32 = 0
        _ = mdb_version(&major, &minor, &patch)
        return EngineVersion(major: Int(major), minor: Int(minor), patch: Int(patch))
    }

    func configure(readersMax: Int, tablesMax: Int, mapSize: Int) throws(LMDBError) {
        try LMDBError.check(
            mdb_env_set_maxreaders(pointer, UInt32(readersMax)), "set readersMax", path)
        try LMDBError.check(mdb_env_set_maxdbs(pointer, UInt32(tablesMax)), "set tablesMax", path)
        try setMapSize(mapSize)
    }

    /// Sets the map's size, or adopts the file's with zero.
    ///
    /// Nothing may be active in this process.
    func setMapSize(_ size: Int) throws(LMDBError) {
        try LMDBError.check(mdb_env_set_mapsize(pointer, size), "set map size", path)
    }

    func open(
        isReadOnly: Bool, isWithoutLocks: Bool, durability: Durability
    ) throws(LMDBError) {
        // No thread owns a read slot: tasks hop threads, and the pool hands readers round.
        var flags = UInt32(MDB_NOTLS)
        if isReadOnly { flags |= UInt32(MDB_RDONLY) }
        if isWithoutLocks { flags |= UInt32(MDB_NOLOCK) }
        if durability == .relaxed { flags |= UInt32(MDB_NOMETASYNC) }
        try LMDBError.check(
            mdb_env_open(pointer, path, flags, EnvironmentTuning.fileMode), "open", path)
        // The engine leaves its descriptor open in every program that this one starts.
        var descriptor: mdb_filehandle_t = -1
        try LMDBError.check(mdb_env_get_fd(pointer, &descriptor), "open", path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    func close() {
        mdb_env_close(pointer)
    }

    /// Says whether commits flush from now on, as they do at first.
    ///
    /// The write transaction must be held, or nobody else use the engine.
    func setFlushing(_ isFlushing: Bool) throws(LMDBError) {
        try LMDBError.check(
            mdb_env_set_flags(pointer, UInt32(MDB_NOSYNC), isFlushing ? 0 : 1), "set flags", path)
    }

    func sync() throws(LMDBError) {
        try LMDBError.check(mdb_env_sync(pointer, 1), "sync", path)
    }

    /// Writes a copy of the last commit into an empty file; it is not flushed.
    func copy(into descriptor: Int32, compacting: Bool) throws(LMDBError) {
        let flags = compacting ? UInt32(MDB_CP_COMPACT) : 0
        try checkCopy(
            mdb_env_copyfd2(pointer, descriptor, flags), compacting ? "compact" : "copy", path)
    }

    private func checkCopy(
        _ result: Int32, _ operation: String, _ path: String
    ) throws(LMDBError) {
        // The engine's word for pages that are neither in use nor free.
        guard result != MDB_INCOMPATIBLE else {
            throw LMDBError(
                code: .corrupted, operation: operation, path: path,
                message: "Pages of the data file are neither in use nor free, so it was not "
                    + "copied and is as before; "
                    + (operation == "copy" ? "compact it, or " : "")
                    + "export and import it.")
        }
        try LMDBError.check(result, operation, path)
    }

    /// The descriptor of the data file, which stays the engine's.
    func dataDescriptor() throws(LMDBError) -> Int32 {
        var descriptor: Int32 = -1
        try LMDBError.check(mdb_env_get_fd(pointer, &descriptor), "flush", path)
        return descriptor
    }

    struct Info {
        let mapSizeBytes: Int
        let pageLast: Int
        let transactionLast: UInt64
        let readerSlotsUsed: Int
        let readerSlotsMax: Int
    }

    func info() throws(LMDBError) -> Info {
        var info = MDB_envinfo()
        try LMDBError.check(mdb_env_info(pointer, &info), "info", path)
        return Info(
            mapSizeBytes: Int(info.me_mapsize),
            pageLast: Int(info.me_last_pgno),
            transactionLast: UInt64(info.me_last_txnid),
            readerSlotsUsed: Int(info.me_numreaders),
            readerSlotsMax: Int(info.me_maxreaders))
    }

    func pageSize() throws(LMDBError) -> Int {
        var statistics = MDB_stat()
        try LMDBError.check(mdb_env_stat(pointer, &statistics), "statistics", path)
        return Int(statistics.ms_psize)
    }

    var keySizeMax: Int { Int(mdb_env_get_maxkeysize(pointer)) }

    /// Frees the reader slots of dead processes and tells how many.
    @discardableResult
    func checkReaders() throws(LMDBError) -> Int {
        var dead: Int32 = 0
        try LMDBError.check(mdb_reader_check(pointer, &dead), "check readers", path)
        return Int(dead)
    }

    func begin(isReadOnly: Bool) throws(LMDBError) -> EngineTransaction {
        var made: OpaquePointer?
        try LMDBError.check(
            mdb_txn_begin(pointer, nil, isReadOnly ? UInt32(MDB_RDONLY) : 0, &made),
            isReadOnly ? "begin read" : "begin write", path)
        guard let made else {
            preconditionFailure("The engine reported success without a transaction.")
        }
        return EngineTransaction(pointer: made, place: place)
    }

    /// Begins the first read after the engine was opened, while nothing else is active here.
    ///
    /// Another process may have made the file larger since its size was looked at.
    func beginFirstRead() throws(LMDBError) -> EngineTransaction {
        while true {
            do throws(LMDBError) {
                return try begin(isReadOnly: true)
            } catch {
                guard error.code == .mapResized else { throw error }
                try setMapSize(0)
            }
        }
    }

    /// Closes a table's handle.
    ///
    /// No transaction of this process but the caller's may be active.
    func closeTable(_ slot: UInt32) {
        mdb_dbi_close(pointer, slot)
    }
}
