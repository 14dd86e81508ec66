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
}
