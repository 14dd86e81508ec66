import Foundation
import SettleDocuments
import SettleStorage

/// Stores the lines of an export that was looked at, a batch in each commit.
///
/// Not `Sendable`: it belongs to the one import that it is made for.
final class ImportRun {
    private let database: Database
    private let existing: ExistingDocuments
    private let progress: ProgressCounter
    private var batch = Batch()
    /// The contents of this import, held until its end.
    ///
    /// A document that needs one may come late, after the only other that had it was replaced.
    /// Numbers in a row take no room.
    private var held = IndexSet()
    private(set) var summary = ImportSummary()
    /// What became of the last document, whose leaves may follow in the next batch.
    private var last: Restoration?
    /// True when the database was empty and becomes a copy of the exported one.
    private var isCopy = false

    private struct Batch: Sendable {
        var contents: [SmallContent] = []
        var documents: [(line: Int, document: ExportedDocument)] = []
        var byteCount = 0

        var isEmpty: Bool { contents.isEmpty && documents.isEmpty }
        var isFull: Bool {
            contents.count + documents.count >= ImportRun.batchCountMax
                || byteCount >= ImportRun.batchBytesMax
        }
    }

    // So large that the flush to the disk does not count, and small enough for any memory.
    private static let batchCountMax = 2_000
    private static let batchBytesMax = 4 << 20
    private static let endCountMax = 1_000

    init(into database: Database, existing: ExistingDocuments, progress: ProgressCounter) {
        self.database = database
        self.existing = existing
        self.progress = progress
    }

    /// Stores everything.
    func store(_ reader: ExportReader, beside url: URL, contents: ContentFolder?) async throws {
        var folder: ContentFolder?
        var seen = RecentContents()
        var lastSequence: UInt64 = 0
        isCopy = try database.lastSequence == 0
        while let line = try reader.next() {
            switch line {
            case .header(let header):
                lastSequence = header.lastSequence
                folder = try ContentFolder(
                    of: header, beside: url, given: contents, at: reader.line)
            case .chunk(let chunk):
                try await store(chunk, reader)
            case .document(let document):
                if let folder {
                    for digest in document.contents where seen.insert(digest) {
                        try await upload(FileChunks(folder.file(of: digest)), as: digest)
                    }
                }
                batch.documents.append((reader.line, document))
                batch.byteCount += document.record.body.bytes.count
            case .end:
                continue
            }
            if batch.isFull { try await storeBatch() }
        }
        try await storeBatch()
        if isCopy {
            // Purges are not exported, and one may have been the last change.
            let sequence = lastSequence
            try await database.write { $0.raiseSequence(to: sequence) }
        }
        progress.finish()
    }

    /// Lets go of the contents that are held; those that no document attaches go.
    func end() async throws {
        while !held.isEmpty {
            let some = Array(held.prefix(Self.endCountMax))
            try await database.write { try $0.endUploads(some) }
            held.subtract(IndexSet(some))
        }
    }

    /// The error as the caller gets it, with what was stored before.
    func described(_ error: any Error, path: String) -> any Error {
        let stored = summary.storedCount
        let state =
            stored == 0
            ? "Nothing was imported."
            : "\(stored) documents were imported before it and stay; import again to go on."
        if let fault = error as? ExportFault { return fault.error(in: path, state: state) }
        guard let error = error as? DatabaseError else { return error }
        return DatabaseError(
            error.code, "\(error.message) \(state)", documentId: error.documentId,
            currentRevision: error.currentRevision, cause: error.cause)
    }

    /// Stores a content that begins with this chunk, reading the others from the lines after it.
    private func store(_ chunk: ExportChunk, _ reader: ExportReader) async throws {
        if chunk.isLast, chunk.bytes.count <= StoreSnapshot.chunkLength {
            batch.contents.append(SmallContent(digest: chunk.digest, bytes: chunk.bytes))
            batch.byteCount += chunk.bytes.count
        } else {
            try await upload(ExportChunks(from: chunk, reader), as: chunk.digest)
        }
    }

    private func upload<Source: AsyncSequence>(
        _ chunks: Source, as digest: ContentDigest
    ) async throws where Source.Element == Data {
        let upload = try await ContentStaging(to: database.store)
        _ = try await upload.take(chunks, expecting: digest)
        held.insert(Int(upload.number))
        summary.contentCount += 1
    }

    private func storeBatch() async throws {
        try Task.checkCancellation()
        guard !batch.isEmpty else { return }
        let full = batch
        batch = Batch()
        let (uploads, restorations) = try await database.write {
            [existing, isCopy, last] transaction in
            let uploads = try full.contents.map { try transaction.hold($0) }
            var restorations: [Restoration] = []
            for (line, document) in full.documents {
                do {
                    if document.isLeaf {
                        try transaction.restoreLeaf(
                            document, after: restorations.last ?? last, isCopy: isCopy)
                    } else {
                        restorations.append(
                            try transaction.restore(document, existing: existing, isCopy: isCopy))
                    }
                } catch let fault as ExportFault {
                    throw fault.on(line)
                }
            }
            return (uploads, restorations)
        }
        last = restorations.last ?? last
        for upload in uploads { held.insert(Int(upload)) }
        summary.contentCount += uploads.count
        for restoration in restorations { summary.count(restoration) }
        progress.advance(by: restorations.count)
    }
}

/// The pieces of a content that stands in an export.
private struct ExportChunks: AsyncSequence {
    typealias Element = Data

    private let first: ExportChunk
    private let reader: ExportReader

    init(from first: ExportChunk, _ reader: ExportReader) {
        self.first = first
        self.reader = reader
    }

    func makeAsyncIterator() -> Iterator { Iterator(next: first, reader: reader) }

    struct Iterator: AsyncIteratorProtocol {
        var next: ExportChunk?
        let reader: ExportReader

        mutating func next() async throws -> Data? {
            guard let chunk = next else { return nil }
            next = nil
            // The reader lets nothing else come before the last piece.
            if !chunk.isLast, case .chunk(let following)? = try reader.next() { next = following }
            return Data(chunk.bytes)
        }
    }
}
