package import SettleDocuments
import SettleLMDB

extension StoreSnapshot {
    /// The most bytes in one chunk of content; every chunk but the last is full.
    package static var chunkLength: Int { ContentTables.chunkLength }

    /// How many uploads have not ended.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package var uploadCount: Int {
        get throws { try reader.count(of: tables.contents.uploads) }
    }

    /// True when the content of an attachment is here, and not only its description.
    ///
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package func hasContent(_ digest: ContentDigest) throws -> Bool {
        try tables.contents.row(of: digest, in: reader)?.number != nil
    }

    /// The length of the content of an attachment; nil when only its description is here.
    ///
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package func contentLength(_ digest: ContentDigest) throws -> Int? {
        let row = try tables.contents.row(of: digest, in: reader)
        return row?.number == nil ? nil : row?.length
    }

    /// One chunk of content.
    ///
    /// - Parameters:
    ///   - index: Which, from 0.
    ///   - digest: The digest of the whole content.
    /// - Returns: The chunk; nil past the end.
    /// - Throws: ``StorageError/contentMissing(digest:)`` when the content is not here,
    ///   ``StorageError/corrupted(place:)``, ``LMDBError``.
    package func chunk(_ index: Int, of digest: ContentDigest) throws -> [UInt8]? {
        guard let row = try tables.contents.row(of: digest, in: reader), let number = row.number
        else { throw StorageError.contentMissing(digest: digest) }
        let chunk = try tables.contents.chunk(index, of: number, in: reader)
        let start = index * Self.chunkLength
        let expected = min(Self.chunkLength, max(0, row.length - start))
        guard chunk?.count ?? 0 == expected else {
            throw StorageError.corrupted(place: "chunk \(index) of content \(digest)")
        }
        return chunk
    }

    /// Reads content as a whole.
    ///
    /// - Throws: ``StorageError/contentMissing(digest:)`` when it is not here,
    ///   ``StorageError/corrupted(place:)`` when what is stored does not have the digest.
    package func content(_ digest: ContentDigest) throws -> [UInt8] {
        var content: [UInt8] = []
        var index = 0
        while let chunk = try chunk(index, of: digest) {
            content.append(contentsOf: chunk)
            index += 1
        }
        guard ContentDigest(of: content) == digest else {
            throw StorageError.corrupted(place: "content \(digest)")
        }
        return content
    }
}
