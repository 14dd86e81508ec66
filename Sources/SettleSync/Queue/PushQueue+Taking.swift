import Foundation
import Settle

extension PushQueue {
    /// Ends an entry whose document has nothing more to tell.
    static func close(
        _ id: String, _ old: PendingChange, in transaction: Transaction, _ tables: RemoteTables
    ) throws {
        try tables.setEntry(nil, id, replacing: old)
        if old.remainsOutOfScope { try purge(id, in: transaction, tables) }
    }

    /// Makes a state of the remote the base, gives the document that form, and ends its entry.
    ///
    /// A row outside the scope is no document here, and one whose identifier is that of a document of
    /// another remote waits until that is free.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - id: The document.
    ///   - old: Its entry; nil for none.
    ///   - transaction: The transaction.
    ///   - tables: The remote's tables.
    ///   - origin: The remote.
    /// - Throws: What the database throws when it cannot be written.
    static func take(
        _ state: BaseItem, _ id: String, replacing old: PendingChange?,
        in transaction: Transaction, _ tables: RemoteTables, origin: String
    ) throws {
        if try tables.isTaken(id, in: transaction) {
            return try block(id, by: state, replacing: old, tables, listedAt: Date())
        }
        if try tables.scope.fault(ofRow: id, state) != nil {
            try tables.setEntry(nil, id, replacing: old)
            try purge(id, in: transaction, tables)
            return
        }
        try adopt(state, id, in: transaction, tables, origin: origin)
        try tables.setBase(state, id)
        if let old { try close(id, old, in: transaction, tables) }
    }

    /// Stores a row that is ready to be a document and of which nothing is known here, as most rows of a first
    /// pull are.
    ///
    /// - Parameters:
    ///   - item: The row.
    ///   - source: The hash of the query that shows it; 0 for none.
    ///   - transaction: The transaction.
    ///   - tables: The remote's tables.
    ///   - origin: The remote.
    /// - Returns: False for another row; nothing was stored then.
    /// - Throws: What the database throws when it cannot be written.
    static func takeNew(
        _ item: RemoteItem, source: UInt64, in transaction: Transaction, _ tables: RemoteTables,
        origin: String
    ) throws -> Bool {
        guard tables.scope == .all, let ready = item.ready.value, !item.isDeleted,
            // Nulls that stand for nothing are left out.
            !(item.nullMayMeanAbsent && ready.hasNull),
            ready.body.bytes.count <= JSONLimits.default.sizeMax, try tables.isUnknown(item.id)
        else { return false }
        let note = try BaseNote.note(of: item, ready, source: source, tables.queries)
        try transaction.storeNew(
            item.id, body: ready.body, digest: ready.digest, from: origin,
            heldBy: tables.number, note: note)
        return true
    }

    /// Gives the document the form that the remote has.
    private static func adopt(
        _ state: BaseItem, _ id: String, in transaction: Transaction, _ tables: RemoteTables,
        origin: String
    ) throws {
        if var document = tables.scope.document(id, state) {
            if state.carriesAttachments {
                try tables.noteDownload(of: document, in: transaction)
            } else {
                document.attachments = try transaction.document(id)?.attachments ?? []
            }
            // A scope may have added the type.
            let digest = tables.scope == .all ? state.ready.value?.digest : nil
            _ = try transaction.store(
                document, from: origin, firstDigest: digest, isHeld: true)
        } else {
            _ = try transaction.storeDeletion(ofDocumentWithId: id, from: origin)
        }
    }

    /// Purges a document, unless it still has something to tell another remote, or belongs to
    /// another.
    ///
    /// - Returns: False when it stays.
    @discardableResult
    static func purge(
        _ id: String, in transaction: Transaction, _ tables: RemoteTables
    ) throws -> Bool {
        if try tables.isTaken(id, in: transaction) {
            try tables.setBase(.absent, id)
            return false
        }
        guard try otherRemotes(waitingFor: id, in: transaction, tables).isEmpty else {
            return false
        }
        try transaction.purge(documentsWithIds: [id])
        try tables.setBase(.absent, id)
        return true
    }

    /// The other remotes for which a document has a pending change.
    static func otherRemotes(
        waitingFor id: String, in transaction: Transaction, _ tables: RemoteTables
    ) throws -> [RemoteTables] {
        try RemoteRecord.all(in: transaction).compactMap { identifier, record in
            if record.number == tables.number { return nil }
            if record.isByRevisions {
                // One that was only pulled from waits for nothing.
                if record.checkpoint == 0 { return nil }
                let other = try RemoteTables(record, in: transaction)
                return try other.hasUnoffered(id, after: record.checkpoint, to: identifier)
                    ? other : nil
            }
            // What that remote's push queue has not seen yet is pending too.
            while try !PushQueue(identifier: identifier).catchUp(in: transaction) {}
            let other = try RemoteTables(record, in: transaction)
            guard let entry = try other.entry(id), entry.status != .outside else { return nil }
            return other
        }
    }
}
