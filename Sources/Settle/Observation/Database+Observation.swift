import Dispatch

// Observed queries of an index, and observed documents. All forms cost the same: a commit is looked
// at once for each index that is observed, and touches only those observers that show a row or a
// document that it changed.

extension Database {
    /// Has a handler called with the result of a query, and with each later one that differs.
    ///
    /// The handler is called on the completion queue, with the first result as soon as it is there.
    /// While it works, commits go on; it is then called with the newest result, and those in
    /// between are left out. The last one never is. A query that fails, because a value cannot be
    /// reduced for example, calls the handler once with an answer whose `error` is set, and again
    /// when there is a result. One that the index cannot answer from the start, because the parameters
    /// contradict it, calls it with the error and never again.
    ///
    /// Results are kept up to date from the rows that changed, so the cost follows from the changes
    /// and not from the length of the result, whose array is only made when
    /// ``QueryResultEnumerator/rows`` is asked for. While an index is observed, the commits that
    /// change documents bring its rows up to date themselves: its map is then called on the
    /// writer's thread. Commits of other processes are seen after
    /// ``OpenDatabaseConfiguration/foreignCommitInterval`` at the latest. Observed queries are always
    /// brought up to date, whatever ``QueryParameters/freshness`` says; but a database that is
    /// opened for reading only shows the rows that whoever writes it has brought up to date.
    ///
    /// The handler is not isolated to an actor; where the completion queue is the main queue,
    /// `MainActor.assumeIsolated` lets it use what belongs to the main actor. It may write to the
    /// database and may remove its own observer. What it throws is kept in
    /// ``QueryObserver/handlerError``, and it is called again all the same. What it captures is kept
    /// until the observation ends.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order, reduced or not.
    ///   - interval: The least time between two calls, by the configuration's clock; commits meanwhile
    ///     are taken together.
    ///   - changeHandler: Called with each new result.
    /// - Returns: What ends the observation, also when it is let go of; nil when the database has no
    ///   index of this name or is closed.
    /// - Complexity: The first result as ``runQuery(on:with:)``. Memory: the rows, and so the result of
    ///   a query without a limit is held as long as it is observed.
    public func observeQuery(
        on index: String, with parameters: any QueryParameters = QueryByKeyRange(),
        interval: Duration = .zero,
        changeHandler: @escaping @Sendable (QueryResultEnumerator) throws -> Void
    ) -> QueryObserver? {
        observeQuery(
            on: index, with: parameters, interval: interval, queue: completionQueue,
            changeHandler: changeHandler)
    }

    private func observeQuery(
        on index: String, with parameters: any QueryParameters, interval: Duration,
        queue: DispatchQueue,
        changeHandler: @escaping @Sendable (QueryResultEnumerator) throws -> Void
    ) -> QueryObserver? {
        let list: LiveList
        do throws(DatabaseError) {
            list = try observers.observe(parameters, of: index)
        } catch {
            guard error.code == .unsupportedQuery else { return nil }
            list = LiveList(failing: error)
        }
        return observer(of: list, interval: interval, on: queue) { state in
            try changeHandler(QueryResultEnumerator(state, startRow: parameters.startRow))
        }
    }

    /// Has a handler on the main actor called with the result of a query, and with each later one that
    /// differs.
    ///
    /// ```swift
    /// let observer = database.observeQuery(on: "byPrice", with: cheap) {
    ///     @MainActor [weak self] result in
    ///     self?.names = result.map { $0.document?.string("name") ?? "no name" }
    /// }
    /// ```
    ///
    /// As ``observeQuery(on:with:interval:changeHandler:)``, whatever the completion queue is. A closure is
    /// taken for this form when it says `@MainActor`, or by the label.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order, reduced or not.
    ///   - interval: The least time between two calls.
    ///   - mainActorHandler: Called with each new result.
    /// - Returns: What ends the observation, also when it is let go of; nil when the database has no
    ///   index of this name or is closed.
    public func observeQuery(
        on index: String, with parameters: any QueryParameters = QueryByKeyRange(),
        interval: Duration = .zero,
        mainActorHandler: @escaping @MainActor @Sendable (QueryResultEnumerator) throws -> Void
    ) -> QueryObserver? {
        observeQuery(
            on: index, with: parameters, interval: interval, queue: .main,
            changeHandler: Self.isolated(mainActorHandler))
    }

    private static func isolated<Value: Sendable>(
        _ handler: @escaping @MainActor @Sendable (Value) throws -> Void
    ) -> @Sendable (Value) throws -> Void {
        // The main queue is the main actor's.
        { value in try MainActor.assumeIsolated { try handler(value) } }
    }

    /// Has a handler called with all documents of a type, and again whenever one of them is changed,
    /// added, or deleted.
    ///
    /// Each document is a row, whose key is the identifier and whose value is null; ascending by the
    /// bytes of the identifiers. Otherwise as ``observeQuery(on:with:interval:changeHandler:)``.
    ///
    /// - Parameters:
    ///   - type: The type, as ``Document/MetaData/type`` has it.
    ///   - interval: The least time between two calls.
    ///   - changeHandler: Called with each new result.
    /// - Returns: What ends the observation, also when it is let go of; nil when the database is closed.
    /// - Complexity: The first result reads every document once. Memory: the documents of the type.
    public func observeDocuments(
        ofType type: String, interval: Duration = .zero,
        changeHandler: @escaping @Sendable (QueryResultEnumerator) throws -> Void
    ) -> QueryObserver? {
        guard let list = try? observers.observe(.type(type)) else { return nil }
        return observer(of: list, interval: interval, on: completionQueue) { state in
            try changeHandler(QueryResultEnumerator(state, startRow: 0))
        }
    }

    /// Has a handler on the main actor called with all documents of a type; see
    /// ``observeDocuments(ofType:interval:changeHandler:)`` and
    /// ``observeQuery(on:with:interval:mainActorHandler:)``.
    ///
    /// - Returns: What ends the observation, also when it is let go of; nil when the database is closed.
    public func observeDocuments(
        ofType type: String, interval: Duration = .zero,
        mainActorHandler: @escaping @MainActor @Sendable (QueryResultEnumerator) throws -> Void
    ) -> QueryObserver? {
        guard let list = try? observers.observe(.type(type)) else { return nil }
        let handler = Self.isolated(mainActorHandler)
        return observer(of: list, interval: interval, on: .main) { state in
            try handler(QueryResultEnumerator(state, startRow: 0))
        }
    }

    /// Has a handler called with a document, and again whenever it is changed or deleted.
    ///
    /// Otherwise as ``observeQuery(on:with:interval:changeHandler:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - interval: The least time between two calls.
    ///   - changeHandler: Called with the document, or nil while there is none; or with why it cannot
    ///     be read.
    /// - Returns: What ends the observation, also when it is let go of; nil when the database is closed.
    public func observeDocument(
        _ id: String, interval: Duration = .zero,
        changeHandler: @escaping @Sendable (Result<Document?, any Error>) throws -> Void
    ) -> QueryObserver? {
        guard let list = try? observers.observe(.identifier(id)) else { return nil }
        return observer(of: list, interval: interval, on: completionQueue) {
            try changeHandler($0.document)
        }
    }

    /// Has a handler on the main actor called with a document; see
    /// ``observeDocument(_:interval:changeHandler:)`` and
    /// ``observeQuery(on:with:interval:mainActorHandler:)``.
    ///
    /// - Returns: What ends the observation, also when it is let go of; nil when the database is closed.
    public func observeDocument(
        _ id: String, interval: Duration = .zero,
        mainActorHandler:
            @escaping @MainActor @Sendable (Result<Document?, any Error>) throws ->
            Void
    ) -> QueryObserver? {
        guard let list = try? observers.observe(.identifier(id)) else { return nil }
        let handler = Self.isolated(mainActorHandler)
        return observer(of: list, interval: interval, on: .main) { try handler($0.document) }
    }

    /// Ends an observation: its handler is not called again once this returns, except for a call
    /// that is under way on another thread.
    ///
    /// Removing it twice does nothing.
    public func removeObserver(_ observer: QueryObserver) {
        observer.end()
    }

    private func observer(
        of list: LiveList, interval: Duration, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (ObservedState) throws -> Void
    ) -> QueryObserver {
        QueryObserver(
            list, observers, interval: interval, clock: configuration.clock,
            queue: queue, handler: handler)
    }
}

extension ObservedState {
    /// The one document that is observed.
    var document: Result<Document?, any Error> {
        switch self {
        case .answer(let answer): .success(answer.list.first?.value.document)
        case .failure(let error): .failure(error)
        }
    }
}
