extension Database {
    /// All models of a type, and again whenever one of them is changed, added, or deleted; ascending by the
    /// bytes of their identifiers.
    ///
    /// Otherwise as ``documentResults(ofType:interval:)``. Only documents that changed are decoded again.
    ///
    /// ```swift
    /// for try await visits in database.modelResults(Visit.self) {
    ///     print(visits.count, visits.unreadable.count)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - filter: Which of them; nil for all. A model that begins or ceases to pass comes or goes as if it
    ///     were added or deleted.
    ///   - interval: The least time between two results, by the configuration's clock.
    /// - Returns: The results; documents that pass and cannot be decoded are in their
    ///   ``ModelList/unreadable``. Iterating throws also ``DatabaseError`` with `invalidIndex` when the
    ///   filter is impossible, as ``ModelFilter/indexFilter`` tells.
    public func modelResults<Model: DocumentModel>(
        _ type: Model.Type, where filter: ModelFilter<Model>? = nil, interval: Duration = .zero
    ) -> ModelResults<Model> {
        ModelResults(source: documentResults(where: filter, interval: interval))
    }

    /// The documents of a model that pass a filter.
    private func documentResults<Model: DocumentModel>(
        where filter: ModelFilter<Model>?, interval: Duration
    ) -> QueryResults {
        documentResults(interval) { () throws(DatabaseError) in
            // Asked for its type alone, a document need not be packed.
            if filter == nil { return .type(Model.documentType) }
            return .passing(try ModelFilter.documents(where: filter))
        }
    }

    /// The models that a query finds, and again whenever that changes.
    ///
    /// Otherwise as ``queryResults(on:with:interval:)``. Only documents that changed are decoded again.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order; they are not reduced, and documents are included.
    ///   - interval: The least time between two results, by the configuration's clock.
    /// - Returns: The results; documents that cannot be decoded are in their ``ModelList/unreadable``.
    public func modelResults<Model: DocumentModel>(
        _ type: Model.Type, on index: String,
        with parameters: any QueryParameters = QueryByKeyRange(), interval: Duration = .zero
    ) -> ModelResults<Model> {
        ModelResults(
            source: queryResults(on: index, with: parameters.withDocuments, interval: interval))
    }

    /// How the models of a type change, step by step; as ``modelResults(_:where:interval:)``.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - filter: Which of them; nil for all.
    ///   - interval: The least time between two steps, by the configuration's clock.
    /// - Returns: The steps.
    public func modelChanges<Model: DocumentModel>(
        _ type: Model.Type, where filter: ModelFilter<Model>? = nil, interval: Duration = .zero
    ) -> ModelChanges<Model> {
        ModelChanges(
            source: QueryChanges(source: documentResults(where: filter, interval: interval)))
    }

    /// How the models that a query finds change, step by step; as ``modelResults(_:on:with:interval:)``.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order; they are not reduced, and documents are included.
    ///   - interval: The least time between two steps, by the configuration's clock.
    /// - Returns: The steps.
    public func modelChanges<Model: DocumentModel>(
        _ type: Model.Type, on index: String,
        with parameters: any QueryParameters = QueryByKeyRange(), interval: Duration = .zero
    ) -> ModelChanges<Model> {
        ModelChanges(
            source: queryChanges(on: index, with: parameters.withDocuments, interval: interval))
    }

    /// A model, and again whenever it is changed or deleted; nil while there is none.
    ///
    /// Otherwise as ``documentStates(of:interval:)``.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - id: The document's identifier.
    ///   - interval: The least time between two states, by the configuration's clock.
    /// - Returns: The states.
    public func modelStates<Model: DocumentModel>(
        _ type: Model.Type, id: String, interval: Duration = .zero
    ) -> ModelStates<Model> {
        ModelStates(source: documentStates(of: id, interval: interval))
    }

    /// The changes of a model's documents, with the documents; see
    /// ``changes(since:isLive:includesDocuments:ofType:ignoresForgottenPurges:filter:)``.
    ///
    /// ```swift
    /// for try await element in database.changes(of: Visit.self, since: 0, isLive: true) {
    ///     let visit = try element.model(as: Visit.self)
    ///     print(element.change.documentId, visit?.customer ?? "deleted")
    /// }
    /// ```
    ///
    /// Deletions and purges of other documents are among them, because their types are not known.
    ///
    /// - Parameters:
    ///   - type: The model.
    ///   - sequence: Where to begin.
    ///   - isLive: True for a feed that waits for further changes.
    /// - Returns: The feed; ``ChangeFeed/Element/model(as:)`` has the model of an element.
    public func changes<Model: DocumentModel>(
        of type: Model.Type, since sequence: UInt64, isLive: Bool = false
    ) -> ChangeFeed {
        changes(
            since: sequence, isLive: isLive, includesDocuments: true, ofType: Model.documentType)
    }
}

extension QueryParameters {
    /// The same rows, unreduced and with their documents.
    var withDocuments: any QueryParameters {
        var parameters = self
        parameters.includeDocuments = true
        parameters.reduce = false
        return parameters
    }
}
