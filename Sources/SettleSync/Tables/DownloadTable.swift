import Settle

// Which documents may have attachments whose content is still on the remote: a side table,
// written with the documents, so that a crash forgets none. Docs/Formats/Replication.md.

extension RemoteTables {
    /// Remote, document -> nothing.
    static let downloadsName = "sync.downloads"

    /// Remembers that the content of a document's attachments may have to be fetched.
    ///
    /// Whether it is here already shows when the document is stored.
    func noteDownload(of document: Document, in transaction: Transaction) throws {
        guard !document.attachments.isEmpty else { return }
        try transaction.sideTable(named: Self.downloadsName)
            .set([1], for: documentKey(document.id))
    }

    /// Whether that is remembered.
    func hasDownload(ofDocumentWithId id: String, in snapshot: Snapshot) throws -> Bool {
        try snapshot.table(Self.downloadsName)?.value(for: documentKey(id)) != nil
    }

    /// Forgets it.
    func removeDownload(ofDocumentWithId id: String, in transaction: Transaction) throws {
        _ = try transaction.sideTable(named: Self.downloadsName).remove(documentKey(id))
    }

    /// The first documents after another whose content may have to be fetched, by identifier.
    func downloadIds(
        after id: String?, countMax: Int, in snapshot: Snapshot
    ) throws -> [String] {
        guard let table = try snapshot.table(Self.downloadsName) else { return [] }
        let (prefix, before) = (documentKey(""), id.map { documentKey($0) })
        var ids: [String] = []
        try table.forEach(from: before ?? prefix) { key, _ in
            guard key.starts(with: prefix) else { return false }
            if key != before {
                ids.append(String(decoding: key.dropFirst(prefix.count), as: UTF8.self))
            }
            return ids.count < countMax
        }
        return ids
    }
}
