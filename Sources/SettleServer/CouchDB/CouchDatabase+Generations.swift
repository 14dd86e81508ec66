import Settle

// The generation at which an attachment came to a document, CouchDB's `revpos`. It is that of the revision that
// has it, unless a side table says otherwise: by the identifier, a zero, and the revision, JSON text of the generations
// by the names of attachments.

extension CouchDatabase {
    /// The side table with the generations of attachments that are older than their revision.
    static let generationsTable = "couchdb.revpos"

    /// The generations of the attachments of a leaf that are older than it.
    static func generations(
        of leaf: RevisionName, _ id: String, in snapshot: Snapshot
    ) throws -> [String: Int] {
        guard let row = try snapshot.table(generationsTable)?.value(for: key(of: leaf, id)) else {
            return [:]
        }
        let members = (try? JSONText.value(from: row).objectValue) ?? [:]
        return members.compactMapValues { $0.integerValue.map { Int(clamping: $0) } }
    }

    /// Notes the generations of the attachments of a new revision, and forgets those of the leaf that it follows.
    static func noteGenerations(
        _ generations: [String: Int], as revision: String, after leaf: RevisionName?, of id: String,
        in transaction: Transaction
    ) throws {
        if let leaf, try transaction.table(generationsTable) != nil {
            try transaction.sideTable(named: generationsTable).remove(key(of: leaf, id))
        }
        guard let name = RevisionName(revision) else { return }
        let older = generations.filter { $0.value < Int(name.generation) }
        guard !older.isEmpty else { return }
        try transaction.sideTable(named: generationsTable).set(
            JSONText.text(of: .object(older.mapValues { .integer(Int64($0)) })),
            for: key(of: name, id))
    }
}
