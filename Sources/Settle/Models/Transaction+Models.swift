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
        let document = try ModelForm.document(of: model)
        // Before it is stored: who catches an error commits all that came before it.
        let written = try ModelForm<Model>.model(of: document)
        return Stored(written, of: try add(document))
    }

    /// Stores a model that was made rather than read.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - isReplacing: True to write over the model that is there under the identifier, whatever its
    ///     revision; what this model does not know of the document stays. False to fail.
    /// - Returns: The model with its document.
    /// - Throws: As ``add(_:)-(Model)``; with `replacing` ``DatabaseError`` with `invalidDocument` when the
    ///   document that is there is of another type.
    @discardableResult
    public func save<Model: DocumentModel>(
        _ model: Model, replacing isReplacing: Bool = false
    ) throws -> Stored<Model> {
        guard isReplacing, let current = try document(model.id) else { return try add(model) }
        guard current[json: Document.typeMember] == .string(Model.documentType),
            (try? ModelForm<Model>.model(of: current)) == nil
        else {
            var stored = try Stored<Model>(current)
            stored.model = model
            return try save(stored)
        }
        // What is there cannot be read, a member that is new to the model for example; it is written over.
        var changed = current
        for (name, value) in try ModelForm.members(of: model, id: model.id) {
            changed[json: name] = value
        }
        return try put(changed, from: current)
    }

    /// Stores a document of a model, which is read first: an error must come before anything is written.
    private func put<Model: DocumentModel>(
        _ document: Document, from base: Document
    ) throws -> Stored<Model> {
        let model = try ModelForm<Model>.model(of: document)
        let isChanged =
            document != base
            || document.metaData.expirationDate != base.metaData.expirationDate
        return Stored(model, of: try isChanged ? save(document) : checked(base))
    }

    /// Stores what was changed in a model since it was read; nothing when nothing was.
    ///
    /// One whose document was never stored is added.
    ///
    /// - Parameters:
    ///   - stored: The model with its document.
    ///   - policy: What happens when the document was changed since.
    /// - Returns: The model with the document as it is now.
    /// - Throws: ``DatabaseError`` with `conflict` when the document was changed, or deleted, since, with
    ///   `.merge` when both changed the same or make something of it that the model cannot read; as
    ///   ``Stored/changedDocument()`` and ``add(_:)-(Model)``; otherwise as ``save(_:)-(Document)``.
    @discardableResult
    public func save<Model: DocumentModel>(
        _ stored: Stored<Model>, onConflict policy: ModelConflictPolicy = .fail
    ) throws -> Stored<Model> {
        var base = stored.document
        if policy == .merge, let current = try document(stored.id) { base = current }
        let changed = try stored.changedDocument(from: base)
        if base.facts.revision == nil {
            let model = try ModelForm<Model>.model(of: changed)
            return Stored(model, of: try add(changed))
        }
        if base.revisionText != stored.revision,
            (try? ModelForm<Model>.model(of: changed)) == nil
        {
            // What both sides did is nothing that the model can read.
            throw DatabaseError(
                StorageError.conflict(id: stored.id, current: base.facts.revision))
        }
        return try put(changed, from: base)
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
    ///   as ``Snapshot/fetch(_:id:)`` and ``save(_:onConflict:)``; what `change` throws.
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
    ///   model was read, or the model was never stored; when the store cannot take it.
    public func delete(_ stored: Stored<some DocumentModel>) throws {
        if stored.document.facts.revision == nil, let current = try document(stored.id) {
            throw DatabaseError(
                StorageError.conflict(id: stored.id, current: current.facts.revision))
        }
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
