extension Database {
    /// The result of a query, and each later one that differs, as an asynchronous sequence.
    ///
    /// Each iteration is an observation of its own, which begins when it is first asked and ends
    /// when it is let go of, cancelled, or the database is closed. Results that come while nobody
    /// asks are left out, but for the last; see
    /// ``observeQuery(on:with:interval:changeHandler:)`` for what it costs and guarantees.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order, reduced or not.
    ///   - interval: The least time between two results, by the configuration's clock.
    /// - Returns: The results. Iterating throws ``DatabaseError`` with `indexNotFound`,
    ///   `unsupportedQuery`, `databaseClosed`, and what ``runQuery(on:with:)`` throws; that is its end.
    public func queryResults(
        on index: String, with parameters: any QueryParameters = QueryByKeyRange(),
        interval: Duration = .zero
    ) -> QueryResults {
        QueryResults(
            source: ObservationSource(self, interval) { [observers] () throws(DatabaseError) in
                try observers.observe(parameters, of: index)
            }, startRow: parameters.startRow)
    }

    /// How the result of a query changes, as an asynchronous sequence: enough to animate a list.
    ///
    /// The first element holds the first result, each later one what is different from the one
    /// before, however many commits are between them. Otherwise as
    /// ``queryResults(on:with:interval:)``.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order, reduced or not.
    ///   - interval: The least time between two steps, by the configuration's clock.
    /// - Returns: The steps. Iterating throws as ``queryResults(on:with:interval:)``.
    /// - Complexity: A step in proportion to what has changed, and O(n / 256) for n rows.
    public func queryChanges(
        on index: String, with parameters: any QueryParameters = QueryByKeyRange(),
        interval: Duration = .zero
    ) -> QueryChanges {
        QueryChanges(source: queryResults(on: index, with: parameters, interval: interval))
    }

    /// All documents of a type, as in
    /// ``observeDocuments(ofType:interval:changeHandler:)``, as an asynchronous sequence.
    ///
    /// - Parameters:
    ///   - type: The type, as ``Document/MetaData/type`` has it.
    ///   - interval: The least time between two results, by the configuration's clock.
    /// - Returns: The results. Iterating throws ``DatabaseError``, which is its end: with
    ///   `databaseClosed` when it begins after the close, and when documents cannot be read.
    /// - Complexity: The first result reads every document once. Memory: the documents of the type.
    public func documentResults(
        ofType type: String, interval: Duration = .zero
    ) -> QueryResults {
        documentResults(interval) { () throws(DatabaseError) in .type(type) }
    }

    /// The documents of a choice that is made when somebody begins to observe.
    func documentResults(
        _ interval: Duration,
        _ choice: @escaping @Sendable () throws(DatabaseError) -> DocumentChoice
    ) -> QueryResults {
        QueryResults(
            source: ObservationSource(self, interval) { [observers] () throws(DatabaseError) in
                try observers.observe(choice())
            }, startRow: 0)
    }

    /// How the documents of a type change, as an asynchronous sequence; see
    /// ``queryChanges(on:with:interval:)``.
    ///
    /// - Parameters:
    ///   - type: The type, as ``Document/MetaData/type`` has it.
    ///   - interval: The least time between two steps, by the configuration's clock.
    /// - Returns: The steps. Iterating throws as ``documentResults(ofType:interval:)``.
    public func documentChanges(
        ofType type: String, interval: Duration = .zero
    ) -> QueryChanges {
        QueryChanges(source: documentResults(ofType: type, interval: interval))
    }

    /// A document, and again whenever it is changed or deleted, as an asynchronous sequence; nil while
    /// there is none.
    ///
    /// Otherwise as ``queryResults(on:with:interval:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - interval: The least time between two states, by the configuration's clock.
    /// - Returns: The states. Iterating throws as ``documentResults(ofType:interval:)``.
    public func documentStates(of id: String, interval: Duration = .zero) -> DocumentStates {
        DocumentStates(
            source: ObservationSource(self, interval) { [observers] () throws(DatabaseError) in
                try observers.observe(.identifier(id))
            })
    }
}
