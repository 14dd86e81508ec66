package import SettleDocuments
import SettleLMDB
import SettlePrimitives

// A document has one record, that of the leaf which wins, and a row for each other leaf. What adds a leaf says how the
// tree is with it; here the rows are brought to what the tree says.

extension StoreTransaction {
    /// Has the store keep revision trees from now on.
    ///
    /// From then on a change of a document that has ten ancestors or more costs a row for its tree, with 17 bytes
    /// for each revision. Earlier releases cannot open the store any more.
    ///
    /// - Throws: ``LMDBError`` when the engine cannot.
    package func keepTrees() throws {
        _ = try writtenTreeTables()
    }

    /// Sets how many revisions of a branch are kept; what is there is cut when it is next changed.
    ///
    /// - Precondition: At least 1. No fewer than 11 are kept.
    /// - Throws: ``LMDBError`` when the engine cannot.
    package func setRevisionLimit(_ count: Int) throws {
        precondition(count > 0, "At least one revision is kept.")
        try keepTrees()
        try RevisionLimit.write(count, to: tables.meta, in: writer)
    }

    func writtenTreeTables() throws -> TreeTables {
        if let found = try treeTables { return found }
        let made = try TreeTables(creatingIn: writer, meta: tables.meta)
        knownTreeTables = made
        return made
    }

    /// Stores a revision that somebody else made, as it was given: a new leaf, or what wins.
    ///
    /// - Parameters:
    ///   - given: The revision.
    ///   - id: A valid identifier.
    /// - Returns: False when the revision was known; nothing but its ancestry may have changed then.
    /// - Throws: ``StorageError/originTooLong(length:)``, ``StorageError/corrupted(place:)``;
    ///   ``LMDBError`` when the engine cannot.
    /// - Complexity: As a put; with a tree, linear in its revisions.
    @discardableResult
    package func put(_ given: GivenRevision, of id: String) throws -> Bool {
        let existing = try check(id, .none, origin: given.origin)
        try keepTrees()
        var tree = try existing.map { try self.tree(of: id, $0) } ?? RevisionTree()
        let before = tree
        guard tree.insert(given.path, isDeleted: given.isDeleted) else {
            guard let existing, tree != before else { return false }
            if tree.leaves == before.leaves {
                try write(tree, of: id, existing)
            } else {
                // What was a leaf turned out to come before a revision that was known.
                try stem(&tree)
                try store(nil, in: tree, of: id, replacing: existing)
            }
            return false
        }
        try stem(&tree)
        let isSuccessor = existing.map { !$0.isDeleted } ?? false
        var record = DocumentRecord(
            sequence: 0, revision: given.path.name.standIn, ancestors: given.path.recordAncestors,
            isDeleted: given.isDeleted,
            created: isSuccessor || given.isDeleted ? existing?.created ?? now : now,
            changed: now, origin: given.origin, attachments: given.attachments, body: given.body)
        record.isGiven = given.isForeign
        try store((record, given.path.name), in: tree, of: id, replacing: existing)
        return true
    }

    /// Stores a change of a leaf that lost, as a new revision after it.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - name: The leaf; the winner too.
    ///   - body: The members.
    ///   - attachments: What is attached; the content must be stored.
    ///   - isDeleted: True to end the branch by a deletion.
    ///   - origin: The replication that the change comes from; nil for one made on this device.
    /// - Returns: What is stored of the new leaf.
    /// - Throws: ``StorageError/conflict(id:current:)`` when the revision is no leaf; ``LMDBError`` when the
    ///   engine cannot.
    @discardableResult
    package func put(
        _ id: String, after name: RevisionName, body: PackedValue,
        attachments: [AttachmentRecord] = [], isDeleted: Bool = false, origin: String? = nil
    ) throws -> DocumentRecord {
        guard let existing = try check(id, .none, origin: origin) else {
            throw StorageError.conflict(id: id, current: nil)
        }
        var tree = try self.tree(of: id, existing)
        guard tree.leaf(name) != nil, let parent = try leaf(name, of: id, existing) else {
            throw StorageError.conflict(
                id: id, current: existing.isDeleted ? nil : existing.revision)
        }
        var record = successor(
            of: parent, body: body, attachments: attachments, isDeleted: isDeleted, origin: origin)
        if name.standIn == existing.revision, !isDeleted { record.expiration = existing.expiration }
        tree.insert(.successor(record.revision, of: name), isDeleted: isDeleted)
        try stem(&tree)
        try store((record, RevisionName(record.revision)), in: tree, of: id, replacing: existing)
        return record
    }

    /// Stores a change of a document whose record cannot name all of its revisions.
    ///
    /// - Parameters:
    ///   - record: The new revision, after the one that is there.
    ///   - id: The document.
    ///   - existing: What is there.
    /// - Throws: ``StorageError/corrupted(place:)``; ``LMDBError`` when the engine cannot.
    func putInTree(_ record: DocumentRecord, of id: String, replacing existing: DocumentRecord)
        throws
    {
        var tree = try self.tree(of: id, existing)
        guard let parent = tree.winner?.name else {
            throw StorageError.corrupted(place: "revision tree of document '\(id)'")
        }
        let path = RevisionPath.successor(record.revision, of: parent)
        tree.insert(path, isDeleted: record.isDeleted)
        try stem(&tree)
        try store((record, path.name), in: tree, of: id, replacing: existing)
    }

    /// Whether a change of a document needs a tree: it has one, or its record is full and all ancestors are kept.
    func needsTree(_ existing: DocumentRecord) throws -> Bool {
        if existing.hasTree { return true }
        return try existing.ancestors.count >= DocumentRecord.ancestorCountMax && hasTrees
    }

    func stem(_ tree: inout RevisionTree) throws {
        if tree.count > RevisionLimit.countMin {
            tree.stem(to: max(RevisionLimit.countMin, try revisionLimit))
        }
    }

    /// Brings the rows of a document to what its tree says.
    ///
    /// - Parameters:
    ///   - new: A leaf that has no row yet, with its revision; it may be the winner, or not. Nil when none was added.
    ///   - tree: The tree with it; a leaf that is not in it is removed.
    ///   - id: The document.
    ///   - existing: The record that is there.
    /// - Throws: ``StorageError/corrupted(place:)``; ``LMDBError`` when the engine cannot.
    func store(
        _ new: (record: DocumentRecord, name: RevisionName)?, in tree: RevisionTree,
        of id: String, replacing existing: DocumentRecord?
    ) throws {
        guard let winner = tree.winner?.name else {
            preconditionFailure("A tree with revisions has a leaf.")
        }
        let key = Array(id.utf8)
        // What is there, by what stands for it, but for the leaf that is new.
        var record: DocumentRecord
        if let new, winner == new.name {
            record = new.record
        } else if let found = try existing.flatMap({ try leaf(winner, of: id, $0) }) {
            record = found
            record.isHeld = false
            record.expiration = existing?.expiration
        } else {
            throw StorageError.corrupted(place: "leaf \(winner) of document '\(id)'")
        }
        if record.isDeleted { record.expiration = nil }
        record.sequence = counters.lastSequence + 1
        record.hasTree = tree.needsRow
        takeAncestors(of: winner, in: tree, &record)
        // New references first, so that content that moves is not removed in between.
        if let new, winner != new.name { try put(new.record, new.name.standIn, leafOf: key) }
        if let existing, existing.revision != record.revision,
            tree.leaves.keys.contains(where: { $0.standIn == existing.revision })
        {
            try put(existing, existing.revision, leafOf: key)
        }
        try write(record, of: id, replacing: existing)
        if record.hasTree || existing?.hasTree == true {
            let kept = Set(tree.leaves.keys.lazy.filter { $0 != winner }.map(\.standIn))
            try removeLeaves(of: key) { !kept.contains($0) }
            try writeRows(of: tree, key)
        }
    }

    /// Lets a record name what is known to come before its revision, if it was made from that.
    private func takeAncestors(
        of name: RevisionName, in tree: RevisionTree, _ record: inout DocumentRecord
    ) {
        let path = tree.path(to: name, limit: RevisionLimit.countMin)
        let ancestors = path?.digests.dropFirst().map(\.standIn) ?? []
        if record.isGiven || ancestors.starts(with: record.ancestors) {
            record.ancestors = ancestors
        }
    }

    /// Writes a tree whose leaves stay as they are.
    private func write(
        _ tree: RevisionTree, of id: String, _ existing: DocumentRecord
    ) throws {
        var tree = tree
        try stem(&tree)
        let key = Array(id.utf8)
        var record = existing
        record.hasTree = tree.needsRow
        if let winner = tree.winner?.name { takeAncestors(of: winner, in: tree, &record) }
        if record != existing { try write(record, for: key) }
        if record.hasTree || existing.hasTree { try writeRows(of: tree, key) }
    }

    /// Writes the rows of a document that say what its tree is, but for those of the leaves.
    func writeRows(of tree: RevisionTree, _ key: [UInt8]) throws {
        let tables = try writtenTreeTables()
        if tree.needsRow {
            try writer.put(tree.encoded(), for: key, in: tables.trees)
        } else {
            try writer.delete(key, from: tables.trees)
        }
        let lostCount = tree.leaves.values.count { !$0 } - 1
        if lostCount > 0 {
            var row: [UInt8] = []
            row.append(variable: UInt64(lostCount))
            try writer.put(row, for: key, in: tables.conflicts)
        } else {
            try writer.delete(key, from: tables.conflicts)
        }
    }

    /// Writes the row of a leaf that lost, and counts what it attaches.
    func put(_ leaf: DocumentRecord, _ revision: Revision, leafOf key: [UInt8]) throws {
        var leaf = leaf
        leaf.isHeld = false
        leaf.hasTree = false
        leaf.expiration = nil
        if leaf.sequence == 0 { leaf.sequence = counters.lastSequence + 1 }
        for attachment in leaf.attachments { try count(attachment, by: 1) }
        try write(
            leaf, for: TreeTables.leafKey(key, revision), in: try writtenTreeTables().leaves)
    }

    /// Removes rows of leaves, with what they attach.
    private func removeLeaves(of key: [UInt8], where isRemoved: (Revision) -> Bool) throws {
        guard let tables = try treeTables else { return }
        let prefix = TreeTables.leafPrefix(key)
        var removed: [(key: [UInt8], attachments: [AttachmentRecord])] = []
        try reader.forEach(in: tables.leaves, from: .including(prefix)) { found, row in
            guard found.count > prefix.count,
                found.extracting(0..<prefix.count).isSame(as: prefix.span)
            else { return false }
            guard let leaf = TreeTables.parse(leafKey: found) else {
                throw StorageError.corrupted(place: "a key of table 'leaves'")
            }
            if isRemoved(leaf.revision) {
                let record = try DocumentRecord(
                    decoding: row, id: String(decoding: key, as: UTF8.self))
                removed.append((found.rest(from: 0), record.attachments))
            }
            return true
        }
        for (key, attachments) in removed {
            for attachment in attachments { try count(attachment, by: -1) }
            try writer.delete(key, from: tables.leaves)
        }
    }

    /// Removes all that a document has beside its record.
    func removeTree(of record: DocumentRecord, key: [UInt8]) throws {
        guard record.hasTree, let tables = try treeTables else { return }
        try removeLeaves(of: key) { _ in true }
        try writer.delete(key, from: tables.trees)
        try writer.delete(key, from: tables.conflicts)
    }
}

extension RevisionTree {
    /// Whether a record cannot name all of it.
    ///
    /// A record has one leaf, ten ancestors, and digests of 16 bytes.
    var needsRow: Bool {
        leaves.count > 1 || count > DocumentRecord.ancestorCountMax + 1
            || parents.contains { !$0.key.isRevision || $0.value.count > 1 }
    }
}
