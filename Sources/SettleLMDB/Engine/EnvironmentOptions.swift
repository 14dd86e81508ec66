/// How safe a commit is when the power fails.
package enum Durability: Sendable, Hashable {
    /// Every commit is flushed before `write` returns.
    ///
    /// A commit that was reported survives a crash of process, system and power as far as the
    /// drive honours a flush. Cost: two flushes a commit, data before meta page; with
    /// `EnvironmentOptions.usesCommitLog` one for a small one.
    case full
    /// The data is flushed with every commit, the meta page with the next one; with
    /// `EnvironmentOptions.usesCommitLog` nothing is for a small one, but from time to time.
    ///
    /// A power failure may undo the last commits, in their order; it never damages the file. A crash of the
    /// process alone loses nothing. Cost: one flush a commit, or none.
    case relaxed
}

/// How an environment is opened.
package struct EnvironmentOptions: Sendable {
    /// Size of the map at first, in bytes; larger when the file is.
    package var mapSizeInitial: Int
    /// The largest size the map may grow to, in bytes; address space, not disk space.
    package var mapSizeMax: Int
    /// Reader slots of the lock file, over all processes; the first opener decides.
    package var readersMax: Int
    /// Most tables open at once in this process.
    package var tablesMax: Int
    /// The largest value, in bytes; the engine fails silently near 4 GiB, so at most 2 GiB - 1.
    package var valueSizeMax: Int
    /// Whether writing is refused, and the data file is left alone.
    ///
    /// Where lock.mdb may not be written, as on read-only media or in another user's directory, the
    /// file is read without locks, which excludes processes that write it.
    package var isReadOnly: Bool
    /// What a reported commit survives.
    package var durability: Durability
    /// A read older than this is marked as long in the statistics, in seconds.
    package var longReaderSeconds: Double
    /// How long a growing writer waits for the readers of this process, in seconds.
    ///
    /// New reads wait meanwhile; afterwards the write fails with `readersBusy` and names them.
    package var gateWaitSeconds: Double
    /// Opens on network and user-space file systems too, where locks and maps may not hold.
    package var allowsNetworkFileSystem: Bool
    /// Opens although a process of another PID namespace has the database open.
    ///
    /// Neither then sees whether the other's readers live: a reader taken for dead loses its pages.
    package var allowsForeignProcessNamespace = false
    /// Age of the last look for readers of dead processes at which a write looks again, in seconds.
    package var readerCheckSeconds = EnvironmentTuning.readerCheckSeconds
    /// Called with the name and the age in seconds of a read that is older than `longReaderSeconds`.
    ///
    /// Called once for each such read, by the thread of the first write that finds it, before the
    /// write begins; it must not use the database.
    package var onLongReader: (@Sendable (_ name: String, _ ageSeconds: Double) -> Void)?
    /// Whether small commits go through a log beside the file: one flush for a durable commit, none for a relaxed one.
    ///
    /// The file `log.mdb` is made at the first such commit. Every process may choose for itself.
    package var usesCommitLog = false
    /// For how long a commit with `Durability.relaxed` may be in the log without being flushed, in seconds.
    ///
    /// A power failure takes away at most what was committed in this time, the last commits first.
    package var relaxedSecondsMax = EnvironmentTuning.relaxedSecondsMax
    /// The numbers of the commit log.
    package var logTuning = CommitLogTuning()
    /// What a test leaves out of the commit log.
    package var logFaults: CommitLogFaults = []
    /// The namespace of process numbers; nil where the system has none.
    var processNamespace = ProcessNamespace.current
    /// Whether a reader can be listed in lock.mdb; nil to look.
    var isLockFileUsable: Bool?
    /// How long an opening for writing waits for readers without locks, in seconds.
    var readersWithoutLocksSeconds = EnvironmentTuning.readersWithoutLocksSeconds

    /// Puts options together; every default is fit for a database of an app or a server.
    ///
    /// - Parameters:
    ///   - mapSizeInitial: Size of the map at first, in bytes.
    ///   - mapSizeMax: The largest size the map may grow to, in bytes.
    ///   - readersMax: Reader slots of the lock file.
    ///   - tablesMax: Most tables open at once.
    ///   - valueSizeMax: The largest value, in bytes, at most 2 GiB - 1.
    ///   - isReadOnly: Whether writing is refused.
    ///   - durability: What a reported commit survives.
    ///   - longReaderSeconds: Age at which a read is marked as long.
    ///   - gateWaitSeconds: How long a growing writer waits for readers.
    ///   - allowsNetworkFileSystem: Whether network file systems are accepted.
    package init(
        mapSizeInitial: Int = EnvironmentTuning.mapSizeInitial,
        mapSizeMax: Int = EnvironmentTuning.mapSizeMax,
        readersMax: Int = EnvironmentTuning.readersMax,
        tablesMax: Int = EnvironmentTuning.tablesMax,
        valueSizeMax: Int = EnvironmentTuning.valueSizeMax,
        isReadOnly: Bool = false,
        durability: Durability = .full,
        longReaderSeconds: Double = EnvironmentTuning.longReaderSeconds,
        gateWaitSeconds: Double = EnvironmentTuning.gateWaitSeconds,
        allowsNetworkFileSystem: Bool = false
    ) {
        precondition(
            mapSizeInitial > 0 && mapSizeMax >= mapSizeInitial,
            "The map's sizes must be positive and ascend.")
        precondition(
            readersMax > 0 && tablesMax > 0, "There must be room for a reader and a table.")
        precondition(
            (1...EnvironmentTuning.valueSizeMax).contains(valueSizeMax),
            "A value must be smaller than 2 GiB.")
        self.mapSizeInitial = mapSizeInitial
        self.mapSizeMax = mapSizeMax
        self.readersMax = readersMax
        self.tablesMax = tablesMax
        self.valueSizeMax = valueSizeMax
        self.isReadOnly = isReadOnly
        self.durability = durability
        self.longReaderSeconds = longReaderSeconds
        self.gateWaitSeconds = gateWaitSeconds
        self.allowsNetworkFileSystem = allowsNetworkFileSystem
    }
}
