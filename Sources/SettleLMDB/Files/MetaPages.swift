#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The first two pages of a data file, which say where everything else is.
enum MetaPages {
    /// The engine's flag for a file that was opened by its own name, and not by its directory's.
    private static let noSubdirectory = UInt16(0x4000)

    /// Makes a compact copy the successor of the file it was made from.
    ///
    /// The engine numbers the commits of a copy from 1. Ours goes on with the number of the
    /// original: numbers of transactions then never go back, and a lock file that still holds the
    /// last number fits. Where making the copy took more commits than the original ever had, it goes on with
    /// theirs, since its list of free pages has them. The page of a commit is the one of its parity; the other
    /// gets the same content under the number before. That the copy was opened by its file's name, which the engine
    /// notes in the page and never reads, is taken out.
    ///
    /// - Parameters:
    ///   - descriptor: The copy, written by the engine.
    ///   - transaction: The number of the snapshot it was made from.
    ///   - path: The directory, for the error's text.
    /// - Throws: ``LMDBError`` as the system reports it.
    static func renumber(
        _ descriptor: Int32, transaction: UInt64, path: String
    ) throws(LMDBError) {
        var head = [UInt8](repeating: 0, count: 2 * DataFile.pageSizeMaxBytes)
        let count = pread(descriptor, &head, head.count, 0)
        guard count >= DataFile.metaSizeBytes else {
            throw LMDBError(result: EIO, operation: "compact", path: path)
        }
        let pageSize = Int(head.unsigned32(at: 40))
        guard pageSize >= DataFile.metaSizeBytes, 2 * pageSize <= count else {
            throw LMDBError(result: EIO, operation: "compact", path: path)
        }
        // The newer page has the copy's content, or the file is empty and both are alike.
        let numberOffset = DataFile.metaSizeBytes - 8
        let numbers = [0, pageSize].map { head.unsigned64(at: $0 + numberOffset) }
        let isFirst = numbers[0] > numbers[1]
        let transaction = max(transaction, numbers[0], numbers[1])
        let start = isFirst ? 0 : pageSize
        var content = Array(head[start + 16..<start + numberOffset])
        content.withUnsafeMutableBytes { bytes in
            let flags = bytes.loadUnaligned(fromByteOffset: 28, as: UInt16.self)
            bytes.storeBytes(of: flags & ~noSubdirectory, toByteOffset: 28, as: UInt16.self)
        }
        for page in 0..<2 {
            let isNewer = transaction & 1 == UInt64(page)
            let number = isNewer ? transaction : transaction - min(transaction, 1)
            let bytes = content + withUnsafeBytes(of: number) { Array($0) }
            let offset = page * pageSize + 16
            guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
                throw LMDBError(result: errno, operation: "compact", path: path)
            }
        }
    }

    /// Writes both pages as they are and flushes them.
    ///
    /// The write transaction must be held: nobody else may write them meanwhile.
    ///
    /// - Parameters:
    ///   - descriptor: The data file.
    ///   - path: The directory, for the error's text.
    /// - Throws: ``LMDBError`` as the system reports it.
    static func writeAgain(_ descriptor: Int32, path: String) throws(LMDBError) {
        var head = [UInt8](repeating: 0, count: 2 * DataFile.pageSizeMaxBytes)
        let count = pread(descriptor, &head, head.count, 0)
        guard count >= DataFile.metaSizeBytes else {
            throw LMDBError(result: EIO, operation: "flush", path: path)
        }
        let size = 2 * Int(head.unsigned32(at: 40))
        guard size <= count, pwrite(descriptor, head, size, 0) == size, fsync(descriptor) == 0
        else { throw LMDBError(result: errno, operation: "flush", path: path) }
    }
}
