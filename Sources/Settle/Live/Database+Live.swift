extension Database {
    /// The result of a query, kept up to date for views; see ``queryResults(on:with:interval:)``.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order, reduced or not.
    ///   - interval: The least time between two results, by the configuration's clock.
    /// - Returns: The result, which is observed for as long as somebody keeps it.
    @MainActor public func liveQuery(
        on index: String, with parameters: any QueryParameters = QueryByKeyRange(),
        interval: Duration = .zero
    ) -> Live<QueryResultEnumerator> {
        live(LiveValues(queryResults(on: index, with: parameters, interval: interval)))
    }

    /// All documents of a type, kept up to date for views; see ``documentResults(ofType:interval:)``.
    ///
    /// - Parameters:
    ///   - type: The type, as ``Document/MetaData/type`` has it.
    ///   - interval: The least time between two results.
    /// - Returns: The documents, which are observed for as long as somebody keeps them.
    @MainActor public func liveDocuments(
        ofType type: String, interval: Duration = .zero
    ) -> Live<QueryResultEnumerator> {
        live(LiveValues(documentResults(ofType: type, interval: interval)))
    }

    /// A document, kept up to date for views; its value is nil while there is none.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - interval: The least time between two states.
    /// - Returns: The document, which is observed for as long as somebody keeps it.
    @MainActor public func liveDocument(
        _ id: String, interval: Duration = .zero
    ) -> Live<Document> {
        live(documentStates(of: id, interval: interval))
    }

    /// All models of a type, kept up to date for views; see ``modelResults(_:where:interval:)``.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - filter: Which of them; nil for all.
    ///   - interval: The least time between two results.
    /// - Returns: The models, which are observed for as long as somebody keeps them.
    @MainActor public func liveModels<Model: DocumentModel>(
        _ type: Model.Type, where filter: ModelFilter<Model>? = nil, interval: Duration = .zero
    ) -> Live<ModelList<Model>> {
        live(LiveValues(modelResults(type, where: filter, interval: interval)))
    }

    /// The models that a query finds, kept up to date for views; see
    /// ``modelResults(_:on:with:interval:)``.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order; they are not reduced, and documents are included.
    ///   - interval: The least time between two results.
    /// - Returns: The models, which are observed for as long as somebody keeps them.
    @MainActor public func liveModels<Model: DocumentModel>(
        _ type: Model.Type, on index: String,
        with parameters: any QueryParameters = QueryByKeyRange(), interval: Duration = .zero
    ) -> Live<ModelList<Model>> {
        live(LiveValues(modelResults(type, on: index, with: parameters, interval: interval)))
    }

    /// A model, kept up to date for views; its value is nil while there is none.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - id: The document's identifier.
    ///   - interval: The least time between two states.
    /// - Returns: The model, which is observed for as long as somebody keeps it.
    @MainActor public func liveModel<Model: DocumentModel>(
        _ type: Model.Type, id: String, interval: Duration = .zero
    ) -> Live<Stored<Model>> {
        live(modelStates(type, id: id, interval: interval))
    }

    /// Shows what a sequence gives; after an error it is begun again with the next commit.
    @MainActor private func live<Value: Sendable, Values: AsyncSequence & Sendable>(
        _ values: Values
    ) -> Live<Value> where Values.Element == Value?, Values.Failure == DatabaseError {
        Live(values) { [weak self] in self?.commitSignals() }
    }
}

/// A sequence whose elements may be nil, but are not.
private struct LiveValues<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    private let base: Base

    init(_ base: Base) { self.base = base }

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: Base.AsyncIterator

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Base.Failure) -> Base.Element?? {
            guard let value = try await base.next(isolation: actor) else { return nil }
            return .some(value)
        }

        mutating func next() async throws(Base.Failure) -> Base.Element?? {
            try await next(isolation: nil)
        }
    }
}
