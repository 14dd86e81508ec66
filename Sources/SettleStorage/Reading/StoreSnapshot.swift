package import SettleDocuments
import SettleLMDB

/// One consistent state of the store, valid only inside the closure it was handed to.
package class StoreSnapshot {
    let reader: ReadTransaction
    let tables: StoreTables
    /// The numbers as of this state.
    var counters: StoreCounters

    init(reader: ReadTransaction, tables: StoreTables) throws {
        self.reader = reader
        self.tables = tables
        self.counters = try StoreCounters(from: tables.meta, in: reader)
    }

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
            try DocumentRecord(decoding: row, id: id)
        }
    }

    /// Walks the changes after a sequence, each document once, at its last change.
    ///
    /// - Parameters:
    ///   - sequence: Where to start; the change with this sequence is not included.
    ///   - body: Called with the sequence and the identifier, ascending; answers false to stop.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``, what `body` throws.
    package func forEachChange(
        since sequence: UInt64, _ body: (_ sequence: UInt64, _ id: String) throws -> Bool
    ) throws {
        guard sequence < lastSequence else { return }
        var start: [UInt8] = []
        start.append(fixed64: sequence)
        try reader.forEach(in: tables.sequences, from: .excluding(start)) { key, value in
            var position = 0
            guard let number = key.fixed64(at: &position), key.count == 8,
                let id = String(validating: value.rest(from: 0), as: UTF8.self)
            else { throw StorageError.corrupted(place: "a row of table 'sequences'") }
            return try body(number, id)
        }
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
            return try body(id, try DocumentRecord(decoding: value, id: id))
        }
    }

    /// Reads the content of an attachment; nil when it is not here.
    ///
    /// - Throws: ``StorageError/corrupted(place:)`` when what is stored does not have the digest.
    package func content(_ digest: ContentDigest) throws -> [UInt8]? {
        try tables.blobs.content(digest, in: reader)
    }

    /// True when the content of an attachment is here.
    package func hasContent(_ digest: ContentDigest) throws -> Bool {
        try tables.blobs.contains(digest, in: reader)
    }

    /// Finds a table that the floors above keep; nil when it was never made.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package func table(named name: String) throws -> OrderedTable? {
        try reader.table(named: StoreTables.guestPrefix + name).map { OrderedTable($0, in: self) }
    }
}
