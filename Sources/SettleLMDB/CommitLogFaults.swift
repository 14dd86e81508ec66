/// What a commit log leaves out, so that tests see whether they would find it.
///
/// Each is a condition without which a power failure can damage a database. Nothing but a test sets any.
package struct CommitLogFaults: OptionSet, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A storage checkpoint takes the file for flushed.
    package static let noDataFlush = CommitLogFaults(rawValue: 1 << 0)
    /// A commit takes its record for flushed.
    package static let noLogFlush = CommitLogFaults(rawValue: 1 << 1)
    /// No read transaction keeps the pages of the storage checkpoint.
    package static let noPin = CommitLogFaults(rawValue: 1 << 2)
    /// Recovery puts back one of the two meta pages.
    package static let oneSlot = CommitLogFaults(rawValue: 1 << 3)
    /// A record counts whatever its checksum.
    package static let noChecksum = CommitLogFaults(rawValue: 1 << 4)
    /// The head that gives up the old records is written before the file is flushed.
    package static let headFirst = CommitLogFaults(rawValue: 1 << 5)
    /// Recovery carries records out again on a file that has them already.
    package static let replayTwice = CommitLogFaults(rawValue: 1 << 6)
    /// A record of an earlier use of the segment counts, too.
    package static let noGeneration = CommitLogFaults(rawValue: 1 << 7)
    /// A record begins where the one before it ends.
    package static let noPadding = CommitLogFaults(rawValue: 1 << 8)
    /// A background checkpoint notes the meta page of its end.
    package static let metaOfEnd = CommitLogFaults(rawValue: 1 << 9)
    /// Recovery ignores the second segment.
    package static let oneSegment = CommitLogFaults(rawValue: 1 << 10)
    /// A process takes a log over without a mark of its own.
    package static let noClaim = CommitLogFaults(rawValue: 1 << 11)
    /// A process that has lost the log takes the data file for flushed.
    package static let trustsOthers = CommitLogFaults(rawValue: 1 << 12)
}
