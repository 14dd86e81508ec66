public import Settle

extension Database {
    /// Fetches the content of a document's attachments as far as it is not here.
    ///
    /// For replications without `downloadsAttachments`: descriptions come with the documents,
    /// content when somebody asks for it. Nothing has to be replicating.
    ///
    /// - Parameters:
    ///   - id: The document. One that is not here has nothing to fetch.
    ///   - backend: The remote that it came from.
    /// - Returns: How many attachments were fetched. Fewer than are missing when the remote has
    ///   some of them no more.
    /// - Throws: ``ReplicationError`` when the remote cannot be asked; `DatabaseError` with
    ///   `invalidAttachment` when it has other content than is described, `diskFull` and the like.
    @discardableResult
    public func downloadAttachments(
        ofDocumentWithId id: String, using backend: some Backend
    ) async throws -> Int {
        try await backend.prepare()
        guard backend.carriesAttachments else {
            throw ReplicationError(
                .misconfigured,
                "The remote '\(backend.identifier)' has no attachments, or they are switched off."
            )
        }
        return try await ReplicationCenter.of(self).pushQueue(for: backend.identifier, of: self)
            .download(id, self, backend)
    }
}
