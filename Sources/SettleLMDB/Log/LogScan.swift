/// Finds the records after a storage checkpoint, in their order.
///
/// They begin in the head's segment and may go on in the other one, whose generation is the next: there they are as
/// long as a background checkpoint has not noted its head. Transactions have no gap; the first record that does not
/// fit is the end.
struct LogScan {
    private let head: LogHead
    private let faults: CommitLogFaults
    private let read: (_ offset: Int, _ count: Int) throws(LMDBError) -> [UInt8]?
    private var segment: Int
    private var generation: UInt64
    private var offset = 0
    private var transaction: UInt64
    private var isInSecond = false

    /// - Parameters:
    ///   - head: The head of the log.
    ///   - faults: What a test leaves out.
    ///   - read: Reads bytes of the log; nil where the file ends before.
    init(
        _ head: LogHead, faults: CommitLogFaults = [],
        read: @escaping (_ offset: Int, _ count: Int) throws(LMDBError) -> [UInt8]?
    ) {
        self.head = head
        self.faults = faults
        self.read = read
        segment = head.segment
        generation = head.generation
        transaction = head.checkpoint + 1
    }

    /// The next record; nil at the end.
    mutating func next() throws(LMDBError) -> LogRecord? {
        if let record = try record() {
            let count = LogRecord.headerBytes + record.content.count
            offset += faults.contains(.noPadding) ? count : LogLayout.padded(count)
            transaction += 1
            return record
        }
        guard !isInSecond, !faults.contains(.oneSegment) else { return nil }
        isInSecond = true
        segment = 1 - segment
        generation += 1
        offset = 0
        return try next()
    }

    private func record() throws(LMDBError) -> LogRecord? {
        let left = head.segmentBytes - offset
        guard left >= LogRecord.headerBytes else { return nil }
        let place = LogRecord.Place(
            identifier: head.identifier, generation: generation, transaction: transaction)
        let start =
            LogLayout.offset(ofSegment: segment, segmentBytes: head.segmentBytes) + offset
        guard let header = try read(start, LogRecord.headerBytes),
            let count = LogRecord.contentCount(header, place, faults: faults),
            count <= left - LogRecord.headerBytes,
            let bytes = try read(start, LogRecord.headerBytes + count)
        else { return nil }
        return LogRecord.read(bytes[...], place, faults: faults)
    }
}
