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
    /// - Parameter type: The models' type.
    /// - Returns: The models; documents of the type that cannot be decoded are in its
    ///   ``ModelList/unreadable``.
    /// - Throws: ``DatabaseError`` when the database cannot be read.
    /// - Complexity: Reads every document of the database. Where there are many of other types, query an
    ///   index.
    public func fetchAll<Model: DocumentModel>(_ type: Model.Type) throws -> ModelList<Model> {
        var list = ModelList<Model>()
        try forEachDocument { document in
            if document[json: Document.typeMember] == .string(Model.documentType) {
                list.append(document)
            }
            return true
        }
        return list
    }
}
