import SettleDocuments
import SettleLMDB

/// Content, stored once under its digest and counted by the documents that attach it.
///
/// Shape: `blobs`: digest -> number of references, varint. `chunks`: digest, number of the chunk in
/// four bytes -> up to ``chunkLength`` bytes of the content. Content of no bytes has no chunk.
struct BlobTables: Sendable {
    private let blobs: Table
    private let chunks: Table

    private static let blobsName = "blobs"
    private static let chunksName = "chunks"
    /// The most bytes of content in one row.
    private static let chunkLength = 64 << 10

    init(creatingIn transaction: WriteTransaction) throws {
        blobs = try transaction.createTable(named: Self.blobsName)
        chunks = try transaction.createTable(named: Self.chunksName)
    }

    init(findingIn transaction: ReadTransaction) throws {
        guard let blobs = try transaction.table(named: Self.blobsName),
            let chunks = try transaction.table(named: Self.chunksName)
        else { throw StorageError.notASettleStore }
        self.blobs = blobs
        self.chunks = chunks
    }

    /// True when content with this digest is stored.
    func contains(_ digest: ContentDigest, in reader: ReadTransaction) throws -> Bool {
        try reader.contains(digest.bytes, in: blobs)
    }

    /// Reads content; nil when it is not here.
    ///
    /// - Throws: ``StorageError/corrupted(place:)`` when the chunks are not the content.
    func content(_ digest: ContentDigest, in reader: ReadTransaction) throws -> [UInt8]? {
        guard try contains(digest, in: reader) else { return nil }
        var content: [UInt8] = []
        try forEachChunk(of: digest, in: reader) { content.append(contentsOf: $0) }
        guard ContentDigest(of: content) == digest else {
            throw StorageError.corrupted(place: "content \(digest)")
        }
        return content
    }

    /// Stores content that nothing refers to yet, unless it is there.
    func store(
        _ content: [UInt8], as digest: ContentDigest, in writer: WriteTransaction
    ) throws {
        guard try writer.insert([0], for: digest.bytes, in: blobs) else { return }
        for (number, start) in stride(from: 0, to: content.count, by: Self.chunkLength).enumerated()
        {
            let end = min(start + Self.chunkLength, content.count)
            try writer.put(
                Array(content[start..<end]), for: Self.chunkKey(digest, number), in: chunks)
        }
    }

    /// Counts references; content that nothing refers to any more is removed.
    func count(_ digest: ContentDigest, by step: Int, in writer: WriteTransaction) throws {
        guard let row = try writer.value(for: digest.bytes, in: blobs) else {
            throw StorageError.corrupted(place: "references to content \(digest)")
        }
        var position = 0
        guard let before = row.span.variable(at: &position), before <= UInt64(Int.max / 2),
            Int(before) + step >= 0
        else { throw StorageError.corrupted(place: "references to content \(digest)") }
        let after = Int(before) + step
        if after == 0 {
            try remove(digest, in: writer)
        } else {
            var row: [UInt8] = []
            row.append(variable: UInt64(after))
            try writer.put(row, for: digest.bytes, in: blobs)
        }
    }

    private func remove(_ digest: ContentDigest, in writer: WriteTransaction) throws {
        var number = 0
        while try writer.delete(Self.chunkKey(digest, number), from: chunks) { number += 1 }
        try writer.delete(digest.bytes, from: blobs)
    }

    private func forEachChunk(
        of digest: ContentDigest, in reader: ReadTransaction, _ body: ([UInt8]) -> Void
    ) throws {
        var number = 0
        while let chunk = try reader.value(for: Self.chunkKey(digest, number), in: chunks) {
            body(chunk)
            number += 1
        }
    }

    private static func chunkKey(_ digest: ContentDigest, _ number: Int) -> [UInt8] {
        digest.bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
