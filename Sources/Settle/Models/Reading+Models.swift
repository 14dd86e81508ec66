extension QueryResultRow {
    /// The row's document as a model, when the query asked for documents.
    ///
    /// - Parameter type: The model's type.
    /// - Returns: The model; nil when the row has no document.
    /// - Throws: ``DatabaseError`` with `invalidDocument`, which names the member, when the document is of
    ///   another type or cannot be decoded.
    public func model<Model: DocumentModel>(as type: Model.Type) throws -> Stored<Model>? {
        try document.map { try Stored($0) }
    }
}

extension ChangeFeed.Element {
    /// The changed document as a model, when the feed includes documents.
    ///
    /// - Parameter type: The model's type.
    /// - Returns: The model; nil when the document is deleted or purged.
    /// - Throws: ``DatabaseError`` with `invalidDocument`, which names the member, when the document is of
    ///   another type or cannot be decoded.
    public func model<Model: DocumentModel>(as type: Model.Type) throws -> Stored<Model>? {
        try document.map { try Stored($0) }
    }
}

extension QueryResultEnumerator {
    /// The documents of the rows as models, when the query asked for documents.
    ///
    /// - Parameter type: The models' type.
    /// - Returns: The models in the order of the rows; documents that cannot be read as such are in its
    ///   ``ModelList/unreadable``.
    public func models<Model: DocumentModel>(as type: Model.Type) -> ModelList<Model> {
        var list = ModelList<Model>()
        for row in rows {
            if let document = row.document { list.append(document) }
        }
        return list
    }
}
