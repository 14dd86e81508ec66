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
        let answer = try await withRows(
            of: index, parameters.freshness,
            asking: { try IndexQuery(parameters, hasReducer: $0.reducer != nil) }
        ) { snapshot, query, runner, reader in
            try snapshot.run(query, parameters, runner, reader)
        }
        return answer ?? QueryResultEnumerator(rows: [], startRow: parameters.startRow)
    }

    /// Asks a declared index for rows, as ``runQuery(on:with:)`` does, as long as it is still the one that
    /// is declared.
    ///
    /// - Parameters:
    ///   - declaration: The index, on which the parameters rely.
    ///   - parameters: Which rows, in which order, reduced or not.
    /// - Returns: The rows: all of them made by the declaration, however old.
    /// - Throws: ``DatabaseError`` with `indexChanged` when another index has its name, or the rows at hand are
    ///   those of another; otherwise as ``runQuery(on:with:)``.
    package func runQuery(
        on declaration: IndexDeclaration, with parameters: any QueryParameters
    ) async throws -> QueryResultEnumerator {
        let (name, version) = (declaration.name, declaration.view.version)
        let changed = DatabaseError(
            .indexChanged, "Another index has taken the name '\(name)'; ask again.")
        let answer = try await withRows(
            of: name, parameters.freshness,
            asking: { definition in
                guard definition.version == version else { throw changed }
                return try IndexQuery(parameters, hasReducer: definition.reducer != nil)
            }
        ) { snapshot, query, runner, reader in
            guard reader.fits else { throw changed }
            return try snapshot.run(query, parameters, runner, reader)
        }
        return answer ?? QueryResultEnumerator(rows: [], startRow: parameters.startRow)
    }

    /// Asks an index, and counts what the answer took.
    ///
    /// ```swift
    /// let (result, cost) = try await database.measureQuery(on: "colours", with: some)
    /// print("\(cost.rowsRead) rows read for \(result.count), \(cost.leavesRead) leaves")
    /// ```
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order, reduced or not.
    /// - Returns: The rows as ``runQuery(on:with:)`` returns them, and what was read for them. Where stale rows are
    ///   allowed and there are none, nothing was.
    /// - Throws: As ``runQuery(on:with:)``.
    /// - Complexity: As ``runQuery(on:with:)``, which does not count.
    public func measureQuery(
        on index: String, with parameters: any QueryParameters = QueryByKeyRange()
    ) async throws -> (result: QueryResultEnumerator, cost: QueryCost) {
        let answer = try await withRows(
            of: index, parameters.freshness,
            asking: { try IndexQuery(parameters, hasReducer: $0.reducer != nil) }
        ) { snapshot, query, runner, reader in
            let counter = TreeReadCounter()
            let begun = ContinuousClock.now
            let result = try snapshot.run(query, parameters, runner.counting(with: counter), reader)
            return (result, QueryCost(counter, elapsed: ContinuousClock.now - begun))
        }
        return answer
            ?? (QueryResultEnumerator(rows: [], startRow: parameters.startRow), QueryCost())
    }
}

extension Snapshot {
    fileprivate func run(
        _ query: IndexQuery, _ parameters: any QueryParameters, _ runner: QueryRunner,
        _ reader: IndexReader
    ) throws -> QueryResultEnumerator {
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
            sequence: reader.state.sequence)
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
