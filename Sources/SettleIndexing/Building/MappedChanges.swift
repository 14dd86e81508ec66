import SettleDocuments
import SettlePrimitives
import SettleStorage

/// Changed documents that were mapped in a snapshot, to be taken into the rows by the writer.
struct MappedChanges: Sendable {
    struct Document: Sendable {
        let id: String
        let rows: [TreeEntry]
        let pointer: TreeEntry?
        let failure: MapFailure?

        /// The memory it takes, roughly.
        var byteCount: Int {
            let pointerCount = pointer.map(\.byteCount) ?? 0
            return rows.reduce(id.utf8.count + pointerCount) { $0 + $1.byteCount }
        }
    }

    /// The slot they are for.
    let slot: Int
    /// The sequence that the index must have.
    let base: UInt64
    /// The sequence that it has afterwards.
    let reached: UInt64
    /// The last sequence of the snapshot.
    let latest: UInt64
    /// True when these are all changes of the snapshot, so that the rows are whole afterwards.
    let isComplete: Bool
    /// Ascending by the bytes of the identifiers.
    let documents: [Document]

    /// How many documents there are.
    var count: Int { documents.count }

    /// How many documents are mapped, in the order they lie in, before the time is looked at.
    private static let stretch = 64

    /// Maps what changed after the state of a slot.
    ///
    /// - Parameters:
    ///   - definition: The index.
    ///   - slot: Its slot.
    ///   - state: What the slot has in this snapshot.
    ///   - snapshot: Where the documents are read.
    ///   - limit: How many documents to take, how many bytes of rows, and how long the snapshot may
    ///     be held. The memory passes the limit by no more than the rows of one document.
    ///   - crashed: The documents that are not to be mapped.
    ///   - guardSlot: Where the document at work is noted.
    /// - Throws: ``IndexError/corrupted(place:)``, ``StorageError``, `CancellationError`.
    init(
        of definition: IndexDefinition, slot: Int, state: IndexState, in snapshot: StoreSnapshot,
        limit: MapLimit, crashed: PoisonDocuments, guardSlot: CrashGuardSlot?
    ) throws {
        self.slot = slot
        base = state.sequence
        latest = snapshot.lastSequence
        let (changes, areAll) = try Self.changes(after: state.sequence, in: snapshot, limit)
        var mapped: [[UInt8]: Document] = [:]
        var byteCount = 0
        var takenCount = 0
        while takenCount < changes.count {
            if takenCount > 0, limit.isOver || byteCount >= limit.byteCountMax { break }
            let stretch = changes[takenCount...].prefix(Self.stretch)
            var found = try Self.map(
                stretch.map(\.id), of: definition, in: snapshot, limit,
                limit.byteCountMax - byteCount, crashed, guardSlot)
            if takenCount == 0, found[stretch[0].id] == nil {
                // One change at least is taken, or there would be no end.
                found = try Self.map(
                    [stretch[0].id], of: definition, in: snapshot, limit, .max, crashed, guardSlot)
            }
            // When the bytes did not last for the stretch, those stay that lack no earlier change.
            let part = stretch.prefix { found[$0.id] != nil }
            for change in part {
                mapped[change.id] = found[change.id]
                byteCount += found[change.id]?.byteCount ?? 0
            }
            takenCount += part.count
            if part.count < stretch.count { break }
        }
        isComplete = areAll && takenCount == changes.count
        let last = changes[..<takenCount].last?.sequence ?? state.sequence
        reached = isComplete ? latest : last
        documents = mapped.sorted { KeyBytes.compare($0.key, $1.key) < 0 }.map(\.value)
    }

    /// The next changes by sequence, as many as the limit lets be listed, and whether these are all.
    private static func changes(
        after sequence: UInt64, in snapshot: StoreSnapshot, _ limit: MapLimit
    ) throws -> (changes: [(sequence: UInt64, id: [UInt8])], areAll: Bool) {
        var changes: [(sequence: UInt64, id: [UInt8])] = []
        var areAll = true
        var byteCount = 0
        try snapshot.forEachChange(since: sequence) { number, id in
            guard changes.count < limit.countMax, byteCount < limit.byteCountMax else {
                areAll = false
                return false
            }
            changes.append((number, Array(id.utf8)))
            byteCount += id.utf8.count + MemoryLayout<(UInt64, [UInt8])>.stride
            return true
        }
        return (changes, areAll)
    }

    /// Maps documents, in the order they lie in, until their rows take more than so many bytes.
    private static func map(
        _ ids: [[UInt8]], of definition: IndexDefinition, in snapshot: StoreSnapshot,
        _ limit: MapLimit, _ byteCountMax: Int, _ crashed: PoisonDocuments,
        _ guardSlot: CrashGuardSlot?
    ) throws -> [[UInt8]: Document] {
        var mapper = DocumentMapper(definition, crashed: crashed, guardSlot: guardSlot)
        var mapped: [[UInt8]: Document] = [:]
        var byteCount = 0
        for id in ids.sorted(by: { KeyBytes.compare($0, $1) < 0 }) {
            if byteCount >= byteCountMax { break }
            try limit.checkCancellation()
            let name = String(decoding: id, as: UTF8.self)
            let document =
                try snapshot.withRow(of: id) { row in
                    let failure = try mapper.map(id: id.span, record: row)
                    let rows = mapper.collector.rowsOfSoleDocument()
                    return Document(
                        id: name, rows: rows.rows, pointer: rows.pointer, failure: failure)
                }
                // A purged document has no record, and so no rows.
                ?? Document(id: name, rows: [], pointer: nil, failure: nil)
            byteCount += document.byteCount
            mapped[id] = document
        }
        return mapped
    }
}

extension TreeEntry {
    /// The memory it takes, roughly.
    fileprivate var byteCount: Int {
        // An array has 32 bytes before its elements.
        key.count + head.count + tail.count + 3 * 32 + MemoryLayout<TreeEntry>.stride
    }
}

/// How much is mapped in one snapshot.
///
/// The file cannot grow while a snapshot is held, and who writes would wait.
struct MapLimit: Sendable {
    /// The most documents, 1 or more.
    var countMax: Int
    /// After how many bytes of rows to stop, 1 or more.
    var byteCountMax: Int
    private let end: ContinuousClock.Instant?
    private let isCancelled: @Sendable () -> Bool

    /// A limit by number, by bytes, and by time from now on; nil for as long as it takes.
    init(
        countMax: Int, byteCountMax: Int = 16 << 20, duration: Duration? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
    ) {
        self.countMax = countMax
        self.byteCountMax = byteCountMax
        self.isCancelled = isCancelled
        end = duration.map { ContinuousClock.now + $0 }
    }

    func checkCancellation() throws {
        if isCancelled() { throw CancellationError() }
    }

    var isOver: Bool { end.map { ContinuousClock.now >= $0 } ?? false }
}

extension MappedChanges {
    /// Puts the rows into the tables.
    ///
    /// - Returns: By how much the number of documents with an error grew, and what rows it is about.
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    func apply(
        to tables: IndexTables, of definition: IndexDefinition, hasErrors: Bool
    ) throws -> (errorGrowth: Int, rows: RowChanges) {
        let encoder = KeyEncoder(definition.collation)
        let failures = MapFailureTable(tables.side)
        var rowEdits: [TreeEdit] = []
        var pointerEdits: [TreeEdit] = []
        var grown = 0
        for document in documents {
            let key = Array(document.id.utf8)
            let pointer = document.pointer
            // The pointer tells the keys of the rows: with the same one, at most values have changed.
            let stored = try tables.documents.withEntry(for: key) { head, tail in
                guard let pointer, pointer.head.span.isSame(as: head),
                    pointer.tail.span.isSame(as: tail)
                else {
                    return StoredPointer.other(
                        try IndexRowKey.keys(
                            ofPointer: head, tail: tail, id: key.span, encoder: encoder))
                }
                return .same
            }
            var isPointerNew = pointer != nil
            switch stored {
            case .same?: isPointerNew = false
            case .other(let keys)?:
                rowEdits.append(contentsOf: Self.removals(of: keys, unlessIn: document.rows))
                isPointerNew = true
            case nil: break
            }
            if isPointerNew {
                pointerEdits.append(
                    TreeEdit(key: key, entry: pointer.map { ($0.head, $0.tail) }))
            }
            for row in document.rows {
                rowEdits.append(TreeEdit(key: row.key, entry: (row.head, row.tail)))
            }
            if hasErrors || document.failure != nil {
                let had = try failures.failure(of: document.id) != nil
                if let failure = document.failure {
                    try failures.set(failure)
                } else if had {
                    try failures.remove(document.id)
                }
                grown += (document.failure == nil ? 0 : 1) - (had ? 1 : 0)
            }
        }
        rowEdits.sort { KeyBytes.compare($0.key, $1.key) < 0 }
        if !rowEdits.isEmpty { _ = try tables.rows.apply(rowEdits) }
        if !pointerEdits.isEmpty { _ = try tables.documents.apply(pointerEdits) }
        // Without a new pointer or one that goes, every row has the key of one that was there.
        let rows = RowChanges(
            slot: slot, base: base, reached: reached, keys: rowEdits.map(\.key),
            documentIDs: documents.map(\.id), keepsKeys: pointerEdits.isEmpty)
        return (grown, rows)
    }

    /// What the table has for a document that was mapped.
    private enum StoredPointer {
        /// The pointer that the document has now.
        case same
        /// Another one; the keys of its rows, ascending.
        case other([[UInt8]])
    }

    /// Removes those rows whose keys are not among the others; both ascend by their keys.
    private static func removals(
        of keys: [[UInt8]], unlessIn rows: [TreeEntry]
    ) -> [TreeEdit] {
        var edits: [TreeEdit] = []
        var index = 0
        for key in keys {
            while index < rows.count, KeyBytes.compare(rows[index].key, key) < 0 { index += 1 }
            if index < rows.count, rows[index].key == key { continue }
            edits.append(TreeEdit(key: key, entry: nil))
        }
        return edits
    }
}
