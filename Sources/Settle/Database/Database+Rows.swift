import SettleIndexing
import SettlePrimitives
import SettleStorage

extension Database {
    /// Reads rows of an index where they lie, and gathers something from them.
    ///
    /// For many rows, or for few in little time: no strings and values are made but those that are asked
    /// for, a row tells whether its key is that of the row before (``QueryRowView/repeatsKey``), and the
    /// rows before the first are not counted, as ``runQuery(on:with:)`` does for
    /// ``QueryResultEnumerator/offset``.
    ///
    /// ```swift
    /// let sum = try await database.readRows(of: "byPlace", with: page, into: 0) { sum, row in
    ///     sum += Int(try row.value?.integer ?? 0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order. They are never reduced, so ``QueryParameters/reduce``
    ///     is not looked at.
    ///   - initial: What to begin with.
    ///   - body: Called with what was gathered so far and a view of each row, which is good during the
    ///     call. A snapshot is held until the last row, so it should not wait for anything.
    /// - Returns: What was gathered, as of one moment: at or after the call, unless older rows were
    ///   allowed.
    /// - Throws: ``DatabaseError`` with `indexNotFound`, `unsupportedQuery` when rows are to be grouped or
    ///   documents included; what `body` throws; otherwise as ``runQuery(on:with:)``.
    /// - Complexity: O(log n + k) for k rows, and the mapping of the documents that changed since the
    ///   index was last asked.
    public func readRows<Result: Sendable>(
        of index: String, with parameters: any QueryParameters = QueryByKeyRange(),
        into initial: Result,
        _ body: @Sendable (inout Result, borrowing QueryRowView) throws -> Void
    ) async throws -> Result {
        if parameters.group || parameters.groupLevel > 0 || parameters.includeDocuments {
            throw DatabaseError(
                .unsupportedQuery,
                "Rows that are read in place are not grouped and come without documents; "
                    + "use runQuery.")
        }
        let gathered = try await withRows(
            of: index, parameters.freshness,
            asking: { _ in try IndexQuery(parameters, hasReducer: false) }
        ) { _, query, runner, _ in
            var result = initial
            var last: [UInt8]?
            try runner.forEachStoredRow(query) { key, emitted, value in
                let repeatsKey = last.map { emitted.isSame(as: $0.span) } ?? false
                if !repeatsKey { last = emitted.rest(from: 0) }
                let row = QueryRowView(
                    of: index, rowKey: key, emitted: emitted, stored: value,
                    repeatsKey: repeatsKey)
                try body(&result, row)
            }
            return result
        }
        return gathered ?? initial
    }

    /// Reads rows of an index as ``readRows(of:with:into:_:)`` does, and counts those before them.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order.
    ///   - initial: What to begin with.
    ///   - body: Called with what was gathered, a view of each row, the snapshot that it is of, and the last change that the
    ///     rows take into account: that of a document may be a later one.
    /// - Returns: What was gathered, and what is known of the rows.
    /// - Throws: As ``readRows(of:with:into:_:)``.
    package func readCountedRows<Result: Sendable>(
        of index: String, with parameters: any QueryParameters, into initial: Result,
        _ body: @Sendable (inout Result, borrowing QueryRowView, Snapshot, UInt64) throws -> Void
    ) async throws -> CountedRows<Result> {
        let gathered = try await withRows(
            of: index, parameters.freshness,
            asking: { _ in try IndexQuery(parameters, hasReducer: false) }
        ) { snapshot, query, runner, reader in
            var result = initial
            let sequence = reader.state.sequence
            let (totalRows, offset) = try runner.runStored(query) { key, emitted, value in
                try body(
                    &result,
                    QueryRowView(
                        of: index, rowKey: key, emitted: emitted, stored: value, repeatsKey: false),
                    snapshot, sequence)
            }
            return CountedRows(
                result: result, totalRows: totalRows, offset: offset, sequence: sequence)
        }
        return gathered ?? CountedRows(result: initial)
    }

    /// Hands the rows of an index to a closure, in one snapshot, when they are as fresh as they must be.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - freshness: How fresh.
    ///   - asking: The query to put to a definition of the index.
    ///   - body: Gets the snapshot, the query, what runs it, and what is known of the rows.
    /// - Returns: What `body` returns; nil when stale rows will do and there are none.
    /// - Throws: ``DatabaseError`` with `indexNotFound`; what `asking` and `body` throw; otherwise as
    ///   ``write(_:)``.
    func withRows<Value>(
        of index: String, _ freshness: QueryFreshness,
        asking: (IndexDefinition) throws -> IndexQuery,
        _ body: (Snapshot, IndexQuery, QueryRunner, IndexReader) throws -> Value
    ) async throws -> Value? {
        guard freshness == .current else {
            return try withStaleRows(of: index, freshness, asking: asking, body)
        }
        // Writers may outrun the index for ever, so once it has been brought up to date, an answer
        // as of the start of the call is good enough.
        var start: UInt64?
        while true {
            let entry = try currentEntry(named: index)
            let definition = entry.definition
            let query = try asking(definition)
            let attempt = try read { snapshot in
                try snapshot.withRows(of: definition) { reader, runner in
                    let sequence = start ?? snapshot.sequence
                    guard let reader, reader.isCurrent(at: sequence) else {
                        return Attempt<Value>.behind(sequence)
                    }
                    return .answer(try body(snapshot, query, try runner(reader), reader))
                }
            }
            switch attempt {
            case .answer(let answer):
                return answer
            case .behind(let sequence):
                start = start ?? sequence
                do {
                    try await bringUpToDate(entry, to: sequence)
                } catch let error as DatabaseError where error.code == .indexChanged {
                    // The next turn asks the index that took its place, if there is one.
                    continue
                }
            }
        }
    }

    private func withStaleRows<Value>(
        of index: String, _ freshness: QueryFreshness,
        asking: (IndexDefinition) throws -> IndexQuery,
        _ body: (Snapshot, IndexQuery, QueryRunner, IndexReader) throws -> Value
    ) throws -> Value? {
        let entry = try knownEntry(named: index)
        let definition = entry.definition
        let query = try asking(definition)
        let answer = try read { snapshot in
            try snapshot.withRows(of: definition) { reader, runner -> Value? in
                // Keys in another collation's order cannot be compared with those of the query.
                guard let reader, reader.state.hasCollation(of: definition) else { return nil }
                return try body(snapshot, query, try runner(reader), reader)
            }
        }
        if answer == nil { try checkIsKept(entry) }
        if freshness == .staleThenUpdate, !configuration.isReadOnly {
            Task(priority: .utility) { [weak self] in
                guard let self, let sequence = try? self.lastSequence else { return }
                // Whoever asks for a current answer gets the failure.
                try? await self.bringUpToDate(entry, to: sequence)
            }
        }
        return answer
    }
}

/// What was gathered from rows of an index, and what is known of them.
package struct CountedRows<Result: Sendable>: Sendable {
    /// What was gathered.
    package var result: Result
    /// The number of all rows of the index.
    package var totalRows: Int?
    /// How many rows of the index stand before the first one, in the order of the query; nil for a list of keys.
    package var offset: Int?
    /// The last change that the rows take into account.
    package var sequence: UInt64 = 0
}

/// What became of a question in one snapshot.
private enum Attempt<Value> {
    case answer(Value)
    /// The index has to be brought up to this sequence first.
    case behind(UInt64)
}

extension Snapshot {
    /// Hands on what is known of the rows of an index, nil when there are none, and how to ask them.
    fileprivate func withRows<Value>(
        of definition: IndexDefinition,
        _ body: (IndexReader?, (IndexReader) throws -> QueryRunner) throws -> Value
    ) throws -> Value {
        try DatabaseError.translating {
            try body(
                try IndexReader(of: definition.name, fitting: definition, in: base),
                { try QueryRunner(definition, slot: $0.slot, state: $0.state, in: base) })
        }
    }
}
