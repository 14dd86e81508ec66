import SettleDocuments
import SettleIndexing
import SettleStorage

extension Database {
    /// Asks an index, after bringing it up to date with the documents.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order, reduced or not.
    /// - Returns: The rows, as of one moment at or after the call.
    /// - Throws: ``DatabaseError`` with `indexNotFound`, `unsupportedQuery` when the parameters contradict
    ///   each other, `indexFailed` when mapping or reducing fails; otherwise as ``write(_:)``.
    /// - Complexity: O(log n + k) for k rows returned, passed over, or reduced, and the mapping of
    ///   the documents that changed since the index was last asked.
    public func runQuery(
        on index: String, with parameters: any QueryParameters = QueryByKeyRange()
    ) async throws -> QueryResultEnumerator {
        let definition = try indexes.definition(named: index)
        let query = try IndexQuery(parameters, hasReducer: definition.reducer != nil)
        // Writers may outrun the index for ever, so after some rounds an answer as of the start of
        // the call is good enough.
        let start = try lastSequence
        for round in 1... {
            try await bringUpToDate(definition)
            let rows = try read { snapshot -> [QueryResultRow]? in
                guard let state = try IndexState(name: index, in: snapshot.base),
                    state.fits(definition),
                    state.sequence == snapshot.sequence
                        || (round > Self.freshRounds && state.sequence >= start)
                else { return nil }
                return try snapshot.rows(
                    of: definition, query, includingDocuments: parameters.includeDocuments)
            }
            if let rows { return QueryResultEnumerator(rows: rows, startRow: parameters.startRow) }
        }
        preconditionFailure("The loop above ends only by returning or throwing.")
    }

    private static let freshRounds = 3
}

extension Snapshot {
    func rows(
        of definition: IndexDefinition, _ query: IndexQuery, includingDocuments: Bool
    ) throws -> [QueryResultRow] {
        try DatabaseError.translating {
            try QueryRunner(definition, in: base).run(query).map { row in
                QueryResultRow(
                    documentId: row.documentID, key: row.key, value: row.value,
                    document: includingDocuments ? try document(of: row) : nil)
            }
        }
    }

    /// The document of a row.
    ///
    /// A value `{"_id": other}` links another one, as in CouchDB.
    private func document(of row: IndexRow) throws -> Document? {
        if case .object(let members)? = row.value, case .string(let linked)? = members["_id"] {
            return try document(linked)
        }
        return try row.documentID.flatMap { try document($0) }
    }
}
