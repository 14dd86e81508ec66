extension Database {
    /// Reads a document.
    ///
    /// - Returns: The document, or nil when there is none.
    /// - Throws: ``DatabaseError`` when the database is closed, damaged, or cannot be read.
    public func fetchDocument(_ id: String) async throws -> Document? {
        try read { try $0.document(id) }
    }

    /// Reads several documents, all as of the same moment.
    ///
    /// - Returns: The documents that there are, by identifier.
    /// - Throws: As ``fetchDocument(_:)``; ``DatabaseError`` with `invalidDocumentId` when there are two among them
    ///   whose identifiers are equal texts of different bytes, as a composed and a decomposed "é": a dictionary has no
    ///   place for both.
    public func fetchDocuments(_ ids: [String]) async throws -> [String: Document] {
        try read { snapshot in
            var documents: [String: Document] = [:]
            for id in ids {
                guard let document = try snapshot.document(id) else { continue }
                let other = documents.updateValue(document, forKey: id)
                guard other?.id.utf8.elementsEqual(id.utf8) ?? true else {
                    throw DatabaseError(
                        .invalidDocumentId,
                        "There are two documents '\(id)' whose identifiers have different bytes; fetch "
                            + "them one by one.", documentId: id)
                }
            }
            return documents
        }
    }

    /// Stores a new document; see ``Transaction/add(_:)->Document``.
    @discardableResult
    public func add(_ document: Document) async throws -> Document {
        try await write { try $0.add(document) }
    }

    /// Changes a document that is there; see ``Transaction/update(_:)``.
    @discardableResult
    public func update(_ document: Document) async throws -> Document {
        try await write { try $0.update(document) }
    }

    /// Stores a document, new or not; see ``Transaction/save(_:)``.
    @discardableResult
    public func save(_ document: Document) async throws -> Document {
        try await write { try $0.save(document) }
    }

    /// Deletes a document.
    ///
    /// Deleting one that is not there succeeds.
    ///
    /// - Returns: False when there was none.
    /// - Throws: ``DatabaseError`` when the store cannot take it.
    @discardableResult
    public func delete(documentWithId id: String) async throws -> Bool {
        try await write { try $0.delete(documentWithId: id) }
    }
}
