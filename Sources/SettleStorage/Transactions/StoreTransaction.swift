package import SettleDocuments
import SettleLMDB
import SettlePrimitives

/// A state of the store that is being changed, valid only inside the closure it was handed to.
///
/// Several callers' closures may share one engine transaction (see ``Writer``); each sees what
/// the ones before it did.
package final class StoreTransaction: StoreSnapshot {
    /// The engine's transaction, for the tables of the layers above.
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

    /// What counts as now in this transaction.
    package let now: Timestamp
    /// True once a document got a date at which it is purged.
    private(set) var setsExpirations = false
    /// Uploads that this closure made for documents of its own.
    var uploadsToEnd: [UInt64] = []

    /// The origin that was written last, and its number.
    var lastOrigin: (name: [UInt8], number: UInt64)?

    private let engine: WriteTransaction
    /// What was there before a change of ``changes``, by its index; nothing for a new document.
    private var befores: [Int: DocumentRecord] = [:]
    /// The first of ``changes`` for each document, as far as anybody asked; by the bytes of the
    /// identifiers, because strings compare by canonical equivalence.
    private var firstChanges: [[UInt8]: Int] = [:]
    private var firstChangesCount = 0

    init(engine: WriteTransaction, tables: StoreTables, now: Timestamp) throws {
        self.engine = engine
        self.now = now
        try super.init(reader: engine, tables: tables)
    }

    /// Forgets what the closure before did, so that the next one is judged alone.
    func beginClosure() {
        changes = []
        befores = [:]
        firstChanges = [:]
        firstChangesCount = 0
        hasWritten = false
        uploadsToEnd = []
    }

    /// Ends a closure that succeeded.
    func endClosure() throws {
        // The documents have counted what they attach; the lease is over.
        for upload in uploadsToEnd { try endUpload(upload) }
        uploadsToEnd = []
    }

    /// Writes the numbers that go with the changes.
    func finish() throws {
        try counters.write(to: tables.meta, in: engine)
    }

    /// The record as it was before the running closure, tombstones too.
    package func previousRecord(_ id: String) throws -> DocumentRecord? {
        while firstChangesCount < changes.count {
            let key = Array(changes[firstChangesCount].id.utf8)
            if firstChanges[key] == nil { firstChanges[key] = firstChangesCount }
            firstChangesCount += 1
        }
        if let index = firstChanges[Array(id.utf8)] { return befores[index] }
        return try record(id)
    }

    /// Stores a document, or its deletion, as a new revision.
    ///
    /// - Parameters:
    ///   - id: A valid identifier.
    ///   - body: The members; an empty object for a deletion that keeps none.
    ///   - attachments: What is attached; the content must be stored (``store(content:)``).
    ///   - isDeleted: True to leave a tombstone.
    ///   - expiration: When it is to be purged; a deletion is never.
    ///   - firstDigest: The digest of the revision that `body` alone makes, should it be known;
    ///     it saves working it out when there was no such document.
    ///   - precondition: What must be true of the document that is there.
    ///   - origin: The replication the change comes from; nil for one made on this device.
    ///   - isHeld: True when a hold is to follow (``hold(_:of:by:note:)``), which then need not write
    ///     the record again.
    /// - Returns: The record that is stored now.
    /// - Throws: ``StorageError/documentExists(id:current:)``, ``StorageError/documentNotFound(id:)``,
    ///   ``StorageError/conflict(id:current:)`` as the precondition says, before anything is
    ///   written; ``LMDBError`` when the engine cannot.
    /// - Complexity: O(log n) page reads and writes.
    @discardableResult
    package func put(
        _ id: String, body: PackedValue, attachments: [AttachmentRecord] = [],
        isDeleted: Bool = false, expiration: ExpirationChange = .unchanged,
        firstDigest: Revision.Digest? = nil, precondition: Precondition, origin: String?,
        isHeld: Bool = false
    ) throws -> DocumentRecord {
        let existing = try check(id, precondition, origin: origin)
        var record = successor(
            of: existing, body: body, attachments: attachments, isDeleted: isDeleted,
            firstDigest: firstDigest, origin: origin)
        record.expiration = isDeleted ? nil : expiration.applied(to: existing?.expiration)
        record.isHeld = isHeld
        if let existing, try needsTree(existing) {
            try putInTree(record, of: id, replacing: existing)
        } else {
            try write(record, of: id, replacing: existing)
        }
        return record
    }

    /// What an edit of a revision, or a new document, is stored as.
    func successor(
        of existing: DocumentRecord?, body: PackedValue, attachments: [AttachmentRecord],
        isDeleted: Bool, firstDigest: Revision.Digest? = nil, origin: String?
    ) -> DocumentRecord {
        let parent = existing?.revision
        var ancestors: [Revision.Digest] = []
        if let existing {
            ancestors = Array(
                ([existing.revision.digest] + existing.ancestors)
                    .prefix(DocumentRecord.ancestorCountMax))
        }
        let isSuccessor = existing.map { !$0.isDeleted } ?? false
        let revision: Revision
        if let firstDigest, existing == nil, attachments.isEmpty, !isDeleted {
            revision = Revision(generation: 1, digest: firstDigest)
        } else {
            revision = Revision(
                parent: parent, isDeleted: isDeleted, body: body,
                attachments: attachments.isEmpty ? [] : AttachmentRecord.encode(attachments))
        }
        return DocumentRecord(
            sequence: counters.lastSequence + 1,
            revision: revision,
            ancestors: ancestors,
            isDeleted: isDeleted,
            created: isSuccessor || isDeleted ? existing?.created ?? now : now,
            changed: now,
            origin: origin,
            attachments: attachments,
            body: body)
    }

    /// Stores a new document of members alone, if its identifier is above all others.
    ///
    /// What filling a database in order comes down to: nothing is looked up.
    ///
    /// - Parameters:
    ///   - id: A valid identifier.
    ///   - body: The members.
    ///   - digest: The digest of the revision that `body` makes.
    /// - Returns: False when the identifier is not above all others; nothing was stored then.
    /// - Throws: ``LMDBError`` when the engine cannot.
    package func append(_ id: String, body: PackedValue, digest: Revision.Digest) throws -> Bool {
        let key = Array(id.utf8)
        guard try engine.isAboveAll(key, in: tables.documents) else { return false }
        let sequence = counters.lastSequence + 1
        let core = RecordCore(
            sequence: sequence, revision: Revision(generation: 1, digest: digest), created: now,
            changed: now, body: body)
        hasWritten = true
        try engine.put(count: core.encodedLength, for: key, in: tables.documents) { row in
            core.write(to: &row)
        }
        try engine.append(key, for: RowBytes.fixed64(sequence), in: tables.sequences)
        counters.addLive(sequence: sequence)
        changes.append(
            RecordChange(
                id: id, sequence: sequence, revision: core.revision, isDeleted: false, origin: nil))
        return true
    }

    /// Raises the last sequence to what an export says it was; a lower one changes nothing.
    package func raiseSequence(to sequence: UInt64) {
        guard sequence > counters.lastSequence else { return }
        hasWritten = true
        counters.lastSequence = sequence
    }

    /// Finds or makes a table that a layer above keeps.
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
        // A key above all others needs no look, which is what filling a database in order makes.
        let isNew = try engine.isAboveAll(Array(id.utf8), in: tables.documents)
        let existing = isNew ? nil : try record(id)
        try precondition.check(id, against: existing)
        return existing
    }

    /// Writes a record in the place of another, with all that counts and lists it.
    func write(
        _ record: DocumentRecord, of id: String, replacing existing: DocumentRecord?
    ) throws {
        hasWritten = true
        let key = Array(id.utf8)
        if let existing { try displaceHolds(of: existing, key: key) }
        // The new references first, so that content both have is not removed in between.
        for attachment in record.attachments { try count(attachment, by: 1) }
        if let existing { try removeTraces(of: existing, key: key) }
        if let expiration = record.expiration {
            try moveExpiration(of: key, from: nil, to: expiration)
        }
        try write(record, for: key)
        try engine.append(key, for: RowBytes.fixed64(record.sequence), in: tables.sequences)
        count(record, by: 1)
        counters.lastSequence = record.sequence
        note(
            RecordChange(
                id: id, sequence: record.sequence, revision: record.revision,
                isDeleted: record.isDeleted, origin: record.origin), before: existing)
    }

    /// Writes the row of a record.
    func write(_ record: DocumentRecord, for key: [UInt8]) throws {
        try write(record, for: key, in: tables.documents)
    }

    /// Writes a row that has the form of a record.
    func write(_ record: DocumentRecord, for key: [UInt8], in table: Table) throws {
        var record = record
        record.originNumber = try record.origin.map { try number(ofOrigin: $0) }
        let attachments = record.attachmentBytes
        try writer.put(
            count: record.encodedLength(attachments), for: key, in: table
        ) { row in
            record.write(to: &row, attachments)
        }
    }

    /// Takes a record out of everything that counts or lists it; its own row stays.
    func removeTraces(of record: DocumentRecord, key: [UInt8]) throws {
        for attachment in record.attachments { try count(attachment, by: -1) }
        try moveExpiration(of: key, from: record.expiration, to: nil)
        try writer.delete(RowBytes.fixed64(record.sequence), from: tables.sequences)
        count(record, by: -1)
    }

    /// Moves a document from one date at which it is purged to another.
    func moveExpiration(of key: [UInt8], from old: Timestamp?, to new: Timestamp?) throws {
        try tables.expirations.move(key, from: old, to: new, in: writer)
        if new != nil { setsExpirations = true }
    }

    /// Remembers a change and what was there before it.
    func note(_ change: RecordChange, before: DocumentRecord?) {
        if let before { befores[changes.count] = before }
        changes.append(change)
    }

    private func count(_ record: DocumentRecord, by step: Int64) {
        if record.isDeleted {
            counters.deletedCount = counters.deletedCount &+ UInt64(bitPattern: step)
        } else {
            counters.liveCount = counters.liveCount &+ UInt64(bitPattern: step)
        }
    }
}
