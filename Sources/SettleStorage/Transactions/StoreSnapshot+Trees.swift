package import SettleDocuments
import SettleLMDB
import SettlePrimitives

extension StoreSnapshot {
    /// The tables of revision trees; nil in a store that never needed them.
    var treeTables: TreeTables? {
        get throws {
            if let known = knownTreeTables { return known }
            let found = try TreeTables(findingIn: reader)
            knownTreeTables = found
            return found
        }
    }

    /// Whether the store keeps revision trees, and so all ancestors up to ``revisionLimit``.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package var hasTrees: Bool {
        get throws { try treeTables != nil }
    }

    /// How many revisions of a branch are kept; 1,000 unless it was set.
    ///
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package var revisionLimit: Int {
        get throws { try RevisionLimit.read(from: tables.meta, in: reader) }
    }

    /// All revisions of a document that are known.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - record: Its record.
    /// - Returns: The tree; that of a document without one of its own is its revision and the ancestors.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package func tree(of id: String, _ record: DocumentRecord) throws -> RevisionTree {
        guard record.hasTree else {
            return RevisionTree(
                RevisionPath(record.revision, ancestors: record.ancestors),
                isDeleted: record.isDeleted)
        }
        let found = try treeTables.flatMap { tables in
            try reader.withValue(for: Array(id.utf8), in: tables.trees) { RevisionTree(stored: $0) }
        }
        guard case .some(.some(let tree)) = found else {
            throw StorageError.corrupted(place: "revision tree of document '\(id)'")
        }
        return tree
    }

    /// All revisions of a document that are known; nil when there never was such a document.
    ///
    /// - Throws: As ``tree(of:_:)``.
    package func tree(of id: String) throws -> RevisionTree? {
        try record(id).map { try tree(of: id, $0) }
    }

    /// What is stored of a leaf of a document, the winner or another.
    ///
    /// - Parameters:
    ///   - name: The revision.
    ///   - id: The document.
    ///   - record: Its record.
    /// - Returns: The record of the leaf; nil when the revision is none.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package func leaf(
        _ name: RevisionName, of id: String, _ record: DocumentRecord
    ) throws -> DocumentRecord? {
        if name.standIn == record.revision { return record }
        guard record.hasTree, let tables = try treeTables else { return nil }
        return try reader.withValue(
            for: TreeTables.leafKey(Array(id.utf8), name.standIn), in: tables.leaves
        ) { row in
            try self.record(decoding: row, id: id)
        }
    }

    /// What the leaves of a document attach.
    ///
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``.
    package func leafAttachments(of id: String) throws -> [AttachmentRecord] {
        guard let record = try record(id) else { return [] }
        guard record.hasTree else { return record.attachments }
        return try tree(of: id, record).sortedLeaves.flatMap { leaf in
            try self.leaf(leaf.name, of: id, record)?.attachments ?? []
        }
    }

    /// How many documents have more than one leaf that is no deletion.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package var conflictedCount: Int {
        get throws { try treeTables.map { try reader.count(of: $0.conflicts) } ?? 0 }
    }

    /// How many leaves there are that lost, deletions included.
    ///
    /// - Throws: ``LMDBError`` when the store cannot be read.
    package var lostLeafCount: Int {
        get throws { try treeTables.map { try reader.count(of: $0.leaves) } ?? 0 }
    }

    /// Walks the documents with more than one leaf that is no deletion, in the byte order of the identifiers.
    ///
    /// - Parameters:
    ///   - id: Where to start; a document with this identifier is not included; nil for the first.
    ///   - body: Called with each identifier, and how many such leaves lost; answers false to stop.
    /// - Throws: ``StorageError/corrupted(place:)``, ``LMDBError``, what `body` throws.
    package func forEachConflict(
        after id: String? = nil, _ body: (_ id: String, _ lostCount: Int) throws -> Bool
    ) throws {
        guard let tables = try treeTables else { return }
        let start: Bound = id.map { .excluding(Array($0.utf8)) } ?? .unbounded
        try reader.forEach(in: tables.conflicts, from: start) { key, value in
            var position = 0
            guard let id = String(validating: key.rest(from: 0), as: UTF8.self),
                let count = value.variable(at: &position), count >= 1, position == value.count
            else { throw StorageError.corrupted(place: "a row of table 'conflicts'") }
            return try body(id, Int(clamping: count))
        }
    }
}
