import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// The content of attachments: stored once under its digest, in chunks, and counted.
///
/// Shape (Docs/Formats/Store.md): `contents`: digest -> ``ContentRow``. `chunks`: number of the
/// content in eight bytes, number of the chunk in four -> up to ``chunkLength`` bytes. `uploads`:
/// number of the content -> ``UploadRow``. Content of no bytes has no chunk.
struct ContentTables: Sendable {
    let contents: Table
    let chunks: Table
    let uploads: Table

    private static let contentsName = "contents"
    private static let chunksName = "chunks"
    private static let uploadsName = "uploads"

    /// The names of the tables.
    static let names = [contentsName, chunksName, uploadsName]

    /// The most bytes of content in one row: sixteen pages of the engine less the head of the first.
    static let chunkLength = 65_520

    init(creatingIn transaction: WriteTransaction) throws {
        contents = try transaction.createTable(named: Self.contentsName)
        chunks = try transaction.createTable(named: Self.chunksName)
        uploads = try transaction.createTable(named: Self.uploadsName)
    }

    init(findingIn transaction: ReadTransaction) throws {
        guard let contents = try transaction.table(named: Self.contentsName),
            let chunks = try transaction.table(named: Self.chunksName),
            let uploads = try transaction.table(named: Self.uploadsName)
        else { throw StorageError.notASettleStore }
        self.contents = contents
        self.chunks = chunks
        self.uploads = uploads
    }

    /// What is known about content; nil when nothing refers to it.
    func row(of digest: ContentDigest, in reader: ReadTransaction) throws -> ContentRow? {
        try reader.value(for: digest.bytes, in: contents).map { bytes in
            guard let row = ContentRow(bytes.span) else {
                throw StorageError.corrupted(place: "content \(digest)")
            }
            return row
        }
    }

    /// Writes what is known about content, or removes content that nobody has any more.
    func set(_ row: ContentRow, of digest: ContentDigest, in writer: WriteTransaction) throws {
        guard row.references > 0 || row.leases > 0 else {
            if let number = row.number { try removeChunks(of: number, in: writer) }
            try writer.delete(digest.bytes, from: contents)
            return
        }
        try writer.put(row.encoded(), for: digest.bytes, in: contents)
    }

    /// One chunk of content; nil past the end.
    func chunk(_ index: Int, of number: UInt64, in reader: ReadTransaction) throws -> [UInt8]? {
        try reader.value(for: Self.chunkKey(number, index), in: chunks)
    }

    /// Stores one chunk.
    func put(
        _ chunk: [UInt8], at index: Int, of number: UInt64, in writer: WriteTransaction
    ) throws {
        precondition(chunk.count <= Self.chunkLength, "A chunk of content is too long.")
        try writer.put(chunk, for: Self.chunkKey(number, index), in: chunks)
    }

    /// Removes every chunk of content.
    func removeChunks(of number: UInt64, in writer: WriteTransaction) throws {
        var index = 0
        while try writer.delete(Self.chunkKey(number, index), from: chunks) { index += 1 }
    }

    /// The upload with a number; nil when it has ended.
    func upload(_ number: UInt64, in reader: ReadTransaction) throws -> UploadRow? {
        try reader.value(for: Self.uploadKey(number), in: uploads).map { bytes in
            guard let row = UploadRow(bytes.span) else {
                throw StorageError.corrupted(place: "upload \(number)")
            }
            return row
        }
    }

    /// Writes, or with nil removes, the row of an upload.
    func set(_ row: UploadRow?, ofUpload number: UInt64, in writer: WriteTransaction) throws {
        let key = Self.uploadKey(number)
        if let row {
            try writer.put(row.encoded(), for: key, in: uploads)
        } else {
            try writer.delete(key, from: uploads)
        }
    }

    /// Walks the uploads that have not ended, in the order they were begun.
    func forEachUpload(
        in reader: ReadTransaction, _ body: (_ number: UInt64, _ row: UploadRow) throws -> Void
    ) throws {
        try reader.forEach(in: uploads) { key, value in
            var position = 0
            guard key.count == 8, let number = key.fixed64(at: &position),
                let row = UploadRow(value)
            else { throw StorageError.corrupted(place: "a row of table 'uploads'") }
            try body(number, row)
            return true
        }
    }

    /// What a key of a chunk says; nil when it is none.
    static func parse(chunkKey key: Span<UInt8>) -> (number: UInt64, index: Int)? {
        var position = 0
        guard key.count == 12, let number = key.fixed64(at: &position) else { return nil }
        var index = 0
        while let byte = key.byte(at: &position) { index = index << 8 | Int(byte) }
        return (number, index)
    }

    /// The key of a chunk.
    static func chunkKey(_ number: UInt64, _ index: Int) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(12)
        key.append(fixed64: number)
        for shift in [24, 16, 8, 0] { key.append(UInt8(truncatingIfNeeded: index >> shift)) }
        return key
    }

    private static func uploadKey(_ number: UInt64) -> [UInt8] {
        var key: [UInt8] = []
        key.append(fixed64: number)
        return key
    }
}
