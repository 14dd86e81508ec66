/// The numbers of a commit log, with their units and reasons.
package struct CommitLogTuning: Sendable {
    /// Bytes of one of the two segments: 128 small commits, after which a checkpoint costs little for each.
    ///
    /// They are written with zeros at the first use after an opening: a database that is opened for a few commits
    /// pays for them.
    package var segmentBytes = 512 << 10
    /// Bytes of a record at most; what is larger is flushed as pages, so that it is not written twice.
    package var recordBytesMax = 256 << 10
    /// Commits after which a storage checkpoint is made.
    package var commitsMax = 1_000
    /// Pages freed since the last storage checkpoint after which one is made, at least: 8 MiB.
    package var pagesMaxAtLeast = 2_048
    /// The same as a part of the file's pages: these cannot be used again before, so the file grows by it.
    package var pagesMaxPart = 4
    /// The part of the largest map that must be free behind the file's pages; else the log is not used.
    package var mapReservePart = 8
    /// Commits without the log before its first use, for who opens a database for a commit or two.
    package var plainCommitsAtFirst = 4
    /// Commits without the log after another process has written, or the map was full.
    package var plainCommitsAfterOthers = 16
    /// Commits without the log after it could not be made, for want of room as a rule.
    package var plainCommitsAfterFailure = 1_000
    /// Seconds without a commit after which the log is ended, so that no page is kept and the file stands by itself.
    package var idleSeconds = 5.0
    /// Called between a commit that no record holds and the storage checkpoint that it needs; for tests.
    package var afterUnloggedCommit: (@Sendable () -> Void)?
}
