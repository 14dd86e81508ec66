/// One use of a commit log by this process, from the head that began it to the one that ends it.
///
/// The log belongs to one process at a time; another that wants to write makes a storage checkpoint and takes it over.
struct LogSession {
    let file: LogFile
    /// Its number in the marks of the data file.
    let number: UInt32
    /// The head that was written last.
    var head: LogHead
    /// Keeps the pages of the storage checkpoint, or of the one that is on its way.
    var pin: EngineTransaction
    /// Where the next record goes.
    var segment: Int
    var generation: UInt64
    var offset = 0
    /// Whether something of a record that could not be written may be there.
    var hasFailedRecord = false
    /// Commits and freed pages since the last checkpoint began.
    var commitCount = 0
    var pageCount = 0

    /// Whether a record of so many bytes fits into the segment.
    func hasRoom(_ bytes: Int) -> Bool { offset + bytes <= head.segmentBytes }

    /// Where a record begins in the file.
    var recordOffset: Int {
        LogLayout.offset(ofSegment: segment, segmentBytes: head.segmentBytes) + offset
    }

    /// What the next record belongs to.
    func place(_ transaction: UInt64) -> LogRecord.Place {
        LogRecord.Place(
            identifier: head.identifier, generation: generation, transaction: transaction)
    }
}
