import SettleDocuments
import SettleIndexing
import SettleStorage

extension Database {
    /// Asks an index.
    ///
    /// By default the index is brought up to date with the documents first: when documents changed
    /// since it was last asked, they are mapped; otherwise nothing is waited for. The parameters'
    /// ``QueryParameters/freshness`` says otherwise.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order, reduced or not.
    /// - Returns: The rows, as of one moment: at or after the call, unless older ones were allowed.
    /// - Throws: ``DatabaseError`` with `indexNotFound`, `unsupportedQuery` when the parameters contradict
    ///   each other, `indexFailed` when reducing fails; otherwise as ``write(_:)``.
    /// - Complexity: O(log n + k) for k rows returned, O(log n) for each row that sums up, whatever
    ///   it sums up, and the mapping of the documents that changed since the index was last asked.
    public func runQuery(
        on index: String, with parameters: any QueryParameters = QueryByKeyRange()
    ) async throws -> QueryResultEnumerator {
        guard parameters.freshness == .current else {
            return try await runStaleQuery(on: index, with: parameters)
        }
        // Writers may outrun the index for ever, so once it has been brought up to date, an answer
        // as of the start of the call is good enough.
        var start: UInt64?
        while true {
            let entry = try currentEntry(named: index)
            let query = try IndexQuery(
                parameters, hasReducer: entry.definition.reducer != nil)
            let attempt = try read { snapshot in
                try snapshot.attempt(
                    query, entry.definition, parameters, atLeast: start ?? snapshot.sequence)
            }
            switch attempt {
            case .answer(let answer):
                return answer
            case .behind(let sequence):
                start = start ?? sequence
                do {
                    try await bringUpToDate(entry, to: sequence)
                } catch let error as DatabaseError where error.code == .indexChanged {
                    // The next round asks the index that took its place, if there is one.
                    continue
                }
            }
        }
    }

    private func runStaleQuery(
        on index: String, with parameters: any QueryParameters
    ) async throws -> QueryResultEnumerator {
        let entry = try indexes.entry(named: index)
        let query = try IndexQuery(parameters, hasReducer: entry.definition.reducer != nil)
        let answer = try read { snapshot in
            try snapshot.answer(query, entry.definition, parameters)
        }
        if parameters.freshness == .staleThenUpdate, !configuration.isReadOnly {
            Task(priority: .utility) { [weak self] in
                guard let self, let sequence = try? self.lastSequence else { return }
                // Whoever asks for a current answer gets the failure.
                try? await self.bringUpToDate(entry, to: sequence)
            }
        }
        return answer
    }
}

/// What became of a query in one snapshot.
private enum QueryAttempt {
    case answer(QueryResultEnumerator)
    /// The index has to be brought up to this sequence first.
    case behind(UInt64)
}

extension Snapshot {
    fileprivate func attempt(
        _ query: IndexQuery, _ definition: IndexDefinition, _ parameters: any QueryParameters,
        atLeast sequence: UInt64
    ) throws -> QueryAttempt {
        try DatabaseError.translating {
            guard
                let view = try IndexReader(
                    of: definition.name, fitting: definition, in: base),
                view.isCurrent(at: sequence)
            else { return .behind(sequence) }
            return .answer(try run(query, definition, parameters, view))
        }
    }

    /// Answers with what is there.
    fileprivate func answer(
        _ query: IndexQuery, _ definition: IndexDefinition, _ parameters: any QueryParameters
    ) throws -> QueryResultEnumerator {
        try DatabaseError.translating {
            // Keys in another collation's order cannot be compared with those of the query.
            guard let view = try IndexReader(of: definition.name, fitting: definition, in: base),
                view.state.hasCollation(of: definition)
            else { return QueryResultEnumerator(rows: [], startRow: parameters.startRow) }
            return try run(query, definition, parameters, view)
        }
    }

    private func run(
        _ query: IndexQuery, _ definition: IndexDefinition, _ parameters: any QueryParameters,
        _ view: IndexReader
    ) throws -> QueryResultEnumerator {
        let runner = try QueryRunner(definition, slot: view.slot, state: view.state, in: base)
        var rows: [QueryResultRow] = []
        rows.reserveCapacity(min(query.limit ?? 0, Self.reservedRowCountMax))
        let includesDocuments = parameters.includeDocuments
        let (totalRows, offset) = try runner.run(query) { row in
            if includesDocuments {
                let document = try document(of: row)
                rows.append(QueryResultRow(row, document: document))
            } else {
                rows.append(QueryResultRow(row))
            }
        }
        return QueryResultEnumerator(
            rows: rows, startRow: parameters.startRow, totalRows: totalRows, offset: offset,
            sequence: view.state.sequence)
    }

    /// For how many rows room is asked for at once, when the query says how many it wants.
    private static let reservedRowCountMax = 1_000

    /// The document that a row shows.
    func document(of row: IndexRow) throws -> Document? {
        try row.shownDocumentID.flatMap { try document($0) }
    }
}

extension IndexRow {
    /// The document that a row shows when documents are asked for.
    ///
    /// A value `{"_id": other}` links another one, as in CouchDB.
    var shownDocumentID: String? {
        if case .object(let members)? = value, case .string(let linked)? = members["_id"] {
            return linked
        }
        return documentID
    }
}
