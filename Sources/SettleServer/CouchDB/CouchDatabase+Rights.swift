import Settle

// What a sender sees of a document are the leaves that share a channel with the token, and what is known of
// the revisions before them. All that is read or counted goes through `tree(of:in:)`. A deletion has
// no channels of its own for most clients: it is where the leaf was that it ended, which lies in a side table,
// by the identifier, a zero, and the revision: JSON text of the channels.

extension CouchDatabase {
    /// The side table with the channels of deletions.
    static let channelsTable = "couchdb.channels"

    /// Whether the sender sees less than all.
    var isLimited: Bool { identity.readable != nil || !identity.operations.contains(.read) }

    /// The revisions of a document that the sender may know; nil when there are none.
    ///
    /// - Throws: ``DatabaseError``.
    func tree(of id: String, in snapshot: Snapshot) throws -> RevisionTree? {
        let whole = try snapshot.revisionTree(of: id)
        guard isLimited, let whole else { return whole }
        var seen = RevisionTree()
        for leaf in whole.sortedLeaves
        where identity.maySee(channels: try Self.channels(of: leaf, whole, id, in: snapshot)) {
            if let path = whole.path(to: leaf.name) { seen.insert(path, isDeleted: leaf.isDeleted) }
        }
        return seen.isEmpty ? nil : seen
    }

    /// How many documents the sender sees, and how many that are deleted.
    ///
    /// - Complexity: Linear in the documents.
    func counts(in snapshot: Snapshot) throws -> (live: Int, deleted: Int) {
        var (live, deleted) = (0, 0)
        try snapshot.forEachDocument(includingDeleted: true) { document in
            guard let winner = try tree(of: document.id, in: snapshot)?.winner else { return true }
            if winner.isDeleted { deleted += 1 } else { live += 1 }
            return true
        }
        return (live, deleted)
    }

    /// The channels of a leaf, nil in place of what is no string; nil when it has none.
    static func channels(
        of leaf: RevisionTree.Leaf, _ tree: RevisionTree, _ id: String, in snapshot: Snapshot
    ) throws -> [String?]? {
        if !leaf.isDeleted, leaf == tree.winner {
            var found: JSONValue?
            try snapshot.readDocument(id) { found = try $0.json("channels") }
            return elements(found)
        }
        let document = try snapshot.document(id, atRevision: leaf.name.description)
        if let own = try document.map({ try $0.packed().member("channels") }) ?? nil {
            return elements(own)
        }
        guard leaf.isDeleted,
            let row = try snapshot.table(channelsTable)?.value(for: key(of: leaf.name, id))
        else { return nil }
        return elements(try? JSONText.value(from: row))
    }

    private static func elements(_ value: JSONValue?) -> [String?]? {
        value?.arrayValue?.map(\.stringValue)
    }

    /// The key of what is noted of a revision.
    static func key(of name: RevisionName, _ id: String) -> [UInt8] {
        Array(id.utf8) + [0] + Array(name.standIn.description.utf8)
    }

    /// Refuses a write that is not the sender's to make.
    ///
    /// A design document is for administrators of the database. Every channel of the document, before and after, must
    /// be one that the sender may write, and there must be one. What counts of the document before are all its leaves that are no deletions: one that is hidden
    /// from the sender could otherwise be made to lose.
    ///
    /// - Parameters:
    ///   - members: What the new revision holds.
    ///   - isDeleted: Whether it is a deletion, which may have no channels.
    ///   - id: The document.
    ///   - tree: All its revisions.
    ///   - hidden: The error for a document that the sender may not know.
    ///   - snapshot: The transaction of the write, or what is there before it.
    /// - Throws: ``CouchError`` 401, 403, or `hidden`; ``DatabaseError``.
    func checkWrite(
        of members: PackedValue, isDeleted: Bool, to id: String, _ tree: RevisionTree?,
        hidden: CouchError, in snapshot: Snapshot
    ) throws {
        guard isAdministered || !DocumentIdentifier.isDesign(id) else { throw CouchError.notAdmin }
        if identity.writable != nil || isLimited {
            let value = try members.member("channels")
            guard identity.mayWriteSomething,
                isDeleted && value == nil
                    || identity.mayWrite(channels: Self.elements(value))
            else { throw CouchError.foreignChannels }
            for leaf in tree?.sortedLeaves ?? [] where !leaf.isDeleted {
                let channels = try tree.flatMap {
                    try Self.channels(of: leaf, $0, id, in: snapshot)
                }
                guard identity.maySee(channels: channels) else { throw hidden }
                guard identity.mayWrite(channels: channels) else {
                    throw CouchError.foreignChannels
                }
            }
        }
        let needed: TableOperation
        if isDeleted {
            needed = .delete
        } else if let winner = tree?.winner {
            needed = winner.isDeleted ? .undelete : .update
        } else {
            needed = .insert
        }
        guard identity.operations.contains(needed) else { throw CouchError.notAllowedByRules }
    }

    /// Notes for a deletion without channels those of the leaf that it ended, and forgets those of a deletion that was
    /// followed.
    ///
    /// - Parameters:
    ///   - channels: Those of the leaf, as it was before; nil for what is no deletion, or has channels of its own.
    ///   - revision: The new revision.
    ///   - leaf: The leaf that it follows.
    ///   - id: The document.
    ///   - transaction: The transaction.
    /// - Throws: ``DatabaseError``.
    static func noteChannels(
        _ channels: [String?]?, as revision: String, after leaf: RevisionTree.Leaf?,
        of id: String, in transaction: Transaction
    ) throws {
        if let leaf, leaf.isDeleted, try transaction.table(channelsTable) != nil {
            try transaction.sideTable(named: channelsTable).remove(key(of: leaf.name, id))
        }
        let names = channels?.compactMap { $0 } ?? []
        guard let name = RevisionName(revision), !names.isEmpty else { return }
        try transaction.sideTable(named: channelsTable).set(
            JSONText.text(of: .array(names.map { .string($0) })), for: key(of: name, id))
    }
}

extension CouchError {
    static let foreignChannels = CouchError(
        403, "forbidden",
        "The token does not allow this: every channel of the document, before and after, must be one of "
            + "the token's, and there must be one.")
    static let notAllowedByRules = CouchError(
        403, "forbidden", "The rules of this server do not allow this here.")
    static let hidden = CouchError(
        403, "forbidden", "The token does not allow to write a document with this id.")
    static let notServerAdmin = CouchError(401, "unauthorized", "You are not a server admin.")
    static let notAdmin = CouchError(401, "unauthorized", "You are not a db or server admin.")
}
