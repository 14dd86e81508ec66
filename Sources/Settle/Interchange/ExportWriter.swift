import Foundation
import SettleDocuments
import SettleStorage

/// Writes one state of a store as an export, holding one document or chunk at a time.
struct ExportWriter {
    /// Where contents go.
    enum Contents {
        case inline
        case folder(ContentFolder, isBeside: Bool)
        case described
    }

    private let snapshot: StoreSnapshot
    private let contents: Contents
    private let isCancelled: () -> Bool
    private let receive: ([UInt8]) throws -> Void
    private var text = ExportText()
    private var end = ExportEnd()
    private var written = RecentContents()
    private var contentCount = 0
    private var missingCount = 0
    private var byteCount = 0

    // Large enough for few calls, small beside a document of the largest size.
    private static let pieceLength = 1 << 18

    /// A writer of a state.
    ///
    /// - Parameters:
    ///   - snapshot: The state.
    ///   - contents: Where contents go.
    ///   - isCancelled: Asked before each document.
    ///   - receive: Takes the text in pieces.
    init(
        of snapshot: StoreSnapshot, contents: Contents, isCancelled: @escaping () -> Bool,
        receive: @escaping ([UInt8]) throws -> Void
    ) {
        self.snapshot = snapshot
        self.contents = contents
        self.isCancelled = isCancelled
        self.receive = receive
    }

    /// Writes all of it.
    mutating func run(_ progress: ProgressCounter) throws -> ExportSummary {
        text.add(try header())
        try snapshot.forEachChange(since: 0) { sequence, id in
            if isCancelled() { throw CancellationError() }
            // What has no record was purged, and is not part of the state any more.
            guard let record = try snapshot.record(id) else { return true }
            guard record.sequence == sequence else {
                throw StorageError.corrupted(place: "change \(sequence) of document '\(id)'")
            }
            try addAll(record, id)
            progress.advance(by: 1)
            return true
        }
        guard end.documentCount == snapshot.liveCount, end.tombstoneCount == snapshot.deletedCount
        else { throw StorageError.corrupted(place: "the number of documents") }
        text.add(end)
        try passOn()
        progress.finish()
        return ExportSummary(
            documentCount: end.documentCount, tombstoneCount: end.tombstoneCount,
            contentCount: contentCount, missingContentCount: missingCount,
            lastSequence: snapshot.lastSequence, byteCount: byteCount)
    }

    private func header() throws -> ExportHeader {
        let kind: ExportHeader.Contents
        var folder: String?
        switch contents {
        case .inline: kind = .inline
        case .described: kind = .described
        case .folder(let found, let isBeside):
            kind = .files
            if isBeside { folder = found.url.lastPathComponent }
        }
        return ExportHeader(
            documentCount: snapshot.liveCount, tombstoneCount: snapshot.deletedCount,
            lastSequence: snapshot.lastSequence, contents: kind, folder: folder,
            format: try snapshot.hasTrees ? ExportHeader.treeFormat : ExportHeader.plainFormat,
            leafCount: try snapshot.lostLeafCount)
    }

    /// Writes a document, and then its leaves that lost.
    private mutating func addAll(_ record: DocumentRecord, _ id: String) throws {
        guard record.hasTree else { return try add(record, id, nil) }
        let tree = try snapshot.tree(of: id, record)
        for (place, leaf) in tree.sortedLeaves.enumerated() {
            guard var found = try snapshot.leaf(leaf.name, of: id, record),
                let path = tree.path(to: leaf.name)
            else { throw StorageError.corrupted(place: "revision tree of document '\(id)'") }
            if !path.recordAncestors.starts(with: found.ancestors) {
                // It came after two revisions by name, and the other is the greater.
                found.isGiven = true
            }
            found.ancestors = path.recordAncestors
            try add(found, id, path, isLeaf: place > 0)
        }
    }

    private mutating func add(
        _ record: DocumentRecord, _ id: String, _ path: RevisionPath?, isLeaf: Bool = false
    ) throws {
        var coming: [ContentDigest] = []
        for attachment in record.attachments {
            guard try snapshot.hasContent(attachment.digest) else {
                missingCount += 1
                continue
            }
            if case .described = contents { continue }
            coming.append(attachment.digest)
            try addContent(attachment.digest)
        }
        do {
            try record.body.check()
            try text.add(
                ExportedDocument(
                    id: id, record: record, contents: coming, path: path, isLeaf: isLeaf))
        } catch {
            throw StorageError.corrupted(place: "members of document '\(id)'")
        }
        // An import would refuse the line; the time to learn of it is now.
        guard record.hasFittingRevision else {
            throw StorageError.corrupted(place: "revision of document '\(id)'")
        }
        if isLeaf {
            end.leafCount += 1
        } else if record.isDeleted {
            end.tombstoneCount += 1
        } else {
            end.documentCount += 1
        }
        if text.bytes.count >= Self.pieceLength { try passOn() }
    }

    private mutating func addContent(_ digest: ContentDigest) throws {
        guard written.insert(digest) else { return }
        var chunks = StoredChunks(of: digest, in: snapshot)
        switch contents {
        case .described: return
        case .folder(let folder, _):
            if try !folder.holds(digest) {
                try folder.write(digest) { write in
                    while let chunk = try chunks.next() {
                        if isCancelled() { throw CancellationError() }
                        try write(chunk.bytes)
                    }
                }
            }
        case .inline:
            end.contentCount += 1
            while let chunk = try chunks.next() {
                if isCancelled() { throw CancellationError() }
                text.add(chunk)
                if text.bytes.count >= Self.pieceLength { try passOn() }
            }
        }
        contentCount += 1
    }

    private mutating func passOn() throws {
        byteCount += text.bytes.count
        try receive(text.bytes)
        text.removeAll()
    }
}

/// The chunks of a content in a snapshot, verified at their end.
private struct StoredChunks {
    private let digest: ContentDigest
    private let snapshot: StoreSnapshot
    private var hasher = ContentHasher()
    private var index = 0
    private var ahead: [UInt8]?
    private var isOver = false

    init(of digest: ContentDigest, in snapshot: StoreSnapshot) {
        self.digest = digest
        self.snapshot = snapshot
    }

    /// The next chunk, of which content of no bytes has one too; nil at the end.
    mutating func next() throws -> ExportChunk? {
        if isOver { return nil }
        let bytes = try ahead ?? snapshot.chunk(0, of: digest) ?? []
        index += 1
        ahead = try snapshot.chunk(index, of: digest)
        isOver = ahead == nil
        let offset = hasher.length
        hasher.update(bytes)
        guard !isOver || hasher.digest == digest else {
            throw StorageError.corrupted(place: "content \(digest)")
        }
        return ExportChunk(digest: digest, offset: offset, isLast: isOver, bytes: bytes)
    }
}

/// The contents that were written last, so that one that many documents attach is written once.
///
/// A limited number, so that the memory is. A content that comes again after so many others is
/// written again, which does no harm.
struct RecentContents {
    private var digests: Set<ContentDigest> = []
    private static let countMax = 16_384

    /// Remembers a content; false when it was among the last.
    mutating func insert(_ digest: ContentDigest) -> Bool {
        if digests.contains(digest) { return false }
        if digests.count >= Self.countMax { digests.removeAll(keepingCapacity: true) }
        digests.insert(digest)
        return true
    }
}
