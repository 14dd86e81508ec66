import SettlePrimitives
import SettleStorage

extension Database {
    /// When a commit counts as stored.
    public enum Durability: Sendable, Hashable {
        /// When it is on the disk: a power loss loses nothing that was reported as saved.
        case full
        /// When the system has it: faster; a power loss may lose the last commits, in whole, but
        /// never the file. A crash of the process alone loses nothing.
        ///
        /// With the ``CommitLog`` nothing is lost that is older than its ``CommitLog/relaxedInterval``; without
        /// it the last commit may be.
        case relaxed
    }

    /// Whether commits go through a log beside the file.
    ///
    /// The log, `log.mdb`, makes one flush of a durable commit where the file alone needs two, and none of a
    /// relaxed one; the price is that the file grows to at most about twice the size under many updates. It is
    /// there while something is written: five seconds after the last commit, and when the database is closed, the file
    /// stands by itself. Each process may choose for itself. A database that was opened for writing with the log
    /// is refused by releases that know nothing of it, for good.
    ///
    /// The format is in `Docs/Formats/CommitLog.md`.
    public struct CommitLog: Sendable, Hashable {
        /// Whether it is used.
        public var isUsed: Bool
        /// For how long a commit may be in the log without a flush with ``Durability/relaxed``: what a power
        /// loss takes at most, the last commits first.
        public var relaxedInterval: Duration

        /// Settings of the log.
        ///
        /// - Parameters:
        ///   - isUsed: Whether it is used.
        ///   - relaxedInterval: For how long a relaxed commit may be without a flush; more than zero.
        public init(isUsed: Bool = true, relaxedInterval: Duration = .seconds(1)) {
            precondition(relaxedInterval > .zero, "Between two flushes there must be some time.")
            self.isUsed = isUsed
            self.relaxedInterval = relaxedInterval
        }

        /// Used, with a flush each second at ``Durability/relaxed``.
        public static let standard = CommitLog()

        /// Not used: each commit is flushed as LMDB does it, twice at ``Durability/full``, once at
        /// ``Durability/relaxed``.
        public static let none = CommitLog(isUsed: false)
    }
}

extension Database.OpenDatabaseConfiguration {
    var storeOptions: StoreOptions {
        var options = StoreOptions(
            isFlushedAtCommit: durability == .full, isReadOnly: isReadOnly)
        options.usesCommitLog = commitLog.isUsed
        options.relaxedSecondsMax = commitLog.relaxedInterval / .seconds(1)
        return options
    }
}
