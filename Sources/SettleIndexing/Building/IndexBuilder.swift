import SettleDocuments
package import SettleStorage

/// Keeps the rows of an index up to date with the documents, change by change.
package struct IndexBuilder: Sendable {
    private let definition: IndexDefinition
    private let collator: Collator

    /// A builder for one index.
    package init(_ definition: IndexDefinition) {
        self.definition = definition
        self.collator = Collator(definition.strings)
    }

    /// Maps the documents that changed since the index was last brought up to date.
    ///
    /// An index with another version or collation is emptied first, and so is one that has not been
    /// brought up to date for more purges than the store lists. The work is cut into steps so
    /// that other writers get their turn, and a crash in between loses only the current step.
    ///
    /// - Parameters:
    ///   - transaction: The transaction the step is a part of.
    ///   - changeCountMax: The most changes to take in, 1 or more.
    /// - Returns: The sequence up to which the index is up to date now.
    /// - Throws: What the map throws; ``IndexError``, ``StorageError``, ``PackedError``.
    package func step(in transaction: StoreTransaction, changeCountMax: Int) throws -> UInt64 {
        let target = transaction.lastSequence
        var state = try IndexState(name: definition.name, in: transaction)
        if let found = state, found.fits(definition), found.sequence == target { return target }

        let tables = try IndexTables(creatingIn: transaction, index: definition.name)
        if let found = state, !found.fits(definition) || found.missesPurges(in: transaction) {
            try tables.removeAll()
            state = nil
        }
        var next =
            state
            ?? IndexState(of: definition, purgesForgotten: transaction.purgesForgotten)
        let changes = try self.changes(
            since: next.sequence, countMax: changeCountMax, in: transaction)
        for id in changes.ids {
            next.rowCount += try update(id, tables: tables, transaction: transaction)
        }
        next.sequence = changes.isComplete ? target : changes.last
        try next.write(name: definition.name, in: transaction)
        return next.sequence
    }

    /// Removes everything that an index keeps.
    package static func remove(name: String, in transaction: StoreTransaction) throws {
        try IndexTables(findingIn: transaction, index: name)?.drop()
        try IndexState.remove(name: name, in: transaction)
    }

    private func changes(
        since sequence: UInt64, countMax: Int, in transaction: StoreTransaction
    ) throws -> (ids: [String], last: UInt64, isComplete: Bool) {
        var ids: [String] = []
        var last = sequence
        var isComplete = true
        try transaction.forEachChange(since: sequence) { number, id in
            guard ids.count < countMax else {
                isComplete = false
                return false
            }
            ids.append(id)
            last = number
            return true
        }
        return (ids, last, isComplete)
    }

    /// Replaces the rows of one document.
    ///
    /// Answers by how many the index grew.
    private func update(
        _ id: String, tables: IndexTables, transaction: StoreTransaction
    ) throws -> Int64 {
        let pointerKey = Array(id.utf8)
        let before = try tables.pointers(of: id, index: definition.name)
        var rows: [EmittedRow] = []
        if let record = try transaction.record(id), !record.isDeleted {
            try definition.map(id, record) { rows.append($0) }
        }
        let stored = try rows.map { row in
            do {
                return try StoredRow(row).bytes
            } catch let error as PackedError {
                throw IndexError.mapFailed(
                    index: definition.name, documentID: id,
                    reason: "a row that cannot be stored (\(error))")
            }
        }
        guard rows.count <= RowKey.emitCountMax else {
            throw IndexError.tooManyRows(documentID: id, countMax: RowKey.emitCountMax)
        }
        let after = rows.enumerated().map { emit, row in
            RowKey.bytes(collationKey: collator.key(for: row.key), documentID: id, emit: emit)
        }
        for key in Set(before).subtracting(after) { try tables.rows.remove(key) }
        for (key, row) in zip(after, stored) { try tables.rows.put(row, for: key) }
        if after.isEmpty {
            if !before.isEmpty { try tables.pointers.remove(pointerKey) }
        } else if after != before {
            var list: [UInt8] = []
            for key in after { list.append(counted: key) }
            try tables.pointers.set(list, for: pointerKey)
        }
        return Int64(after.count - before.count)
    }
}
