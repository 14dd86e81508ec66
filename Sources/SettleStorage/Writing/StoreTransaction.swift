package import SettleDocuments
import SettleLMDB

/// A state of the store that is being changed, valid only inside the closure it was handed to.
///
/// Several callers' closures may share one engine transaction (see ``Writer``); each sees what
/// the ones before it did.
package final class StoreTransaction: StoreSnapshot {
    /// The engine's transaction, for the tables of the floors above.
    ///
    /// Taking it counts as writing, so that a closure that fails after it is rolled back.
    var writer: WriteTransaction {
        hasWritten = true
        return engine
    }

    /// The changes that the running closure has made so far.
    package private(set) var changes: [RecordChange] = []
    /// True once the running closure has changed anything.
    private(set) var hasWritten = false

    private let engine: WriteTransaction
    private let now: Timestamp
    /// By the bytes of the identifiers, because strings compare by canonical equivalence.
    private var recordsBefore: [[UInt8]: DocumentRecord?] = [:]

    init(engine: WriteTransaction, tables: StoreTables, now: Timestamp) throws {
        self.engine = engine
        self.now = now
        try super.init(reader: engine, tables: tables)
    }

    /// Forgets what the closure before did, so that the next one is judged alone.
    func beginClosure() {
        changes = []
        hasWritten = false
        recordsBefore = [:]
    }

    /// Writes the numbers that go with the changes.
    func finish() throws {
        try counters.write(to: tables.meta, in: engine)
    }

    /// The record as it was before the running closure, tombstones too.
    package func previousRecord(_ id: String) throws -> DocumentRecord? {
        if let remembered = recordsBefore[Array(id.utf8)] { return remembered }
        return try record(id)
    }

    /// Stores a document, or its deletion, as a new revision.
    ///
    /// - Parameters:
    ///   - id: A valid identifier.
    ///   - body: The members; an empty object for a deletion that keeps none.
    ///   - attachments: What is attached; the content must be stored (``store(content:)``).
    ///   - isDeleted: True to leave a tombstone.
    ///   - precondition: What must be true of the document that is there.
    ///   - origin: The replication the change comes from; nil for one made on this device.
    /// - Returns: The record that is stored now.
    /// - Throws: ``StorageError/documentExists(id:current:)``, ``StorageError/documentNotFound(id:)``,
    ///   ``StorageError/conflict(id:current:)`` as the precondition says, before anything is
    ///   written; ``LMDBError`` when the engine cannot.
    /// - Complexity: O(log n) page reads and writes.
    @discardableResult
    package func put(
        _ id: String, body: PackedValue, attachments: [AttachmentRecord] = [],
        isDeleted: Bool = false, precondition: Precondition, origin: String?
    ) throws -> DocumentRecord {
        let existing = try check(id, precondition, origin: origin)
        remember(existing, of: id)

        let parent = existing?.revision
        var ancestors: [[UInt8]] = []
        if let existing {
            ancestors = Array(
                ([existing.revision.digest] + existing.ancestors)
                    .prefix(DocumentRecord.ancestorCountMax))
        }
        let isSuccessor = existing.map { !$0.isDeleted } ?? false
        let record = DocumentRecord(
            sequence: counters.lastSequence + 1,
            revision: Revision(
                parent: parent, isDeleted: isDeleted, body: body,
                attachments: attachments.isEmpty ? [] : AttachmentRecord.encode(attachments)),
            ancestors: ancestors,
            isDeleted: isDeleted,
            created: isSuccessor || isDeleted ? existing?.created ?? now : now,
            changed: now,
            origin: origin,
            attachments: attachments,
            body: body)
        try write(record, of: id, replacing: existing)
        return record
    }

    /// Stores content, so that a document put in this closure may attach it.
    ///
    /// Content that no document of the closure attaches stays behind, so store only what is put.
    ///
    /// - Returns: What the content is found under.
    /// - Throws: ``LMDBError`` when the engine cannot.
    package func store(content: [UInt8]) throws -> ContentDigest {
        let digest = ContentDigest(of: content)
        try tables.blobs.store(content, as: digest, in: writer)
        return digest
    }

    /// Finds or makes a table that a floor above keeps.
    ///
    /// - Throws: ``LMDBError`` when the engine cannot.
    package func createTable(named name: String) throws -> OrderedTable {
        if let table = try table(named: name) { return table }
        return OrderedTable(
            try writer.createTable(named: StoreTables.guestPrefix + name), in: self)
    }

    /// Refuses what ``put(_:body:attachments:isDeleted:precondition:origin:)`` would refuse, before
    /// content for it is stored.
    ///
    /// - Returns: The record that is there now.
    /// - Throws: As `put`.
    @discardableResult
    package func check(
        _ id: String, _ precondition: Precondition, origin: String?
    ) throws -> DocumentRecord? {
        if let length = origin?.utf8.count, length > DocumentRecord.originLengthMax {
            throw StorageError.originTooLong(length: length)
        }
        let existing = try record(id)
        try precondition.check(id, against: existing)
        return existing
    }

    private func write(
        _ record: DocumentRecord, of id: String, replacing existing: DocumentRecord?
    ) throws {
        hasWritten = true
        let key = Array(id.utf8)
        // The new references first, so that content both have is not removed in between.
        try countReferences(of: record, by: 1)
        if let existing {
            try countReferences(of: existing, by: -1)
            try engine.delete(Self.sequenceKey(existing.sequence), from: tables.sequences)
            count(existing, by: -1)
        }
        try engine.put(record.encoded(), for: key, in: tables.documents)
        try engine.append(key, for: Self.sequenceKey(record.sequence), in: tables.sequences)
        count(record, by: 1)
        counters.lastSequence = record.sequence
        changes.append(
            RecordChange(
                id: id, sequence: record.sequence, revision: record.revision,
                isDeleted: record.isDeleted, origin: record.origin))
    }

    private func countReferences(of record: DocumentRecord, by step: Int) throws {
        for attachment in record.attachments {
            try tables.blobs.count(attachment.digest, by: step, in: engine)
        }
    }

    private func remember(_ record: DocumentRecord?, of id: String) {
        let key = Array(id.utf8)
        if recordsBefore.index(forKey: key) == nil {
            recordsBefore.updateValue(record, forKey: key)
        }
    }

    private func count(_ record: DocumentRecord, by step: Int64) {
        if record.isDeleted {
            counters.deletedCount = counters.deletedCount &+ UInt64(bitPattern: step)
        } else {
            counters.liveCount = counters.liveCount &+ UInt64(bitPattern: step)
        }
    }

    private static func sequenceKey(_ sequence: UInt64) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(8)
        key.append(fixed64: sequence)
        return key
    }
}
