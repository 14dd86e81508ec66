import SettleDocuments
import SettleIndexing
import SettleStorage

extension Database {
    /// Asks an index, after bringing it up to date with the documents.
    ///
    /// When documents changed since the index was last asked, they are mapped in the writer's
    /// queue first; otherwise nothing is waited for.
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
        // Writers may outrun the index for ever, so after some rounds an answer as of the start of
        // the call is good enough.
        let start = try lastSequence
        var round = 0
        while true {
            let entry = try indexes.entry(named: index)
            let query = try IndexQuery(
                parameters, hasReducer: entry.definition.reducer != nil)
            let isLate = round >= Self.freshRounds
            let attempt = try read { snapshot in
                try snapshot.attempt(
                    query, entry.definition, includingDocuments: parameters.includeDocuments,
                    atLeast: isLate ? start : snapshot.sequence)
            }
            switch attempt {
            case .rows(let rows):
                return QueryResultEnumerator(rows: rows, startRow: parameters.startRow)
            case .behind(let sequence):
                do {
                    try await bringUpToDate(entry, to: sequence)
                } catch let error as DatabaseError where error.code == .indexChanged {
                    // The next round asks the index that took its place, if there is one.
                    continue
                }
            }
            round += 1
        }
    }

    private static let freshRounds = 3
}

/// What became of a query in one snapshot.
private enum QueryAttempt {
    case rows([QueryResultRow])
    /// The index has to be brought up to this sequence first.
    case behind(UInt64)
}

extension Snapshot {
    fileprivate func attempt(
        _ query: IndexQuery, _ definition: IndexDefinition, includingDocuments: Bool,
        atLeast sequence: UInt64
    ) throws -> QueryAttempt {
        try DatabaseError.translating {
            guard let state = try IndexState(name: definition.name, in: base),
                state.fits(definition), state.sequence >= sequence
            else { return .behind(sequence) }
            return .rows(
                try QueryRunner(definition, in: base).run(query).map { row in
                    QueryResultRow(
                        documentId: row.documentID, key: row.key, value: row.value,
                        document: includingDocuments ? try document(of: row) : nil)
                })
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
