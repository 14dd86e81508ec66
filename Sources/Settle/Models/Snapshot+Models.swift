import SettleDocuments

extension Snapshot {
    /// Reads a model.
    ///
    /// - Parameters:
    ///   - type: The model's type.
    ///   - id: The document's identifier.
    /// - Returns: The model with its document; nil when there is none.
    /// - Throws: ``DatabaseError`` with `invalidDocument`, which names the member, when the document is of
    ///   another type or cannot be decoded; or when the database cannot be read.
    public func fetch<Model: DocumentModel>(
        _ type: Model.Type, id: String
    ) throws -> Stored<Model>? {
        try document(id).map { try Stored($0) }
    }

    /// Reads all models of a type, by the byte order of their identifiers.
    ///
    /// - Parameters:
    ///   - type: The models' type.
    ///   - filter: Which of them; nil for all.
    /// - Returns: The models; documents that are meant and cannot be decoded are in its
    ///   ``ModelList/unreadable``.
    /// - Throws: ``DatabaseError`` with `invalidIndex` when the filter is impossible, as
    ///   ``ModelFilter/indexFilter`` tells; when the database cannot be read.
    /// - Complexity: Looks at every document of the database, and decodes those that are meant. Where
    ///   there are many others, ask an index.
    public func fetchAll<Model: DocumentModel>(
        _ type: Model.Type, where filter: ModelFilter<Model>? = nil
    ) throws -> ModelList<Model> {
        let filter = try ModelFilter.documents(where: filter)
        var list = ModelList<Model>()
        try forEachDocument { document in
            if try filter.matches(document) { list.append(document) }
            return true
        }
        return list
    }
}
