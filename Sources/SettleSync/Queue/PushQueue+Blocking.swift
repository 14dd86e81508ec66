import Foundation
import Settle

// A row whose identifier is that of a document which does not belong to the remote cannot be stored:
// it would write over that document. It is kept, and becomes a document when the identifier is free.

extension ItemFault {
    /// Why a row waits.
    static let takenIdentifier = ItemFault(
        "The identifier is that of a document here which does not belong to this remote. The row waits "
            + "until that is moved, deleted, or purged.", member: "id")
}

extension PushQueue {
    /// Keeps the state of a row whose identifier is taken.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - state: What the remote has now.
    ///   - old: The entry; nil for none.
    ///   - tables: The remote's tables.
    ///   - date: When it is listed with what is set aside; nil when the caller lists it.
    /// - Throws: What the database throws when it cannot be written.
    static func block(
        _ id: String, by state: BaseItem, replacing old: PendingChange?, _ tables: RemoteTables,
        listedAt date: Date? = nil
    ) throws {
        if let date, state.isLive {
            let item = RemoteItem(
                id: id, version: state.version, members: [:], updated: state.updated)
            _ = try tables.setFault(.takenIdentifier, of: item, source: state.source, at: date)
        }
        let known = try tables.base(id)
        if var entry = old, entry.status == .outside, entry.hasOperation || known != nil {
            // Released by another scope: what it was based on counts when it comes back.
            entry.seen = state
            return try tables.setEntry(entry, id, replacing: old)
        }
        guard state.isLive else {
            // Undone by an undeletion, should the document come into the scope again.
            if known != nil || old?.status != .outside { try tables.setBase(state, id) }
            return try tables.setEntry(nil, id, replacing: old)
        }
        var entry = PendingChange(order: old?.order ?? 0)
        entry.status = .outside
        entry.seen = state
        try tables.setBase(.absent, id)
        try tables.setEntry(entry, id, replacing: old)
    }

    /// Stores the rows of all remotes that waited for an identifier which is free now.
    ///
    /// - Parameter database: The database.
    /// - Throws: What the database throws when it cannot be read or written.
    /// - Complexity: A look at each row that waits.
    static func storeFreed(_ database: Database) async throws {
        let freed = try database.read { snapshot in
            try RemoteRecord.all(in: snapshot).compactMap { identifier, record in
                let tables = try RemoteTables(record, in: snapshot)
                let ids = try tables.blockedIds().filter {
                    try !tables.isTaken($0, in: snapshot)
                }
                return ids.isEmpty ? nil : (identifier, ids)
            }
        }
        for (identifier, ids) in freed {
            let pushQueue = ReplicationCenter.of(database).pushQueue(for: identifier, of: database)
            try await pushQueue.write(database) { transaction, tables in
                for id in ids {
                    guard let entry = try tables.entry(id), entry.isBlocked,
                        let seen = entry.seen, try !tables.isTaken(id, in: transaction)
                    else { continue }
                    try take(
                        seen, id, replacing: entry, in: transaction, tables, origin: identifier)
                }
            }
        }
    }
}
