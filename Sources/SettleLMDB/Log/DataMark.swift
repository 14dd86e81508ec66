#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What both meta pages of a data file say about its commit log.
///
/// It is in the eight bytes where the engine would have the address of a fixed map. The engine writes them when it
/// makes a file and never again, so a mark stays through all commits, and each meta page that was written under a
/// log has it in the same sector.
struct DataMark: Equatable {
    /// The identifier that the file has in common with its log; zero for a file without one.
    var identifier: UInt32
    /// The use of the log that commits now; zero while the meta pages stand by themselves.
    var session: UInt32

    static let none = DataMark(identifier: 0, session: 0)

    /// Behind the page's header, magic and version.
    static let offset = 24

    init(identifier: UInt32, session: UInt32) {
        self.identifier = identifier
        self.session = session
    }

    /// The mark of a page's bytes.
    init(ofPage page: [UInt8]) {
        let value = page.unsigned64(at: Self.offset)
        self.init(
            identifier: UInt32(truncatingIfNeeded: value >> 32),
            session: UInt32(truncatingIfNeeded: value))
    }

    private var value: UInt64 { UInt64(identifier) << 32 | UInt64(session) }

    /// The mark of the first meta page.
    static func read(_ descriptor: Int32, path: String) throws(LMDBError) -> DataMark {
        var value: UInt64 = 0
        while true {
            let count = pread(descriptor, &value, 8, off_t(offset))
            if count == 8 {
                return DataMark(
                    identifier: UInt32(truncatingIfNeeded: value >> 32),
                    session: UInt32(truncatingIfNeeded: value))
            }
            guard count < 0, errno == EINTR else {
                throw LMDBError(
                    result: count < 0 ? errno : EIO, operation: "read mark", path: path)
            }
        }
    }

    /// Writes it into both meta pages; it is not flushed.
    func write(_ descriptor: Int32, pageSizeBytes: Int, path: String) throws(LMDBError) {
        var value = value
        // The first page is the one that is read: should only one be written, nothing has changed.
        for page in [1, 0] {
            let place = off_t(page * pageSizeBytes + Self.offset)
            guard pwrite(descriptor, &value, 8, place) == 8 else {
                throw LMDBError(result: errno, operation: "write mark", path: path)
            }
        }
    }
}

extension MetaPages {
    /// The bytes of the meta page of a transaction, header and record.
    ///
    /// The write transaction must be held, and the transaction be the last one.
    ///
    /// - Throws: ``LMDBError`` with `corrupted` when it is not there, or as the system reports it.
    static func copy(
        of transaction: UInt64, _ descriptor: Int32, pageSizeBytes: Int, path: String
    ) throws(LMDBError) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: DataFile.metaSizeBytes)
        let place = off_t(Int(transaction & 1) * pageSizeBytes)
        guard pread(descriptor, &page, page.count, place) == page.count else {
            throw LMDBError(result: EIO, operation: "read meta page", path: path)
        }
        guard page.unsigned64(at: numberOffset) == transaction else {
            throw LMDBError(
                code: .corrupted, operation: "read meta page", path: path,
                message: "The data file has another last transaction than the engine says; "
                    + "a program that knows nothing of its log has written to it.")
        }
        return page
    }

    /// Puts a data file back to a storage checkpoint; it is not flushed.
    ///
    /// The page of the transaction is the one of its parity; the other gets the same content under the number before,
    /// so that neither of the two refers to anything later.
    ///
    /// - Parameters:
    ///   - meta: The meta page of the checkpoint.
    ///   - transaction: Its transaction.
    ///   - mark: What is written as mark.
    ///   - descriptor: The data file, open for writing.
    ///   - pageSizeBytes: Bytes of a page.
    ///   - path: The directory, for the error's text.
    ///   - faults: What a test leaves out.
    /// - Throws: ``LMDBError`` as the system reports it.
    static func restore(
        _ meta: [UInt8], transaction: UInt64, mark: DataMark, _ descriptor: Int32,
        pageSizeBytes: Int, path: String, faults: CommitLogFaults
    ) throws(LMDBError) {
        for page in 0..<2 {
            let isOwn = transaction & 1 == UInt64(page)
            if !isOwn, faults.contains(.oneSlot) { continue }
            var bytes = meta
            withUnsafeBytes(of: UInt64(page)) { bytes.replaceSubrange(0..<8, with: $0) }
            withUnsafeBytes(of: isOwn ? transaction : transaction - 1) {
                bytes.replaceSubrange(numberOffset..<numberOffset + 8, with: $0)
            }
            let value = UInt64(mark.identifier) << 32 | UInt64(mark.session)
            withUnsafeBytes(of: value) {
                bytes.replaceSubrange(DataMark.offset..<DataMark.offset + 8, with: $0)
            }
            guard pwrite(descriptor, bytes, bytes.count, off_t(page * pageSizeBytes)) == bytes.count
            else { throw LMDBError(result: errno, operation: "restore", path: path) }
        }
    }

    private static var numberOffset: Int { DataFile.metaSizeBytes - 8 }
}
