import SettlePrimitives

/// What a collector holds: rows in the order in which they were emitted, and what they are made of.
struct CollectedRows {
    struct Row {
        /// The number of the interned key.
        let key: UInt32
        let document: UInt32
        /// Where the value begins; it ends where that of the next row begins.
        let valueStart: Int
    }

    struct Document {
        let idStart: Int
        let rowStart: Int
    }

    /// Keys are kept for the next documents as long as they are few and short.
    private static let keptKeyCountMax = 4096
    private static let keptByteCountMax = 0x4_0000

    private(set) var keys = InternedKeys()
    private(set) var values = ByteBuffer()
    private(set) var ids = ByteBuffer()
    private(set) var rows: [Row] = []
    /// The documents that have rows, ascending by id; the open one as well.
    private(set) var documents: [Document] = []

    /// The bytes of memory that these take, without room kept for later.
    var byteCount: Int {
        keys.byteCount + values.count + ids.count + rows.count * MemoryLayout<Row>.stride
            + documents.count * MemoryLayout<Document>.stride
    }

    /// The id of the last document.
    var lastID: String {
        String(decoding: ids.storage[(documents.last?.idStart ?? 0)..<ids.count], as: UTF8.self)
    }

    /// How many rows the last document has.
    var lastRowCount: Int { rows.count - (documents.last?.rowStart ?? 0) }

    /// The greatest number of rows that the last document has with one collation key.
    var lastRowCountOfOneKey: Int {
        var counts: [[UInt8]: Int] = [:]
        for row in rows[(documents.last?.rowStart ?? 0)...] {
            let key = Array(keys.collation.storage[keys.collationRange(Int(row.key))])
            counts[key, default: 0] += 1
        }
        return counts.values.max() ?? 0
    }

    /// Adds a document without rows.
    mutating func addDocument(_ id: Span<UInt8>) {
        if let last = documents.last {
            precondition(
                ids.storage.span.extracting(last.idStart..<ids.count).precedes(id),
                "Documents come to a collector in ascending order of their ids.")
        }
        documents.append(Document(idStart: ids.count, rowStart: rows.count))
        ids.append(id)
    }

    /// Adds a row with a key that is known to the last document; false when the key is not known.
    @inline(__always)
    mutating func addRow(packedKey: Span<UInt8>, packedValue: Span<UInt8>) -> Bool {
        guard let key = keys.number(of: packedKey) else { return false }
        addRow(key: key, packedValue: packedValue)
        return true
    }

    /// Adds a row with a key that is new to the last document.
    mutating func addRow(
        packedKey: Span<UInt8>, collationKey: Span<UInt8>, packedValue: Span<UInt8>
    ) {
        addRow(key: keys.add(packedKey, collationKey: collationKey), packedValue: packedValue)
    }

    @inline(__always)
    private mutating func addRow(key: Int, packedValue: Span<UInt8>) {
        rows.append(
            Row(
                key: UInt32(truncatingIfNeeded: key),
                document: UInt32(truncatingIfNeeded: documents.count &- 1),
                valueStart: values.count))
        values.append(packedValue)
    }

    /// Forgets the last document and its rows.
    mutating func removeLastDocument() {
        guard let document = documents.popLast() else { return }
        if document.rowStart < rows.count {
            values.cut(to: rows[document.rowStart].valueStart)
            rows.removeLast(rows.count - document.rowStart)
        }
        ids.cut(to: document.idStart)
    }

    /// Forgets the documents and rows; keys stay known when they are few.
    mutating func removeAll() {
        values.cut(to: 0)
        ids.cut(to: 0)
        rows.removeAll(keepingCapacity: true)
        documents.removeAll(keepingCapacity: true)
        if keys.count > Self.keptKeyCountMax || keys.byteCount > Self.keptByteCountMax {
            keys.removeAll()
        }
    }

    /// Where the id of that document lies.
    @inline(__always)
    func idRange(_ document: Int) -> Range<Int> {
        let end =
            document &+ 1 < documents.count ? documents[document &+ 1].idStart : ids.count
        return documents[document].idStart..<end
    }

    /// Where the value of that row lies.
    @inline(__always)
    func valueRange(_ row: Int) -> Range<Int> {
        rows[row].valueStart..<(row &+ 1 < rows.count ? rows[row &+ 1].valueStart : values.count)
    }

    /// The rows of that document.
    func rowRange(_ document: Int) -> Range<Int> {
        let end = document + 1 < documents.count ? documents[document + 1].rowStart : rows.count
        return documents[document].rowStart..<end
    }
}
