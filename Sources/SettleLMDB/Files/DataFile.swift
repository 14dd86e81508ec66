#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The data file as bytes on disk, looked at before the engine maps it.
///
/// The engine trusts the file: a page that lies beyond the end of a truncated file ends the
/// process with SIGBUS. So the two meta pages are read here first.
///
/// Shape of a page: page number 8 bytes, 2 unused, flags 2 at offset 10, bounds 4; the meta page
/// then has magic 4, version 4, address 8, map size 8, two table records of 48, last page 8,
/// transaction 8, all in the host's byte order.
package struct DataFile {
    /// What the newer meta page says.
    struct Meta: Equatable {
        let pageSizeBytes: Int
        let mapSizeBytes: Int
        let pageLast: UInt64
        let transaction: UInt64
        let freeTree: TreeRecord
        let mainTree: TreeRecord
    }

    static let pageNone = UInt64.max
    /// Bytes of a page's header and the meta page's record.
    static let metaSizeBytes = 152
    /// Bytes of the largest page the engine knows.
    static let pageSizeMaxBytes = 65536

    let path: String
    let sizeBytes: Int
    private let descriptor: Int32

    /// Reads and checks the file.
    ///
    /// - Parameter path: The file; it must exist.
    /// - Returns: The newer meta page, or nil for a file that is empty or was never finished.
    /// - Throws: ``LMDBError`` with `invalid` for a foreign file, `versionMismatch` for one of
    ///   another format, `corrupted` for a truncated one.
    static func check(_ path: String) throws(LMDBError) -> Meta? {
        var seen: UInt64?
        while true {
            var meta: Meta?
            do throws(LMDBError) {
                meta = try reading(path) { (file) throws(LMDBError) in
                    if file.sizeBytes == 0 { return nil }
                    if try file.isUnfinished() { return nil }
                    return try file.stableMeta()
                }
                guard let meta else { return nil }
                // The length is taken after the meta page: a commit in between makes the file longer.
                try reading(path) { (file) throws(LMDBError) in
                    try file.requireLongEnough(meta)
                }
                return meta
            } catch {
                // Another process may have changed pages during the walk. It has committed then, so
                // the file is damaged only if the newest commit is still the one of the last try.
                guard let meta, meta.transaction != seen else { throw error }
                seen = meta.transaction
            }
        }
    }

    /// Runs the body with a file that is open for reading.
    static func reading<R>(
        _ path: String, _ body: (DataFile) throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw LMDBError(result: errno, operation: "open", path: path)
        }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size >= 0 else { throw LMDBError(result: errno, operation: "open", path: path) }
        return try body(DataFile(path: path, sizeBytes: size, descriptor: descriptor))
    }

    private func stableMeta() throws(LMDBError) -> Meta {
        do throws(LMDBError) {
            return try newerMeta()
        } catch {
            // Another process may have been in the middle of writing one: look once more.
            return try newerMeta()
        }
    }

    /// The engine need not write pages at the end that it allocated and freed at once, so a short
    /// file is wrong only if something points beyond its end.
    private func requireLongEnough(_ meta: Meta) throws(LMDBError) {
        guard (meta.pageLast + 1) * UInt64(meta.pageSizeBytes) > UInt64(sizeBytes) else { return }
        try requirePagesPresent(meta)
    }

    /// Reads bytes at an offset; nil when the file ends before.
    func bytes(at offset: UInt64, count: Int) throws(LMDBError) -> [UInt8]? {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + initialized }, count - initialized,
                    off_t(offset) + off_t(initialized))
                if got < 0 {
                    if errno == EINTR { continue }
                    failure = errno
                }
                if got <= 0 { break }
                initialized += got
            }
        }
        if failure != 0 { throw LMDBError(result: failure, operation: "read", path: path) }
        return bytes.count == count ? bytes : nil
    }

    /// The meta page of a commit, nil when it has been written over.
    func meta(ofTransaction number: UInt64) throws(LMDBError) -> Meta? {
        let first = try meta(at: 0)
        if first.transaction == number { return first }
        let second = try meta(at: UInt64(first.pageSizeBytes))
        return second.transaction == number ? second : nil
    }

    func newerMeta() throws(LMDBError) -> Meta {
        let first = try meta(at: 0)
        let second = try meta(at: UInt64(first.pageSizeBytes))
        guard first.pageSizeBytes == second.pageSizeBytes else {
            throw damaged("its two meta pages disagree")
        }
        return first.transaction >= second.transaction ? first : second
    }

    func meta(at offset: UInt64) throws(LMDBError) -> Meta {
        guard let page = try bytes(at: offset, count: Self.metaSizeBytes) else {
            throw offset == 0
                ? foreign("is too short to be a data file")
                : damaged("it ends before its second meta page")
        }
        let flagMeta: UInt16 = 0x08
        guard page.unsigned16(at: 10) & flagMeta != 0, page.unsigned32(at: 16) == 0xBEEF_C0DE
        else {
            throw offset == 0
                ? foreign("is not a data file of this engine")
                : damaged("its second meta page is not one")
        }
        // The upper bits mark a development format; ours is 1.
        guard page.unsigned32(at: 20) == 1 else {
            throw LMDBError(
                code: .versionMismatch, operation: "open", path: path,
                message: "The file has the engine format \(page.unsigned32(at: 20)), and this "
                    + "program reads format 1; export it with the program that wrote it.")
        }
        let pageSize = Int(page.unsigned32(at: 40))
        guard (256...Self.pageSizeMaxBytes).contains(pageSize), pageSize & (pageSize - 1) == 0
        else {
            throw damaged("its page size is impossible")
        }
        let last = page.unsigned64(at: 136)
        guard last < UInt64(Int64.max) / UInt64(Self.pageSizeMaxBytes) else {
            throw damaged("its size is impossible")
        }
        return Meta(
            pageSizeBytes: pageSize,
            mapSizeBytes: Int(clamping: page.unsigned64(at: 32)),
            pageLast: last,
            transaction: page.unsigned64(at: 144),
            freeTree: TreeRecord(page, at: 40),
            mainTree: TreeRecord(page, at: 88))
    }

    func damaged(_ what: String) -> LMDBError {
        LMDBError(
            code: .corrupted, operation: "open", path: path,
            message: "The data file is damaged: \(what). Restore it from a backup.")
    }

    private func foreign(_ what: String) -> LMDBError {
        LMDBError(
            code: .invalid, operation: "open", path: path,
            message: "The file \(what); check the path. It was left as it is.")
    }
}

extension [UInt8] {
    func unsigned16(at offset: Int) -> UInt16 { integer(at: offset) }
    func unsigned32(at offset: Int) -> UInt32 { integer(at: offset) }
    func unsigned64(at offset: Int) -> UInt64 { integer(at: offset) }

    /// An integer in the host's byte order; the offset must be inside.
    private func integer<T: FixedWidthInteger>(at offset: Int) -> T {
        precondition(offset >= 0 && offset + T.bitWidth / 8 <= count, "Read beyond the bytes.")
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) }
    }
}
