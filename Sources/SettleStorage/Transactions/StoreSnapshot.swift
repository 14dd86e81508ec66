import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// One consistent state of the store, valid only inside the closure it was handed to.
package class StoreSnapshot {
    let reader: ReadTransaction
    let tables: StoreTables
    /// The numbers as of this state.
    var counters: StoreCounters
    /// The names of origins by their numbers, as far as this state was asked for them.
    var origins: [UInt64: String] = [:]
    /// The tables of revision trees, once they were found.
    var knownTreeTables: TreeTables?

    init(reader: ReadTransaction, tables: StoreTables) throws {
        self.reader = reader
        self.tables = tables
        self.counters = try StoreCounters(from: tables.meta, in: reader)
    }

    /// The number of the commit that made this state; see ``Store/lastTransaction()``.
    package var transactionNumber: UInt64 { reader.transactionNumber }
    /// The sequence of the last change in this state; 0 in a new store.
    package var lastSequence: UInt64 { counters.lastSequence }
    /// The number of documents that are not deleted.
    package var liveCount: Int { Int(clamping: counters.liveCount) }
    /// The number of tombstones.
    package var deletedCount: Int { Int(clamping: counters.deletedCount) }

    /// Reads the record of a document, tombstones too.
    ///
    /// - Parameter id: The identifier. One that no document can have has no record.
    /// - Returns: The record, or nil when there never was such a document.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package func record(_ id: String) throws -> DocumentRecord? {
        let key = Array(id.utf8)
        guard !key.isEmpty, key.count <= DocumentIdentifier.byteCountMax else { return nil }
        return try reader.withValue(for: key, in: tables.documents) { row in
            try record(decoding: row, id: id)
        }
    }

    /// Reads a stored record of this state.
    ///
    /// - Parameters:
    ///   - row: The bytes of the row.
    ///   - id: The identifier the row was found under, for the error.
    /// - Returns: The record, with the name of its origin.
    /// - Throws: ``StorageError/corrupted(place:)`` when the bytes are not a record; ``LMDBError``.
    package func record(decoding row: Span<UInt8>, id: String) throws -> DocumentRecord {
        var record = try DocumentRecord(decoding: row, id: id)
        if let number = record.originNumber {
            record.origin = try origin(number)
            record.originNumber = nil
        }
        return record
    }

    /// True in a transaction, whose writes may move the bytes of rows.
    package var isWriting: Bool { reader is WriteTransaction }

    /// The stored bytes of a record, in place; for snapshots only, a transaction traps.
    ///
    /// - Parameter key: The identifier in UTF-8.
    /// - Returns: The row; nil when there never was such a document.
    /// - Throws: ``LMDBError``.
    @_lifetime(borrow self)
    package func row(of key: [UInt8]) throws -> Span<UInt8>? {
        guard !key.isEmpty, key.count <= DocumentIdentifier.byteCountMax else { return nil }
        return try reader.span(for: key, in: tables.documents, heldBy: self)
    }

    /// Hands the stored bytes of a record to a closure, in place.
    ///
    /// - Parameters:
    ///   - key: The identifier in UTF-8.
    ///   - body: Gets the row, valid during the call.
    /// - Returns: What `body` returns; nil when there never was such a document.
    /// - Throws: ``LMDBError``, what `body` throws.
    package func withRow<Value>(
        of key: [UInt8], _ body: (Span<UInt8>) throws -> Value
    ) throws -> Value? {
        guard !key.isEmpty, key.count <= DocumentIdentifier.byteCountMax else { return nil }
        return try reader.withValue(for: key, in: tables.documents, body)
    }

    /// Walks the stored bytes of every record in the byte order of the identifiers, in place.
    ///
    /// - Parameters:
    ///   - id: Where to start; a document with this identifier is not included; nil for the first.
    ///   - body: Called with each identifier and row, both valid during the call; answers false to
    ///     stop.
    /// - Throws: ``LMDBError``, what `body` throws.
    package func forEachRow(
        after id: String? = nil, _ body: (_ id: Span<UInt8>, _ row: Span<UInt8>) throws -> Bool
    ) throws {
        let start: Bound = id.map { .excluding(Array($0.utf8)) } ?? .unbounded
        try reader.forEach(in: tables.documents, from: start, body)
    }

    /// Walks the stored bytes of the records of a range of identifiers in place, in their byte order or backwards.
    ///
    /// - Parameters:
    ///   - lower: The lowest identifier that counts; nil for the first.
    ///   - upper: The highest; nil for the last.
    ///   - isDescending: True to begin at the highest.
    ///   - body: As in ``forEachRow(after:_:)``.
    /// - Throws: ``LMDBError``, what `body` throws.
    package func forEachRow(
        from lower: String?, to upper: String?, isDescending: Bool,
        _ body: (_ id: Span<UInt8>, _ row: Span<UInt8>) throws -> Bool
    ) throws {
        // Nothing is below the empty one, and it is none.
        if upper?.isEmpty ?? false { return }
        func bound(_ id: String?) -> Bound {
            guard let id, !id.isEmpty else { return .unbounded }
            return .including(Array(id.utf8))
        }
        try reader.forEach(
            in: tables.documents, from: bound(lower), to: bound(upper),
            direction: isDescending ? .backward : .forward, body)
    }

    /// The identifier, as bytes, of the document whose last change has a sequence.
    func id(atSequence sequence: UInt64) throws -> [UInt8]? {
        var key: [UInt8] = []
        key.append(fixed64: sequence)
        return try reader.value(for: key, in: tables.sequences)
    }

    /// Walks every record in the byte order of the identifiers, tombstones too.
    ///
    /// - Parameters:
    ///   - id: Where to start; a document with this identifier is not included; nil for the first.
    ///   - body: Called with each record; answers false to stop.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``, what `body` throws.
    package func forEachRecord(
        after id: String? = nil, _ body: (_ id: String, _ record: DocumentRecord) throws -> Bool
    ) throws {
        let start: Bound = id.map { .excluding(Array($0.utf8)) } ?? .unbounded
        try reader.forEach(in: tables.documents, from: start) { key, value in
            guard let id = String(validating: key.rest(from: 0), as: UTF8.self) else {
                throw StorageError.corrupted(place: "a key of table 'documents'")
            }
            return try body(id, try record(decoding: value, id: id))
        }
    }

    /// Finds a table that the layers above keep; nil when it was never made.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package func table(named name: String) throws -> OrderedTable? {
        try reader.table(named: StoreTables.guestPrefix + name).map { OrderedTable($0, in: self) }
    }
}
