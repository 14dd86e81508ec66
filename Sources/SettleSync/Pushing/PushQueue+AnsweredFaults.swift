import Foundation
import Settle

// An answer to an operation may show an item that cannot be a document here. Neither can it become the
// base of the document, nor can a handler be asked about it.

extension RemoteOutcome {
    /// The live item that the outcome shows.
    fileprivate var shownItem: RemoteItem? {
        switch self {
        case .stored(let item), .conflict(let item?): item
        case .deleted, .conflict(nil), .rejected: nil
        }
    }
}

extension RemoteItem {
    /// Why the item cannot be a document here; nil when it can, or is gone.
    ///
    /// - Parameter known: The members of a document that is here, or was.
    /// - Returns: The reason.
    /// - Throws: What the database throws of a document, but for what is wrong with it.
    func faultAsDocument(knowing known: JSONForm?) throws -> ItemFault? {
        if isDeleted || isOutOfScope { return nil }
        if let fault = fault ?? Document.fault(ofId: id) { return fault }
        if let known, form.hasSameMembers(as: known) { return nil }
        do {
            try Document(id: id, members: members).check()
            return nil
        } catch let error as DatabaseError {
            guard let fault = ItemFault(refusing: error) else { throw error }
            return fault
        }
    }
}

extension PushQueue {
    /// Sets an operation aside together with the item that its answer shows, when that cannot be a
    /// document here; otherwise takes the item off the list of those that are set aside.
    ///
    /// What was sent stays remembered, since it may have been carried out. The operation is tried again
    /// when the item can be a document, the document changes, and when a replication starts.
    ///
    /// - Returns: What became of the operation; nil when its answer can be used.
    static func setAside(
        _ id: String, _ old: PendingChange, answered outcome: RemoteOutcome, at date: Date,
        _ tables: RemoteTables
    ) throws -> PushResult? {
        if case .rejected = outcome { return nil }
        guard let item = outcome.shownItem,
            let fault = try item.faultAsDocument(knowing: old.sent?.form)
        else {
            try tables.removeFault(SetAsideKey(id: id))
            return nil
        }
        let row = try tables.setFault(fault, of: item, source: 0, at: date)
        let reason = "The remote shows an item that cannot be a document here: \(fault)"
        var entry = old
        entry.reject(RemoteRejection(reason: reason))
        try tables.setEntry(entry, id, replacing: old)
        return .setAside(row, reason: reason)
    }
}
