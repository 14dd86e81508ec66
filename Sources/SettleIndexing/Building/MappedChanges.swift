import SettleDocuments
package import SettleStorage

/// Changed documents that were mapped in a snapshot, to be taken into the rows by the writer.
package struct MappedChanges: Sendable {
    struct Document: Sendable {
        let id: String
        let rows: [TreeEntry]
        let pointer: TreeEntry?
        let failure: MapFailure?
    }

    /// The slot they are for.
    let slot: Int
    /// The sequence that the index must have.
    let base: UInt64
    /// The sequence that it has afterwards.
    package let reached: UInt64
    /// True when these are all changes of the snapshot, so that the rows are whole afterwards.
    package let isComplete: Bool
    /// Ascending by the bytes of the identifiers.
    let documents: [Document]

    /// How many documents there are.
    package var count: Int { documents.count }

    /// How many documents are mapped before the time is looked at.
    private static let stretch = 64

    /// Maps what changed after the state of a slot.
    ///
    /// - Parameters:
    ///   - definition: The index.
    ///   - slot: Its slot.
    ///   - state: What the slot has in this snapshot.
    ///   - snapshot: Where the documents are read.
    ///   - limit: How many documents to take, and how long the snapshot may be held.
    ///   - crashed: The documents that are not to be mapped.
    ///   - mark: Where the document at work is noted.
    /// - Throws: ``IndexError/corrupted(place:)``, ``StorageError``, `CancellationError`.
    package init(
        of definition: ViewDefinition, slot: Int, state: IndexState, in snapshot: StoreSnapshot,
        limit: MapLimit, crashed: CrashedDocuments, mark: WorkMark?
    ) throws {
        self.slot = slot
        base = state.sequence
        var changes: [(sequence: UInt64, id: [UInt8])] = []
        var isComplete = true
        try snapshot.forEachChange(since: state.sequence) { number, id in
            guard changes.count < limit.countMax else {
                isComplete = false
                return false
            }
            changes.append((number, Array(id.utf8)))
            return true
        }
        var mapped: [[UInt8]: Document] = [:]
        var rest = changes[...]
        while !rest.isEmpty {
            if mapped.count > 0, limit.isOver { break }
            let stretch = rest.prefix(Self.stretch)
            rest = rest.dropFirst(stretch.count)
            try Self.map(
                stretch.map(\.id), of: definition, in: snapshot, limit, crashed, mark,
                into: &mapped)
        }
        self.isComplete = isComplete && rest.isEmpty
        let last = changes[..<rest.startIndex].last?.sequence ?? state.sequence
        reached = self.isComplete ? snapshot.lastSequence : last
        documents = mapped.sorted { KeyBytes.compare($0.key, $1.key) < 0 }.map(\.value)
    }

    private static func map(
        _ ids: [[UInt8]], of definition: ViewDefinition, in snapshot: StoreSnapshot,
        _ limit: MapLimit, _ crashed: CrashedDocuments, _ mark: WorkMark?,
        into mapped: inout [[UInt8]: Document]
    ) throws {
        var mapper = DocumentMapper(definition, crashed: crashed, mark: mark)
        for id in ids.sorted(by: { KeyBytes.compare($0, $1) < 0 }) {
            try limit.checkCancellation()
            let name = String(decoding: id, as: UTF8.self)
            let document = try snapshot.withRow(of: id) { row in
                let failure = try mapper.map(id: id.span, record: row)
                let rows = mapper.collector.rowsOfSoleDocument()
                return Document(
                    id: name, rows: rows.rows, pointer: rows.pointer, failure: failure)
            }
            // A purged document has no record, and so no rows.
            mapped[id] =
                document ?? Document(id: name, rows: [], pointer: nil, failure: nil)
        }
    }
}

/// How much is mapped in one snapshot.
///
/// The file cannot grow while a snapshot is held, and who writes would wait.
package struct MapLimit: Sendable {
    /// The most documents, 1 or more.
    package var countMax: Int
    /// After how many bytes of rows to stop.
    package var byteCountMax: Int
    private let end: ContinuousClock.Instant?
    private let isCancelled: @Sendable () -> Bool

    /// A limit by number, by bytes, and by time from now on; nil for as long as it takes.
    package init(
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
    /// - Returns: By how much the number of documents with an error grew.
    /// - Throws: ``IndexError/corrupted(place:)``, what the engine throws.
    func apply(to tables: IndexTables, of definition: ViewDefinition, hasErrors: Bool) throws -> Int
    {
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
                guard let pointer, KeyBytes.equal(pointer.head.span, head),
                    KeyBytes.equal(pointer.tail.span, tail)
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
        return grown
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
