#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension DataFile {
    /// Whether the file is a new one whose first flush a power failure has come before.
    ///
    /// It holds nothing then: it is as long as the two meta pages that a new file gets by one write, and each of
    /// its sectors is one of these or zeros, as not every one has reached the medium. A shorter one is not
    /// taken for new: it may be what is left of a longer one.
    func isUnfinished() throws(LMDBError) -> Bool {
        let pageSize = FileSystem.pageSizeBytes
        guard sizeBytes == 2 * pageSize, let bytes = try bytes(at: 0, count: sizeBytes) else {
            return false
        }
        var isMissing = false
        for start in stride(from: 0, to: sizeBytes, by: Self.sectorSizeBytes) {
            let end = min(start + Self.sectorSizeBytes, sizeBytes)
            if bytes[start..<end].allSatisfy({ $0 == 0 }) {
                if start % pageSize == 0 { isMissing = true }
                continue
            }
            guard start % pageSize == 0, end - start >= Self.metaSizeBytes,
                let meta = try? meta(at: UInt64(start)), meta.pageSizeBytes == pageSize,
                meta.pageLast <= 1, meta.freeTree.root == Self.pageNone,
                meta.mainTree.root == Self.pageNone
            else { return false }
        }
        return isMissing
    }

    private static let sectorSizeBytes = 512

    /// Takes away what the creation of a file has left that a power failure ended.
    ///
    /// - Parameter path: The file; nobody else may have it open.
    /// - Throws: ``LMDBError`` as the system reports it.
    static func empty(_ path: String) throws(LMDBError) {
        guard truncate(path, 0) == 0 else {
            throw LMDBError(result: errno, operation: "open", path: path)
        }
    }
}
