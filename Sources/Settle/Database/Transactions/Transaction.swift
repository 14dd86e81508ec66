public import Foundation
import SettleDocuments
import SettleStorage

/// A state of a database that is being changed; all of it is committed or nothing.
///
/// Valid only inside the closure it was handed to (``Database/write(_:)``); using it later traps.
///
/// ```swift
/// try await database.write { transaction in
///     for name in ["cherry", "plum"] {
///         try transaction.add(["id": name, "type": "fruit", "colour": "red", "price": 2])
///     }
///     try transaction.delete(documentWithId: "apple")
/// }
/// ```
public final class Transaction: Snapshot {
    let store: StoreTransaction
    /// What participants know of this run of the closure.
    var localStates: [ObjectIdentifier: ParticipantLocalState] = [:]
    /// What is done once all of it is stored.
    var afterCommit: [@Sendable () -> Void] = []

    init(_ store: StoreTransaction, of database: Database) {
        self.store = store
        super.init(store, of: database)
    }

    /// The changes made so far in this closure, in order.
    public var changes: [DocumentChange] { store.changes.map { DocumentChange($0) } }

    /// True when this closure has changed a document.
    var hasChanges: Bool { !store.changes.isEmpty }

    /// The document as it was before this closure began; nil when there was none.
    ///
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    public func previous(_ id: String) throws -> Document? {
        try DatabaseError.translating {
            guard let record = try store.previousRecord(id), !record.isDeleted else { return nil }
            return try Document(id: id, record: record, in: database.store)
        }
    }

    /// The last change of a document before this closure began; nil when there never was one.
    ///
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    public func previousChange(of id: String) throws -> DocumentChange? {
        try DatabaseError.translating {
            try store.previousRecord(id).map { DocumentChange(id: id, record: $0) }
        }
    }

    /// Stores a new document.
    ///
    /// - Returns: The document with its revision and dates.
    /// - Throws: ``DatabaseError`` with `documentExists`; otherwise as ``save(_:)``.
    @discardableResult
    public func add(_ document: Document) throws -> Document {
        try put(document, precondition: .absent, origin: nil)
    }

    /// Changes a document that is there.
    ///
    /// - Returns: The document with its new revision.
    /// - Throws: ``DatabaseError`` with `documentNotFound`; otherwise as ``save(_:)``.
    @discardableResult
    public func update(_ document: Document) throws -> Document {
        let precondition = document.facts.revision.map { Precondition.revision($0) } ?? .present
        guard try base.record(document.id).map({ !$0.isDeleted }) ?? false else {
            try check(document)
            throw DatabaseError(StorageError.documentNotFound(id: document.id))
        }
        return try put(document, precondition: precondition, origin: nil)
    }

    /// Stores a document, new or not.
    ///
    /// - Returns: The document with its new revision.
    /// - Throws: ``DatabaseError`` with `conflict` when the document has a revision and that is not
    ///   the current one; `invalidDocumentId`, `invalidDocument`, `invalidAttachment`, or `documentTooLarge` before
    ///   anything is written; `diskFull` and the like when the store cannot take it.
    @discardableResult
    public func save(_ document: Document) throws -> Document {
        let precondition = document.facts.revision.map { Precondition.revision($0) } ?? .none
        return try put(document, precondition: precondition, origin: nil)
    }

    /// Deletes a document, leaving a tombstone that replication can pass on.
    ///
    /// - Returns: False when there was none.
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    @discardableResult
    public func delete(documentWithId id: String) throws -> Bool {
        try storeDeletion(ofDocumentWithId: id, origin: nil)
    }

    /// Deletes a document, leaving a tombstone that keeps the members it is given with.
    ///
    /// For tombstones that have to say something: who deleted it, or what a server's rules go by.
    /// ``Snapshot/document(_:includingDeleted:)`` reads it.
    ///
    /// - Parameter document: The document with what its tombstone is to keep. With a revision, that
    ///   must be the current one.
    /// - Returns: The tombstone.
    /// - Throws: ``DatabaseError`` with `documentNotFound`, `conflict`; otherwise as ``save(_:)``.
    @discardableResult
    public func delete(keeping document: Document) throws -> Document {
        try check(document)
        return try DatabaseError.translating {
            let record = try store.put(
                document.id, body: try document.packed(), isDeleted: true,
                precondition: document.facts.revision.map { .revision($0) } ?? .present,
                origin: nil)
            return Document(id: document.id, saved: record, attachments: [])
        }
    }

    /// Removes documents as if they had never been, tombstones too.
    ///
    /// Unlike a deletion, a purge leaves nothing and is passed on to nobody: a replication may bring
    /// the document back. A pending change of the document is not sent any more.
    ///
    /// - Returns: The identifiers among `ids` that there were documents or tombstones of.
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    @discardableResult
    public func purge(documentsWithIds ids: [String]) throws -> [String] {
        try DatabaseError.translating { try ids.filter { try store.purge($0) != nil } }
    }

    /// Says when a document is to be purged, without making a revision of it.
    ///
    /// - Parameters:
    ///   - date: When; nil for never. See ``Document/MetaData/expirationDate``.
    ///   - id: The document.
    /// - Throws: ``DatabaseError`` with `documentNotFound`, or when the store cannot take it.
    public func setExpirationDate(_ date: Date?, ofDocumentWithId id: String) throws {
        try DatabaseError.translating {
            try store.setExpiration(date.flatMap { Timestamp(expiring: $0) }, of: id)
        }
    }

    /// Stores a document as a replication received it.
    ///
    /// There is no check of the revision: the caller has decided what may be written over.
    ///
    /// - Parameters:
    ///   - document: The document; its revision does not count.
    ///   - origin: The name of the replication, 1 to 255 bytes, kept with the change.
    /// - Returns: The document with its new revision.
    /// - Throws: As ``save(_:)``, but for `conflict`.
    @discardableResult
    public func store(_ document: Document, from origin: String) throws -> Document {
        try store(document, from: origin, firstDigest: nil)
    }

    /// Stores a document as a replication received it.
    ///
    /// - Parameters:
    ///   - document: The document; its revision does not count.
    ///   - origin: The name of the replication.
    ///   - firstDigest: The digest of the revision that the members alone make, should it be known.
    ///   - isHeld: True when the members are going to be held (``hold(_:of:by:note:)``).
    /// - Returns: The document with its new revision.
    /// - Throws: As ``store(_:from:)``.
    @discardableResult
    package func store(
        _ document: Document, from origin: String, firstDigest: Revision.Digest?,
        isHeld: Bool = false
    ) throws -> Document {
        try put(
            document, precondition: .none, origin: origin, firstDigest: firstDigest,
            isHeld: isHeld)
    }

    /// Deletes a document because a replication says so.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - origin: The name of the replication, 1 to 255 bytes, kept with the change.
    /// - Returns: False when there was no such document.
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    @discardableResult
    public func storeDeletion(ofDocumentWithId id: String, from origin: String) throws -> Bool {
        try storeDeletion(ofDocumentWithId: id, origin: origin)
    }

    /// The side table with a name, made on first use.
    ///
    /// Side tables hold the bytes of whoever builds on the database, an outbox for example. They
    /// are committed, or rolled back, with the documents.
    ///
    /// - Parameter name: 1 to 200 bytes of UTF-8. Choose one that nobody else chooses.
    /// - Returns: The table, to read and to write.
    /// - Throws: ``DatabaseError`` with `invalidSideTableName`, `tooManyTables`, or when the store cannot
    ///   take it.
    public func sideTable(named name: String) throws -> SideTable {
        guard (1...200).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw DatabaseError(
                .invalidSideTableName,
                "The name of a side table has 1 to 200 bytes and no NUL, unlike '\(name)'.")
        }
        return try DatabaseError.translating {
            SideTable(try store.createTable(named: SideTable.prefix + name))
        }
    }

    private func put(
        _ document: Document, precondition: Precondition, origin: String?,
        firstDigest: Revision.Digest? = nil, isHeld: Bool = false
    ) throws -> Document {
        try check(document)
        return try DatabaseError.translating {
            let body = try document.packed()
            var attachments: [AttachmentRecord] = []
            if !document.attachments.isEmpty {
                // Before content is stored for a document that is refused.
                try store.check(document.id, precondition, origin: origin)
                attachments = try records(of: document, isOurs: origin == nil)
            }
            let record = try store.put(
                document.id, body: body, attachments: attachments,
                expiration: document.facts.expirationChange, firstDigest: firstDigest,
                precondition: precondition, origin: origin, isHeld: isHeld)
            for attachment in document.attachments { try end(attachment.upload) }
            return Document(
                id: document.id, saved: record, attachments: saved(document.attachments))
        }
    }

    /// Attachments as a document has them that was saved.
    func saved(_ attachments: [DocumentAttachment]) -> [DocumentAttachment] {
        attachments.map { $0.saved(in: database.store) }
    }

    /// Ends the lease of content that a document has taken, unless another document did before.
    func end(_ upload: DocumentAttachment.Upload?) throws {
        if let upload, upload.store === database.store { try store.endUpload(upload.number) }
    }

    /// Stores a new document whose identifier was checked and whose first digest is known.
    func add(_ entry: JSONBatch.Entry) throws {
        if try store.append(entry.id, body: entry.body, digest: entry.digest) { return }
        try store.put(
            entry.id, body: entry.body, firstDigest: entry.digest, precondition: .absent,
            origin: nil)
    }

    /// Refuses a document that cannot be stored.
    func check(_ document: Document) throws {
        try Document.check(id: document.id)
    }

    /// Stores what is attached and gives what the record says of it.
    ///
    /// - Parameters:
    ///   - document: The document that brings the attachments.
    ///   - id: The document that gets them, when it is another one.
    ///   - isOurs: False when the document was made elsewhere, and is taken as it is.
    /// - Returns: What the record says of them.
    /// - Throws: ``DatabaseError`` with `invalidDocument` when two have one name, `invalidAttachment` when one has another
    ///   length than its content; what reading the content throws.
    func records(
        of document: Document, for id: String? = nil, isOurs: Bool = true
    ) throws -> [AttachmentRecord] {
        if document.attachments.isEmpty { return [] }
        guard Set(document.attachments.map(\.name)).count == document.attachments.count else {
            throw DatabaseError(
                .invalidDocument,
                "Two attachments of the document '\(document.id)' have the same name.",
                documentId: document.id)
        }
        let known = try store.leafAttachments(of: id ?? document.id)
        return try document.attachments.map { attachment in
            if isOurs { try checkLength(of: attachment, known, document.id) }
            return try stored(
                attachment, isKnown: { digest in known.contains { $0.digest == digest } })
        }
    }

    /// Refuses a length that the content does not have, but for one that is stored already.
    private func checkLength(
        of attachment: DocumentAttachment, _ known: [AttachmentRecord], _ id: String
    ) throws {
        guard let record = attachment.record,
            let length = try store.contentLength(record.digest), length != record.length,
            !known.contains(where: { $0.digest == record.digest && $0.length == record.length })
        else { return }
        throw DatabaseError(
            .invalidAttachment,
            "The attachment '\(attachment.name)' of the document '\(id)' is described as \(record.length) "
                + "bytes long, and its content has \(length); describe it with that length.",
            documentId: id)
    }

    private func stored(
        _ attachment: DocumentAttachment, isKnown: (ContentDigest) -> Bool
    ) throws -> AttachmentRecord {
        if let record = attachment.record {
            if try store.hasContent(record.digest) { return record }
            // Described, its content to be had later; or so it was before.
            if attachment.isDescription || isKnown(record.digest) { return record }
        }
        let content = [UInt8](try attachment.data())
        return AttachmentRecord(
            name: attachment.name, contentType: attachment.contentType,
            digest: try store.store(content: content), length: content.count)
    }

    private func storeDeletion(ofDocumentWithId id: String, origin: String?) throws -> Bool {
        try DatabaseError.translating {
            guard let record = try store.record(id), !record.isDeleted else { return false }
            try store.put(
                id, body: Self.emptyBody, isDeleted: true, precondition: .present, origin: origin)
            return true
        }
    }

    static let emptyBody: PackedValue = {
        guard let body = try? PackedValue(.object([:])) else {
            preconditionFailure("An empty object can always be packed.")
        }
        return body
    }()
}
