import Settle

extension ItemFault {
    /// Why the database refuses a document, if that is the document's fault alone.
    init?(refusing error: DatabaseError) {
        switch error.code {
        case .invalidDocumentId, .invalidDocument, .invalidAttachment, .documentTooLarge:
            self.init(error.message)
        default: return nil
        }
    }
}

extension PushQueue {
    /// The items that a query showed and that are set aside.
    ///
    /// - Throws: What the database throws when it cannot be read.
    func shownFaults(
        _ database: Database, by query: PullQuery
    ) throws -> [SetAsideKey: SetAsideRow] {
        try read(database) { _, tables in
            var rows: [SetAsideKey: SetAsideRow] = [:]
            try tables.forEachFault { key, row in
                if query.isUnlimited || row.source == query.hash { rows[key] = row }
            }
            return rows
        }
    }

    /// Takes items off the list of those that are set aside, as far as they are still as they were.
    ///
    /// - Throws: What the database throws when it cannot be written.
    func removeFaults(_ database: Database, _ rows: [SetAsideKey: SetAsideRow]) async throws {
        guard !rows.isEmpty else { return }
        try await write(database) { _, tables in
            for (key, row) in rows where try tables.fault(key) == row {
                try Self.clearFault(key, of: row.id, in: tables)
            }
        }
    }

    /// Takes an item off the list of those that are set aside, now that it can be a document or is gone.
    ///
    /// An operation on it that was set aside, perhaps for the same reason, is tried again.
    static func clearFault(_ key: SetAsideKey, of id: String?, in tables: RemoteTables) throws {
        guard try tables.removeFault(key), let id, Document.fault(ofId: id) == nil,
            let old = try tables.entry(id), old.status == .rejected
        else { return }
        var entry = old
        entry.requeue()
        try tables.setEntry(entry, id, replacing: old)
    }
}
