import SettlePrimitives
import SettleStorage

/// Documents that follow each other, mapped in a snapshot: a piece of a build.
struct MappedRange: Sendable {
    /// Their rows, sorted, in blocks of a bounded size; empty when they are in `rows`.
    let blocks: [SortedRun]
    /// Their rows, sorted within each piece, for the tree; empty when they are in `blocks`.
    let rows: [SortedRun]
    /// Their back pointers, in the order of the documents.
    let pointers: [SortedRun]
    let failures: [MapFailure]
    /// How many documents were looked at, tombstones too.
    let documentCount: Int
    /// The last of them; nil when there were none, or none follow.
    let last: String?
    /// True when no documents follow.
    let isLast: Bool

    /// The bytes of a block: of every run one is held in memory while they are merged.
    private static let blockLength = 256 << 10

    /// Joins pieces that follow each other into one, whose rows are sorted together.
    ///
    /// - Parameters:
    ///   - pieces: The pieces, in order.
    ///   - directCountMax: The most rows that may go into the tree without being stored in between,
    ///     when no documents follow. 0 unless these are the only rows of the build.
    /// - Complexity: O(n log k) for n rows of k pieces.
    /// - Throws: ``IndexError/corrupted(place:)`` when a piece is damaged.
    init(joining pieces: [MappedPiece], directCountMax: Int = 0) throws {
        documentCount = pieces.reduce(0) { $0 + $1.documentCount }
        failures = pieces.flatMap(\.failures)
        last = pieces.last { $0.last != nil }?.last
        isLast = pieces.last?.isLast ?? false
        let runs = pieces.compactMap(\.rows)
        let isDirect = isLast && runs.reduce(0) { $0 + $1.entryCount } <= directCountMax
        rows = isDirect ? runs : []
        blocks = isDirect ? [] : try SortedRun.blocks(of: runs, lengthMax: Self.blockLength)
        pointers = pieces.compactMap(\.pointers)
    }
}

/// What one worker has mapped in one go.
struct MappedPiece: Sendable {
    let rows: SortedRun?
    let pointers: SortedRun?
    let failures: [MapFailure]
    /// How many documents were looked at, tombstones too.
    let documentCount: Int
    /// The last of them; nil when there were none.
    let last: String?
    /// True when no documents follow.
    let isLast: Bool
    /// The memory it takes, roughly.
    var byteCount: Int { (rows?.bytes.count ?? 0) + (pointers?.bytes.count ?? 0) }
}

/// Documents by their identifiers, after the first and up to the second, that one worker maps.
struct DocumentRange: Sendable, Equatable {
    /// The last document before them; nil for the beginning.
    let after: String?
    /// The last of them; nil when they go on to the end.
    let through: String?

    fileprivate init(after: String?, through: String?) {
        self.after = after
        self.through = through
    }

    /// The next documents.
    ///
    /// - Parameters:
    ///   - after: The last document that was given to a worker.
    ///   - countMax: The most documents.
    ///   - snapshot: A state of the store.
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    /// - Complexity: O(countMax) key reads.
    init(after: String?, countMax: Int, in snapshot: StoreSnapshot) throws {
        var count = 0
        var last: [UInt8]?
        try snapshot.forEachRow(after: after) { id, _ in
            count += 1
            if count == countMax { last = id.rest(from: 0) }
            return count < countMax
        }
        self.after = after
        through = try last.map { bytes in
            guard let id = String(validating: bytes, as: UTF8.self) else {
                throw IndexError.corrupted(place: "a key of table 'documents'")
            }
            return id
        }
    }
}

/// Maps ranges of documents, one after the other; one for each worker of a build.
final class RangeMapper {
    private var mapper: DocumentMapper
    /// After how many documents it is asked whether the work is wanted still: after each when the
    /// map is code of an application, which may take long.
    private let cancellationStretch: Int

    /// A mapper that notes the document at work in a slot of its own.
    init(
        _ definition: IndexDefinition, crashed: PoisonDocuments, guardSlot: CrashGuardSlot?
    ) {
        mapper = DocumentMapper(definition, crashed: crashed, guardSlot: guardSlot)
        cancellationStretch = definition.mayTrap ? 1 : Self.stretch
    }

    /// How many documents are mapped before time and memory are looked at.
    private static let stretch = 16

    /// Maps the documents of a range as they are in a snapshot, as far as the limit lets it.
    ///
    /// - Returns: What was mapped, and the documents of the range that are left, if any.
    /// - Throws: ``IndexError/corrupted(place:)``, ``StorageError``, `CancellationError`.
    func map(
        _ range: DocumentRange, limit: MapLimit, in snapshot: StoreSnapshot
    ) throws -> (piece: MappedPiece, rest: DocumentRange?) {
        let end = range.through.map { Array($0.utf8) }
        var count = 0
        var last: [UInt8]?
        var isStopped = false
        var mapper = mapper
        try snapshot.forEachRow(after: range.after) { id, row in
            if let end, id.follows(end) { return false }
            if count % cancellationStretch == 0 { try limit.checkCancellation() }
            if count > 0, count % Self.stretch == 0 {
                isStopped = limit.isOver || mapper.collector.byteCount >= limit.byteCountMax
                if isStopped { return false }
            }
            count += 1
            try mapper.map(id: id, record: row)
            if count % Self.stretch == 0 { last = id.rest(from: 0) }
            return true
        }
        let collector = mapper.collector
        let pointers = collector.makePointerRun()
        let rows = collector.makeRun()
        let failures = mapper.takeFailures()
        self.mapper = mapper
        let reached = isStopped ? last.map { String(decoding: $0, as: UTF8.self) } : range.through
        let piece = MappedPiece(
            rows: rows.entryCount > 0 ? rows : nil,
            pointers: pointers.entryCount > 0 ? pointers : nil, failures: failures,
            documentCount: count, last: reached, isLast: reached == nil)
        return (piece, isStopped ? DocumentRange(after: reached, through: range.through) : nil)
    }
}

extension Span where Element == UInt8 {
    /// True when the bytes come after others, byte by byte and then by length.
    fileprivate func follows(_ other: [UInt8]) -> Bool {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
            return self[index] > other[index]
        }
        return count > other.count
    }
}
