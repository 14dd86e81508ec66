import SettleStorage

extension Transaction {
    /// Stores a model as a new document.
    ///
    /// - Returns: The model with its document.
    /// - Throws: ``DatabaseError`` with `documentExists` when there is a document with the identifier, or
    ///   `invalidDocument` when the model encodes no object or another identifier or type;
    ///   `EncodingError`; otherwise as ``save(_:)-(Document)``.
    @discardableResult
    public func add<Model: DocumentModel>(_ model: Model) throws -> Stored<Model> {
        try Stored(add(ModelForm.document(of: model)))
    }

    /// Stores a model that was made rather than read.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - isReplacing: True to write over the model that is there under the identifier, whatever its
    ///     revision; what this model does not know of the document stays. False to fail.
    /// - Returns: The model with its document.
    /// - Throws: As ``add(_:)-(Model)``; with `replacing` ``DatabaseError`` with `invalidDocument` when the
    ///   document that is there is none of the model.
    @discardableResult
    public func save<Model: DocumentModel>(
        _ model: Model, replacing isReplacing: Bool = false
    ) throws -> Stored<Model> {
        guard isReplacing, var stored = try fetch(Model.self, id: model.id) else {
            return try add(model)
        }
        stored.model = model
        return try save(stored)
    }

    /// Stores what was changed in a model since it was read; nothing when nothing was.
    ///
    /// - Parameters:
    ///   - stored: The model with its document.
    ///   - policy: What happens when the document was changed since.
    /// - Returns: The model with the document as it is now.
    /// - Throws: ``DatabaseError`` with `conflict` when the document was changed, or deleted, since; as
    ///   ``Stored/changedDocument()``; otherwise as ``save(_:)-(Document)``.
    @discardableResult
    public func save<Model: DocumentModel>(
        _ stored: Stored<Model>, onConflict policy: ModelConflictPolicy = .fail
    ) throws -> Stored<Model> {
        var base = stored.document
        if policy == .merge, let current = try document(stored.id) { base = current }
        let changed = try stored.changedDocument(from: base)
        let isChanged =
            changed != base
            || changed.metaData.expirationDate != base.metaData.expirationDate
        return try Stored(isChanged ? save(changed) : checked(base))
    }

    /// Changes a model that is there.
    ///
    /// Reading and writing are one: nobody else writes in between.
    ///
    /// - Parameters:
    ///   - type: The model's type.
    ///   - id: The document's identifier.
    ///   - revision: The revision that it must have; nil for any.
    ///   - change: What to change.
    /// - Returns: The model as it is now.
    /// - Throws: ``DatabaseError`` with `documentNotFound`, or `conflict` when the revision is another;
    ///   as ``fetch(_:id:)`` and ``save(_:onConflict:)``; what `change` throws.
    @discardableResult
    public func update<Model: DocumentModel>(
        _ type: Model.Type, id: String, revision: String? = nil,
        _ change: (inout Stored<Model>) throws -> Void
    ) throws -> Stored<Model> {
        guard var stored = try fetch(type, id: id) else {
            throw DatabaseError(StorageError.documentNotFound(id: id))
        }
        if let revision, revision != stored.revision {
            throw DatabaseError(
                StorageError.conflict(id: id, current: stored.document.facts.revision))
        }
        try change(&stored)
        return try save(stored)
    }

    /// Deletes a model's document.
    ///
    /// - Throws: ``DatabaseError`` with `conflict` when the document was changed, or deleted, since the
    ///   model was read; when the store cannot take it.
    public func delete(_ stored: Stored<some DocumentModel>) throws {
        _ = try checked(stored.document)
        try delete(documentWithId: stored.id)
    }

    /// A document, which must be as it is stored.
    private func checked(_ document: Document) throws -> Document {
        try DatabaseError.translating {
            let precondition = document.facts.revision.map { Precondition.revision($0) }
            try store.check(document.id, precondition ?? .present, origin: nil)
        }
        return document
    }
}
