package import SettleDocuments
import SettleLMDB

extension StoreTransaction {
    /// Stores a record as it was exported, with its revision and dates, in the place of all that the document has.
    ///
    /// - Parameters:
    ///   - record: The record; its sequence is kept when it is higher than every one here, else it
    ///     gets the next.
    ///   - path: Its revision and all those before it, when it has more than the record names.
    ///   - id: A valid identifier.
    /// - Returns: The record that is stored now.
    /// - Throws: ``LMDBError`` when the engine cannot.
    @discardableResult
    package func restore(
        _ record: DocumentRecord, path: RevisionPath? = nil, of id: String
    ) throws -> DocumentRecord {
        let key = Array(id.utf8)
        var record = record
        record.sequence = max(record.sequence, counters.lastSequence + 1)
        record.isHeld = false
        let tree = path.map { RevisionTree($0, isDeleted: record.isDeleted) }
        record.hasTree = tree?.needsRow ?? false
        if record.hasTree || record.isGiven { try keepTrees() }
        let existing = try self.record(id)
        if let existing { try removeTree(of: existing, key: key) }
        try write(record, of: id, replacing: existing)
        if let tree, record.hasTree { try writeRows(of: tree, key) }
        return record
    }

    /// Stores a leaf that lost as it was exported, beside the record of its document.
    ///
    /// - Parameters:
    ///   - leaf: The leaf.
    ///   - path: Its revision and all those before it.
    ///   - id: The document, which was restored.
    /// - Returns: False when the leaf does not lose, or is none; nothing is stored then.
    /// - Throws: ``StorageError/corrupted(place:)``; ``LMDBError`` when the engine cannot.
    package func restoreLeaf(
        _ leaf: DocumentRecord, path: RevisionPath, of id: String
    ) throws -> Bool {
        guard var record = try record(id) else { return false }
        var tree = try self.tree(of: id, record)
        let winner = tree.winner
        let leaves = tree.leaves
        guard tree.insert(path, isDeleted: leaf.isDeleted), tree.winner == winner,
            tree.leaves.count == leaves.count + 1
        else { return false }
        let key = Array(id.utf8)
        var leaf = leaf
        // The last change of the document came no earlier.
        leaf.sequence = min(leaf.sequence, record.sequence)
        try put(leaf, path.name.standIn, leafOf: key)
        if !record.hasTree {
            record.hasTree = true
            try write(record, for: key)
        }
        try writeRows(of: tree, key)
        return true
    }
}
