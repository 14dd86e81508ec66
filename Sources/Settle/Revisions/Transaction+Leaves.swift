import SettleDocuments
import SettleStorage

extension Transaction {
    /// Stores a revision as it was made elsewhere: CouchDB's write without new edits.
    ///
    /// Nothing is refused for what is there. The revision becomes a leaf beside those that it does not come from, and
    /// takes the place of those that it does; the document is the leaf that wins. One that is known changes nothing.
    /// From the first one on a database keeps the ancestors of all documents, up to ``Snapshot/revisionLimit``, and
    /// earlier releases cannot open it any more.
    ///
    /// - Parameters:
    ///   - document: What the revision holds; the revision in its metadata does not count.
    ///   - revisions: The revision and those that it comes from, newest first, without gaps; at least one. A digest
    ///     may be any text of 1 to 1,024 bytes.
    ///   - isDeleted: True when it is a deletion.
    ///   - origin: The name of the replication, 1 to 255 bytes; nil when it does not come from one.
    /// - Returns: False when the revision was known.
    /// - Throws: ``DatabaseError`` with `invalidDocument` when `revisions` is no such list; otherwise as
    ///   ``save(_:)``, but for `conflict`.
    @discardableResult
    public func store(
        _ document: Document, revisions: [String], isDeleted: Bool = false,
        from origin: String? = nil
    ) throws -> Bool {
        try check(document)
        let path = try Self.path(of: revisions, document.id)
        return try DatabaseError.translating {
            if try store.tree(of: document.id)?.contains(path.name) == true,
                document.attachments.isEmpty
            {
                // Known; its ancestry may be new.
                return try store.put(
                    GivenRevision(path: path, body: Self.emptyBody), of: document.id)
            }
            let isNew = try store.put(
                GivenRevision(
                    path: path, isDeleted: isDeleted,
                    attachments: try records(of: document, isOurs: false),
                    body: try document.packed(), origin: origin), of: document.id)
            for attachment in document.attachments { try end(attachment.upload) }
            return isNew
        }
    }

    private static func path(of revisions: [String], _ id: String) throws -> RevisionPath {
        let names = revisions.compactMap { RevisionName($0) }
        guard names.count == revisions.count, let first = names.first,
            let path = RevisionPath(
                generation: first.generation, digests: names.map(\.digest)), path.names == names
        else {
            throw DatabaseError(
                .invalidDocument,
                "The revisions of the document '\(id)' are no list of revisions, newest first, whose "
                    + "generations count down by one.", documentId: id)
        }
        return path
    }

    /// Stores a change of one leaf of a document, which need not be the one that wins, as a new revision after it.
    ///
    /// ``save(_:)`` changes the document as it is, and so the leaf that wins; this is for changing a branch that
    /// lost, or for ending it.
    ///
    /// - Parameters:
    ///   - document: What the new revision holds.
    ///   - revision: The leaf that it follows.
    ///   - isDeleted: True to end the branch by a deletion.
    /// - Returns: What was stored; the document itself may be another leaf.
    /// - Throws: ``DatabaseError`` with `conflict` when the revision is no leaf; otherwise as ``save(_:)``.
    @discardableResult
    public func save(
        _ document: Document, afterLeaf revision: String, isDeleted: Bool = false
    ) throws -> Document {
        try check(document)
        return try DatabaseError.translating {
            guard let leaf = try store.tree(of: document.id)?.leaf(named: revision) else {
                let record = try store.record(document.id)
                throw StorageError.conflict(
                    id: document.id,
                    current: record.flatMap { $0.isDeleted ? nil : $0.revision })
            }
            let record = try store.put(
                document.id, after: leaf.name, body: try document.packed(),
                attachments: try records(of: document), isDeleted: isDeleted)
            for attachment in document.attachments { try end(attachment.upload) }
            return Document(
                id: document.id, saved: record, attachments: saved(document.attachments))
        }
    }

    /// Ends all conflicts of a document: the leaf that wins gets a new revision, and the others are deleted.
    ///
    /// All of it is part of this transaction. The deletions are replicated as other changes are, so that the
    /// conflict ends everywhere. A leaf that comes later, because somebody changed one of them meanwhile, is a
    /// conflict again.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - document: What the document becomes; nil to delete all of it. With a revision in its metadata, that must be
    ///     one of the leaves. It may be a document that ``Snapshot/conflicts(of:)`` answered.
    /// - Returns: What was stored; nil when all of it was deleted.
    /// - Throws: ``DatabaseError`` with `documentNotFound` when there is no such document, `conflict` when the
    ///   document has a revision that is no leaf; otherwise as ``save(_:)``.
    @discardableResult
    public func resolveConflicts(of id: String, with document: Document?) throws -> Document? {
        try DatabaseError.translating {
            guard let record = try store.record(id), !record.isDeleted else {
                throw StorageError.documentNotFound(id: id)
            }
            let tree = try store.tree(of: id, record)
            if let revision = document?.facts.revision, document?.id == id,
                tree.leaf(named: revision.description)?.isDeleted ?? true
            {
                throw StorageError.conflict(id: id, current: record.revision)
            }
            // First, while content that only they attach is there.
            let attachments = try document.map { try records(of: $0, for: id) } ?? []
            if let document {
                try check(document)
                let record = try store.put(
                    id, body: try document.packed(), attachments: attachments,
                    precondition: .none, origin: nil)
                for attachment in document.attachments { try end(attachment.upload) }
                try deleteLeaves(of: id, tree.sortedLeaves.dropFirst())
                return Document(
                    id: id, saved: record, attachments: self.saved(document.attachments))
            }
            try deleteLeaves(of: id, tree.sortedLeaves[...])
            return nil
        }
    }

    private func deleteLeaves(of id: String, _ leaves: ArraySlice<RevisionTree.Leaf>) throws {
        for leaf in leaves where !leaf.isDeleted {
            try store.put(id, after: leaf.name, body: Self.emptyBody, isDeleted: true)
        }
    }

    /// Removes leaves of a document as if they had never been, with the revisions that only they came from.
    ///
    /// Like ``purge(documentsWithIds:)`` no other database learns of it. The leaf that wins among those that are left is the
    /// document; without one left the document is purged.
    ///
    /// - Parameters:
    ///   - revisions: Revisions, as ``Snapshot/leaves(of:)`` has them; those that are no leaves do not count.
    ///   - id: The document.
    /// - Returns: The leaves that were removed, the one that won first.
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    /// - Complexity: Linear in the revisions that are known of the document.
    @discardableResult
    public func purge(leaves revisions: [String], ofDocumentWithId id: String) throws -> [String] {
        try DatabaseError.translating {
            guard let tree = try store.tree(of: id) else { return [] }
            let names = Set(revisions.compactMap { tree.leaf(named: $0)?.name })
            return try store.purge(id, leaves: names).map(\.description)
        }
    }

    /// Sets how many revisions of a branch are kept; CouchDB's `_revs_limit`.
    ///
    /// What is there is cut when the document is next changed. No fewer than 11 are kept.
    ///
    /// - Precondition: `count` is at least 1.
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    public func setRevisionLimit(_ count: Int) throws {
        try DatabaseError.translating { try store.setRevisionLimit(count) }
    }

    /// Has the database keep the ancestors of documents from now on; see
    /// ``store(_:revisions:isDeleted:from:)``.
    ///
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    package func keepRevisionTrees() throws {
        try DatabaseError.translating { try store.keepTrees() }
    }
}
