package import SettleDocuments
import SettleLMDB

// Content that is too large for one transaction comes in over several: an upload is begun, chunks
// are appended, it is finished, and a document takes it. Until then the upload holds a lease, so
// that nobody removes the content; a lease that nobody takes ends after a day.

extension StoreTransaction {
    /// Begins an upload.
    ///
    /// - Returns: What the upload is called by.
    /// - Throws: ``LMDBError`` when the engine cannot.
    package func beginUpload() throws -> UInt64 {
        counters.lastContent += 1
        try tables.contents.set(
            UploadRow(begun: now), ofUpload: counters.lastContent, in: writer)
        return counters.lastContent
    }

    /// Stores the next chunk of an upload.
    ///
    /// - Parameters:
    ///   - chunk: At most ``StoreSnapshot/chunkLength`` bytes; only the last may be shorter.
    ///   - index: Which chunk it is, from 0, without a gap.
    ///   - upload: The upload.
    /// - Throws: ``StorageError/uploadEnded``; ``LMDBError`` when the engine cannot.
    package func append(_ chunk: [UInt8], at index: Int, toUpload upload: UInt64) throws {
        guard let row = try tables.contents.upload(upload, in: reader), row.digest == nil else {
            throw StorageError.uploadEnded
        }
        try tables.contents.put(chunk, at: index, of: upload, in: writer)
    }

    /// Says that an upload is whole.
    ///
    /// Content that is here already is not kept twice. Records that were waiting for it have it
    /// from now on.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - digest: The digest of all of it.
    ///   - length: The length of all of it.
    /// - Throws: ``StorageError/uploadEnded``; ``LMDBError`` when the engine cannot.
    package func finishUpload(_ upload: UInt64, as digest: ContentDigest, length: Int) throws {
        guard var row = try tables.contents.upload(upload, in: reader), row.digest == nil else {
            throw StorageError.uploadEnded
        }
        row.digest = digest
        try tables.contents.set(row, ofUpload: upload, in: writer)
        var content =
            try tables.contents.row(of: digest, in: reader)
            ?? ContentRow(number: nil, length: length)
        if content.number == nil {
            content.number = upload
            content.length = length
        } else {
            try tables.contents.removeChunks(of: upload, in: writer)
        }
        content.leases += 1
        try tables.contents.set(content, of: digest, in: writer)
    }

    /// Ends an upload, because a document has taken its content or nobody will.
    ///
    /// Content that no record names, and that no other upload holds, goes.
    ///
    /// - Returns: False when it had ended before.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError`` when the engine cannot.
    @discardableResult
    package func endUpload(_ upload: UInt64) throws -> Bool {
        guard let row = try tables.contents.upload(upload, in: reader) else { return false }
        try tables.contents.set(nil, ofUpload: upload, in: writer)
        guard let digest = row.digest else {
            try tables.contents.removeChunks(of: upload, in: writer)
            return true
        }
        guard var content = try tables.contents.row(of: digest, in: reader), content.leases > 0
        else { throw StorageError.corrupted(place: "leases of content \(digest)") }
        content.leases -= 1
        try tables.contents.set(content, of: digest, in: writer)
        return true
    }

    /// Ends the uploads that were begun before a moment and never taken.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    @discardableResult
    package func endUploads(begunBefore moment: Timestamp) throws -> Int {
        var old: [UInt64] = []
        try tables.contents.forEachUpload(in: reader) { number, row in
            if row.begun < moment { old.append(number) }
        }
        for number in old { try endUpload(number) }
        return old.count
    }

    /// Stores content that fits in memory, for a document put in this closure.
    ///
    /// - Returns: What the content is found under.
    /// - Throws: ``LMDBError`` when the engine cannot.
    package func store(content bytes: [UInt8]) throws -> ContentDigest {
        let digest = ContentDigest(of: bytes)
        if try tables.contents.row(of: digest, in: reader)?.number != nil { return digest }
        let upload = try beginUpload()
        let starts = stride(from: 0, to: bytes.count, by: ContentTables.chunkLength)
        for (index, start) in starts.enumerated() {
            let end = min(start + ContentTables.chunkLength, bytes.count)
            try append(Array(bytes[start..<end]), at: index, toUpload: upload)
        }
        try finishUpload(upload, as: digest, length: bytes.count)
        uploadsToEnd.append(upload)
        return digest
    }

    /// Counts one attachment of a record; content that nobody has any more goes.
    func count(_ attachment: AttachmentRecord, by step: Int) throws {
        let digest = attachment.digest
        var row =
            try tables.contents.row(of: digest, in: reader)
            ?? ContentRow(number: nil, length: attachment.length)
        if step > 0 {
            row.references += 1
        } else {
            guard row.references > 0 else {
                throw StorageError.corrupted(place: "references to content \(digest)")
            }
            row.references -= 1
        }
        try tables.contents.set(row, of: digest, in: writer)
    }
}
