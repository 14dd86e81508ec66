extension Database {
    /// Reads a model; see ``Snapshot/fetch(_:id:)``.
    public func fetch<Model: DocumentModel>(
        _ type: Model.Type, id: String
    ) async throws -> Stored<Model>? {
        try read { try $0.fetch(type, id: id) }
    }

    /// Reads all models of a type, or those that a filter picks; see ``Snapshot/fetchAll(_:where:)``.
    ///
    /// ```swift
    /// let open = try await database.fetchAll(
    ///     Visit.self, where: \.status == .planned && \.minutes == nil)
    /// ```
    public func fetchAll<Model: DocumentModel>(
        _ type: Model.Type, where filter: ModelFilter<Model>? = nil
    ) async throws -> ModelList<Model> {
        try read { try $0.fetchAll(type, where: filter) }
    }

    /// Reads the models that a query finds.
    ///
    /// - Parameters:
    ///   - type: The models' type.
    ///   - index: The name of the index.
    ///   - parameters: Which rows, in which order; they are not reduced, and documents are included.
    /// - Returns: The models in the order of the rows; documents that cannot be decoded are in its
    ///   ``ModelList/unreadable``.
    /// - Throws: As ``runQuery(on:with:)``.
    public func fetchAll<Model: DocumentModel>(
        _ type: Model.Type, on index: String,
        with parameters: any QueryParameters = QueryByKeyRange()
    ) async throws -> ModelList<Model> {
        try await runQuery(on: index, with: parameters.withDocuments).models(as: type)
    }

    /// Stores a model as a new document; see ``Transaction/add(_:)-(Model)``.
    @discardableResult
    public func add<Model: DocumentModel>(_ model: Model) async throws -> Stored<Model> {
        try await write { try $0.add(model) }
    }

    /// Stores a model that was made rather than read; see ``Transaction/save(_:replacing:)``.
    @discardableResult
    public func save<Model: DocumentModel>(
        _ model: Model, replacing isReplacing: Bool = false
    ) async throws -> Stored<Model> {
        try await write { try $0.save(model, replacing: isReplacing) }
    }

    /// Stores what was changed in a model since it was read; see ``Transaction/save(_:onConflict:)``.
    @discardableResult
    public func save<Model: DocumentModel>(
        _ stored: Stored<Model>, onConflict policy: ModelConflictPolicy = .fail
    ) async throws -> Stored<Model> {
        try await write { try $0.save(stored, onConflict: policy) }
    }

    /// Changes a model that is there; see ``Transaction/update(_:id:revision:_:)``.
    ///
    /// ```swift
    /// try await database.update(Visit.self, id: added.id) { $0.status = .done }
    /// ```
    ///
    /// The closure may run more than once; see ``write(_:)``.
    @discardableResult
    public func update<Model: DocumentModel>(
        _ type: Model.Type, id: String, revision: String? = nil,
        _ change: @escaping @Sendable (inout Stored<Model>) throws -> Void
    ) async throws -> Stored<Model> {
        try await write { try $0.update(type, id: id, revision: revision, change) }
    }

    /// Deletes a model's document; see ``Transaction/delete(_:)``.
    public func delete(_ stored: Stored<some DocumentModel>) async throws {
        try await write { try $0.delete(stored) }
    }
}
