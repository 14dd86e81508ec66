import SettlePrimitives

/// One data file, open in this process: tables of ordered keys with transactions.
///
/// Readers see one consistent snapshot and never wait for the writer's work; one writer at a
/// time, over all processes. The directory holds `data.mdb`, `lock.mdb` and perhaps `log.mdb`, for the owner alone.
///
/// Guards: everything mutable lies in `monitor`; the engine's pointer is used under the rules
/// of LMDB, which the gate keeps: no remapping while a transaction of this process is active.
package final class Environment: Sendable {
    /// The environment's directory as it was first opened.
    package let path: String
    /// The options of the first open.
    package let options: EnvironmentOptions
    /// Whether it reads without being listed in lock.mdb, which may not be written here.
    ///
    /// No process can open the database for writing meanwhile.
    package let isWithoutLocks: Bool

    let holder: EngineHolder
    /// How often the process had been forked when it was opened.
    let forkCount: UInt32
    let monitor: Monitor<EnvironmentState>
    let slots: TableSlots
    let mainSlot: UInt32
    /// Memory of the write transactions; whoever has the writer's place has this.
    let tails = KeyTails()
    /// The commit log; nil when nothing may be written.
    let log: LogKeeper?

    /// The engine, which a compaction exchanges.
    var engine: EngineEnvironment { holder.engine }

    /// The version of LMDB that runs, such as `0.9.24`.
    package static var engineVersion: String {
        let version = EngineEnvironment.version
        return "\(version.major).\(version.minor).\(version.patch)"
    }

    /// Opens the environment in a directory, or shares the one that is open already.
    ///
    /// A file that is open in this process, under whatever path, gives the same object; each
    /// open wants its own `close`. Readers of dead processes are cleared.
    ///
    /// - Parameters:
    ///   - directory: The directory of the environment.
    ///   - options: How to open; those of the first open hold.
    ///   - create: Whether an absent directory and file are made.
    /// - Returns: The environment.
    /// - Throws: ``LMDBError``: `noSuchDirectory` or `notFound` when absent and not to be
    ///   created, `invalid`, `versionMismatch` or `corrupted` for a file that is none of ours,
    ///   newer or truncated, `networkFileSystem`, `readOnly`, `permission`, `diskFull`,
    ///   `inUse` when a process writes and one reads without locks.
    package static func open(
        at directory: String, options: EnvironmentOptions = .init(), create: Bool
    ) throws(LMDBError) -> Environment {
        try OpenEnvironments.shared.open(directory, options, create: create)
    }

    init(
        path: String, options: EnvironmentOptions, isWithoutLocks: Bool, holder: EngineHolder,
        mainSlot: UInt32, log: LogKeeper?
    ) {
        self.path = path
        self.options = options
        self.isWithoutLocks = isWithoutLocks
        self.holder = holder
        self.mainSlot = mainSlot
        forkCount = ForkCount.current
        slots = TableSlots(capacity: options.tablesMax + 2)
        monitor = Monitor(EnvironmentState())
        self.log = log
        log?.setWhenIdle { [weak self] in self?.endIdleLog() }
    }

    /// Closes this open; the last one waits for running transactions and closes the file.
    ///
    /// Must not be called inside a transaction of the environment. After the last close every
    /// call throws `closed`. In a process forked after the open it does nothing.
    package func close() {
        OpenEnvironments.shared.close(self)
    }

    /// Flushes what commits with `Durability.relaxed` left behind.
    ///
    /// - Throws: ``LMDBError`` with `closed`, `openedBeforeFork`, or as the system reports it.
    package func sync() throws(LMDBError) {
        try requireUsable("sync")
        guard !options.isReadOnly else { return }
        try whileOpen("sync") { () throws(LMDBError) in
            guard let log else { return try engine.sync() }
            try log.flush()
            try log.flushData(engine)
        }
    }

    /// Frees the reader slots of processes that died.
    ///
    /// - Returns: How many were freed.
    /// - Throws: ``LMDBError`` with `closed`, `openedBeforeFork`, or as the engine reports it.
    @discardableResult
    package func clearStaleReaders() throws(LMDBError) -> Int {
        try requireUsable("check readers")
        return try whileOpen("check readers") { () throws(LMDBError) in
            try engine.checkReaders()
        }
    }

    func requireUsable(_ operation: String) throws(LMDBError) {
        guard forkCount == ForkCount.current else {
            throw LMDBError(
                code: .openedBeforeFork, operation: operation, path: path,
                message: "The database was opened before this process was forked; "
                    + "open it again in the child.")
        }
    }

    func closedError(_ operation: String) -> LMDBError {
        LMDBError(
            code: .closed, operation: operation, path: path,
            message: "The database has been closed; open it again.")
    }
}

/// What the monitor of an environment guards.
struct EnvironmentState {
    /// A read that is under way.
    struct ActiveReader {
        let token: UInt64
        let thread: ThreadIdentity
        let name: String
        let start: ContinuousClock.Instant
        /// The snapshot, for reads inside this one; only the reader's own thread looks at it.
        let transaction: ReadTransaction?
        /// Whether `onLongReader` was called for it.
        var isReported = false
    }

    var openCount = 1
    var isClosed = false
    /// Whether somebody remaps or closes handles; no transaction begins meanwhile.
    var isExclusive = false
    /// The thread inside `write`.
    var writer: ThreadIdentity?
    /// Whether a commit failed with `Durability.relaxed`; the next write first writes the meta
    /// pages again.
    var mustMend = false
    /// Whether a transaction has opened handles that are not published yet.
    var isOpeningTables = false
    var tokenLast: UInt64 = 0
    var active: [ActiveReader] = []
    var idle: [EngineTransaction] = []
    /// Published handles by table name.
    var tables: [String: Table] = [:]
    /// Changes with every publication.
    var tablesGeneration = 0
    /// Entries of the table of names when it was last looked through; -1 to look again.
    var namesSeen = -1
    var readersChecked = ContinuousClock.now
}
