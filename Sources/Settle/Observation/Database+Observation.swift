extension Database {
    /// Runs a query in the background, and again whenever a change of the documents changes its
    /// result.
    ///
    /// The handler is called on the completion queue with the first result, and then with each one
    /// that differs from the result before. When many commits follow each other fast, results in
    /// between are left out; the last one never is. A query that fails calls the handler with an
    /// answer whose `error` is set, once, and goes on.
    ///
    /// The handler may write to the database, and may remove its own observer. It keeps what it
    /// captures until ``removeObserver(_:)`` or the end of the database.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order, reduced or not.
    ///   - changeHandler: Called with each new result.
    /// - Returns: What ends the observation; nil when the database has no index of this name.
    public func observeQuery(
        on index: String, with parameters: any QueryParameters = QueryByKeyRange(),
        changeHandler: @escaping @Sendable (QueryResultEnumerator) -> Void
    ) -> QueryObserver? {
        guard indexNames.contains(index) else { return nil }
        let observation = Observation(
            self, index: index, parameters: parameters, handler: changeHandler)
        observers.add(observation)
        observation.changed()
        return QueryObserver(observation)
    }

    /// Ends an observed query: its handler is not called again once this returns, except for a call
    /// that is under way on another thread.
    ///
    /// Removing it twice does nothing.
    public func removeObserver(_ observer: QueryObserver) {
        observers.remove(observer.observation)
    }
}
