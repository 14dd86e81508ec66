package import SettleDocuments
import SettleStorage

/// Members that somebody holds and that are a document's still.
package struct MemberHold: Sendable {
    /// The holder's own.
    package let note: [UInt8]
    /// The members, which are those of the document.
    package let members: PackedValue

    init(_ hold: RecordHold) {
        note = hold.note
        members = hold.body
    }
}

extension Snapshot {
    /// A hold on the members of a document as they are now; see ``Transaction/hold(_:of:by:note:)``.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - holder: The number of the holder.
    /// - Returns: The hold; nil when there is none, and when the document has changed since.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    package func hold(on id: String, by holder: UInt32) throws -> MemberHold? {
        try DatabaseError.translating {
            try base.hold(on: id, by: holder).map { MemberHold($0) }
        }
    }

    /// The note of such a hold, without the members.
    ///
    /// - Throws: As ``hold(on:by:)``.
    package func holdNote(on id: String, by holder: UInt32) throws -> [UInt8]? {
        try DatabaseError.translating { try base.holdNote(on: id, by: holder) }
    }

    /// Walks the documents that a holder holds, in the order of their last changes.
    ///
    /// - Parameters:
    ///   - holder: The number of the holder.
    ///   - body: Called with the identifier and the hold; answers false to stop. It must not write.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read; what `body` throws.
    package func forEachHold(
        by holder: UInt32, _ body: (_ id: String, _ hold: MemberHold) throws -> Bool
    ) throws {
        try DatabaseError.translating {
            try base.forEachHold(by: holder) { try body($0, MemberHold($1)) }
        }
    }

    /// Walks the identifiers of the documents that a holder holds, without reading the documents.
    package func forEachHeldId(
        by holder: UInt32, _ body: (_ id: String) throws -> Bool
    ) throws {
        try DatabaseError.translating { try base.forEachHeldId(by: holder, body) }
    }
}

extension Transaction {
    /// Holds the members of a document, so that they are stored once as long as it has them.
    ///
    /// When the document changes, also in a process without the holder, its note and the members are
    /// put together into a row of the side table `sync.servers`, with the holder's number (four bytes,
    /// most significant first) and the identifier as key.
    ///
    /// - Parameters:
    ///   - body: The members that the holder needs.
    ///   - id: The document.
    ///   - holder: The number of the holder.
    ///   - note: What the holder keeps with them; it replaces the one before.
    /// - Returns: False when the document is not there, or has other members; nothing is held then.
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    package func hold(
        _ body: PackedValue, of id: String, by holder: UInt32, note: [UInt8]
    ) throws -> Bool {
        try DatabaseError.translating {
            try store.hold(body, of: id, by: holder, note: note)
        }
    }

    /// Stores a document of members alone as a replication received it, and holds them.
    ///
    /// As ``store(_:from:)`` and ``hold(_:of:by:note:)`` together, for a document that is not there.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - body: The members: a sound object within the limits of a document.
    ///   - digest: The digest of the revision that they make.
    ///   - origin: The name of the replication.
    ///   - holder: The number of the holder.
    ///   - note: What the holder keeps with them.
    /// - Throws: ``DatabaseError`` with `invalidDocumentId`, or when the store cannot take it.
    package func storeNew(
        _ id: String, body: PackedValue, digest: Revision.Digest, from origin: String,
        heldBy holder: UInt32, note: [UInt8]
    ) throws {
        try Document.check(id: id)
        try DatabaseError.translating {
            let record = try store.put(
                id, body: body, firstDigest: digest, precondition: .none, origin: origin,
                isHeld: true)
            try store.hold(record, by: holder, note: note)
        }
    }

    /// Ends a hold on the members of a document, if there is one.
    ///
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    package func endHold(on id: String, by holder: UInt32) throws {
        try DatabaseError.translating { try store.endHold(on: id, by: holder) }
    }
}
