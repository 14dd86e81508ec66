import SettleDocuments
import SettleIndexing
import SettleStorage

/// One consistent state of a database.
///
/// Valid only inside the closure it was handed to (``Database/read(named:_:)``, ``Database/write(_:)``);
/// reading from it later traps. What it returns may be kept.
///
/// ```swift
/// let (count, plum) = try database.read { snapshot in
///     (snapshot.documentCount, try snapshot.document("plum"))
/// }
/// ```
public class Snapshot {
    let base: StoreSnapshot
    /// The database that it is a state of.
    public let database: Database

    init(_ base: StoreSnapshot, of database: Database) {
        self.base = base
        self.database = database
    }

    /// The sequence of the last change in this state.
    public var sequence: UInt64 { base.lastSequence }

    /// Purges up to this sequence are no longer listed among the changes; 0 while all are.
    ///
    /// Who follows the changes and has come no further must look at everything once.
    public var forgottenPurgeSequence: UInt64 { base.purgesForgotten }

    /// The number of documents that are not deleted.
    public var documentCount: Int { base.liveCount }

    /// The number of tombstones.
    public var deletedDocumentCount: Int { base.deletedCount }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - includingDeleted: True to get a tombstone too; `metaData.isDeleted` tells.
    /// - Returns: The document, or nil when there is none.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    /// - Complexity: O(log n) page reads.
    public func document(_ id: String, includingDeleted: Bool = false) throws -> Document? {
        try DatabaseError.translating {
            guard let record = try base.record(id), includingDeleted || !record.isDeleted else {
                return nil
            }
            return try Document(id: id, record: record, in: database.store)
        }
    }

    /// Walks the documents in the byte order of their identifiers.
    ///
    /// - Parameters:
    ///   - id: Where to start; this document is not included. Nil for the first.
    ///   - includingDeleted: True to get tombstones too.
    ///   - body: Called with each document; answers false to stop.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read; what `body` throws.
    public func forEachDocument(
        after id: String? = nil, includingDeleted: Bool = false,
        _ body: (Document) throws -> Bool
    ) throws {
        try DatabaseError.translating {
            try base.forEachRecord(after: id) { id, record in
                guard includingDeleted || !record.isDeleted else { return true }
                return try body(try Document(id: id, record: record, in: database.store))
            }
        }
    }

    /// The last change of a document, also of a deleted one; nil when there never was one.
    ///
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    public func lastChange(of id: String) throws -> DocumentChange? {
        try DatabaseError.translating {
            try base.record(id).map { DocumentChange(id: id, record: $0) }
        }
    }

    /// The changes after a sequence; see ``Database/changeBatch(since:limit:)``.
    public func changes(since sequence: UInt64, limit: Int = .max) throws -> ChangeBatch {
        guard limit > 0 else { return ChangeBatch(changes: [], lastSequence: sequence) }
        return try DatabaseError.translating {
            var changes: [DocumentChange] = []
            var last = max(sequence, base.lastSequence)
            try base.forEachChange(since: sequence) { number, id in
                guard changes.count < limit else {
                    last = changes.last?.sequence ?? sequence
                    return false
                }
                guard let record = try base.record(id) else {
                    changes.append(DocumentChange(purgeOf: id, sequence: number))
                    return true
                }
                guard record.sequence == number else {
                    throw StorageError.corrupted(place: "change \(number) of document '\(id)'")
                }
                changes.append(DocumentChange(id: id, record: record))
                return true
            }
            return ChangeBatch(changes: changes, lastSequence: last)
        }
    }

    /// The side table with a name; nil when nothing was ever written to it.
    ///
    /// - Parameter name: The name; see ``Transaction/sideTable(named:)``.
    /// - Returns: The table, to read only.
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    public func table(_ name: String) throws -> SideTable? {
        try DatabaseError.translating {
            try base.table(named: SideTable.prefix + name).map { SideTable($0) }
        }
    }
}
