import SettleLMDB

/// How a store is opened.
package struct StoreOptions: Sendable {
    /// True when a commit waits until it is on the disk; false when a power loss may take the last
    /// commits, in whole, but never the file.
    package var isFlushedAtCommit: Bool

    /// True when nothing may be written, on read-only media for example.
    package var isReadOnly: Bool

    /// True when small commits go through a log beside the file, with one flush each or none.
    ///
    /// The store then has format 5, which releases that know nothing of the log refuse, for good.
    package var usesCommitLog = true

    /// For how long a commit that is not flushed may be in the log alone, in seconds.
    package var relaxedSecondsMax = EnvironmentTuning.relaxedSecondsMax

    /// Options.
    package init(isFlushedAtCommit: Bool = true, isReadOnly: Bool = false) {
        self.isFlushedAtCommit = isFlushedAtCommit
        self.isReadOnly = isReadOnly
    }

    var environment: EnvironmentOptions {
        var options = EnvironmentOptions(
            isReadOnly: isReadOnly, durability: isFlushedAtCommit ? .full : .relaxed)
        options.relaxedSecondsMax = relaxedSecondsMax
        return options
    }
}
