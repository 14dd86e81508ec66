package import SettleDocuments
import SettleStorage

extension Snapshot {
    /// The leaves of a document, the one that wins first, each before those that lose to it.
    ///
    /// - Parameter id: The document.
    /// - Returns: One leaf for most documents; none when there never was such a document.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    /// - Complexity: Linear in the revisions that are known.
    public func leaves(of id: String) throws -> [RevisionLeaf] {
        try DatabaseError.translating {
            guard let record = try base.record(id) else { return [] }
            guard record.hasTree else {
                let path = RevisionPath(record.revision, ancestors: record.ancestors)
                return [RevisionLeaf(path, isDeleted: record.isDeleted, origin: record.origin)]
            }
            let tree = try base.tree(of: id, record)
            return try tree.sortedLeaves.map { leaf in
                RevisionLeaf(
                    leaf, in: tree, origin: try base.leaf(leaf.name, of: id, record)?.origin)
            }
        }
    }

    /// A leaf of a document, a deletion too; `metaData.isDeleted` tells.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - revision: The revision of the leaf. Of a digest that is no 32 hexadecimal digits the metadata of the
    ///     document have what stands for it, which is accepted here as well.
    /// - Returns: The document as it is there; nil when the revision is no leaf. What was before a leaf is known by
    ///   its name only.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    public func document(_ id: String, atRevision revision: String) throws -> Document? {
        try DatabaseError.translating {
            guard let record = try base.record(id) else { return nil }
            guard record.hasTree else {
                guard RevisionName(revision)?.standIn == record.revision else { return nil }
                return try Document(id: id, record: record, in: database.store)
            }
            guard let leaf = try base.tree(of: id, record).leaf(named: revision) else { return nil }
            return try document(id, at: leaf.name, record)
        }
    }

    /// The versions of a document that lost and are no deletions, in the order in which they would win.
    ///
    /// - Parameter id: The document.
    /// - Returns: None for most documents.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    public func conflicts(of id: String) throws -> [Document] {
        try DatabaseError.translating {
            guard let record = try base.record(id), record.hasTree else { return [] }
            return try base.tree(of: id, record).sortedLeaves.dropFirst()
                .filter { !$0.isDeleted }.map { try document(id, at: $0.name, record) }
        }
    }

    private func document(
        _ id: String, at name: RevisionName, _ record: DocumentRecord
    ) throws -> Document {
        guard let leaf = try base.leaf(name, of: id, record) else {
            throw StorageError.corrupted(place: "leaf \(name) of document '\(id)'")
        }
        return try Document(id: id, record: leaf, in: database.store)
    }

    /// How many documents have more than one leaf that is no deletion.
    ///
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    public var conflictedDocumentCount: Int {
        get throws { try DatabaseError.translating { try base.conflictedCount } }
    }

    /// Walks the documents with more than one leaf that is no deletion, in the byte order of the identifiers.
    ///
    /// - Parameters:
    ///   - id: Where to start; this document is not included. Nil for the first.
    ///   - body: Called with each; answers false to stop.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read; what `body` throws.
    /// - Complexity: Linear in those that are walked; documents without conflicts cost nothing.
    public func forEachConflict(
        after id: String? = nil, _ body: (ConflictedDocument) throws -> Bool
    ) throws {
        try DatabaseError.translating {
            try base.forEachConflict(after: id) { id, count in
                try body(ConflictedDocument(id: id, conflictCount: count))
            }
        }
    }

    /// All revisions of a document that are known; nil when there never was such a document.
    ///
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    package func revisionTree(of id: String) throws -> RevisionTree? {
        try DatabaseError.translating { try base.tree(of: id) }
    }

    /// How many revisions of a branch are kept; 1,000 unless it was set.
    ///
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    public var revisionLimit: Int {
        get throws { try DatabaseError.translating { try base.revisionLimit } }
    }
}
