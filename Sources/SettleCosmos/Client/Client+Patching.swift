// Changes of members, and several operations at once.

extension Cosmos.Client {
    /// Changes members of a document without sending the rest.
    ///
    /// It is never sent twice by itself unless the service did not begin, since an increment may have been made.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - type: What the document is read as.
    ///   - operations: The changes, 1 to 10, which are made together.
    ///   - condition: A filter that the document must pass, such as `from c where c.count > 0`; nil for none.
    ///   - collectionId: The id of the collection.
    ///   - key: Its partition key; nil where that is the id.
    ///   - databaseId: The id of the database.
    ///   - options: What else the request asks for; with `matches(etag:)` it depends on a version.
    /// - Returns: The document as it is now.
    /// - Throws: ``Cosmos/ClientError`` with `preconditionFailed` when the condition or version does not hold,
    ///   `badRequest` when a change cannot be made, `notFound` when there is no such document.
    @discardableResult
    public func patch<Content: Cosmos.DocumentContent>(
        documentWithId id: String, as type: Content.Type, with operations: [Cosmos.PatchOperation],
        where condition: String? = nil, inCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, inDatabase databaseId: String,
        options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        let link = Cosmos.Link.document(id, inCollection: collectionId, inDatabase: databaseId)
        return try await patch(
            link, operations, condition, nil, try await partition(ofItemAt: link, key), options)
    }

    /// Changes members of a document without sending the rest; see
    /// ``patch(documentWithId:as:with:where:inCollection:withPartitionKey:inDatabase:options:)``.
    @discardableResult
    public func patch<Content: Cosmos.DocumentContent>(
        documentWithId id: String, as type: Content.Type, with operations: [Cosmos.PatchOperation],
        where condition: String? = nil, in collection: Cosmos.DocumentCollection,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        let link = try Self.link(.document, id, in: collection)
        return try await patch(
            link, operations, condition, nil, try await partition(ofItemAt: link, key), options)
    }

    /// Changes members of a document that was read, on the condition that it is still as it was.
    ///
    /// With the strategy `custom`, a conflict fails as with `none`: changes of members are not merged by a resolver.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - operations: The changes, 1 to 10, which are made together.
    ///   - condition: A filter that the document must pass; nil for none.
    ///   - options: What else the request asks for.
    /// - Returns: The document as it is now.
    /// - Throws: As the other form.
    @discardableResult
    public func patch<Content: Cosmos.DocumentContent>(
        _ document: Cosmos.DocumentResource<Content>, with operations: [Cosmos.PatchOperation],
        where condition: String? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        let link = try document.link()
        return try await patch(
            link, operations, condition, document.etag,
            try await partition(of: document, at: link), options)
    }

    private func patch<Content: Cosmos.DocumentContent>(
        _ link: Cosmos.Link, _ operations: [Cosmos.PatchOperation], _ condition: String?,
        _ etag: String?, _ partition: Cosmos.Operation.Partition, _ options: Cosmos.RequestOptions
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        var operation = Cosmos.Operation(.patch, .document, at: link)
        operation.body = try .json(try Cosmos.PatchOperation.body(of: operations, where: condition))
        operation.options = options
        operation.partition = partition
        let write = Cosmos.ConditionalWrite(
            operation: operation, local: nil, etag: etag,
            strategy: conflicts.strategy(for: .document, readAs: nil))
        return try Self.response(try await write.perform(by: try session().handler), operation)
    }

    /// Carries out several operations on documents of one logical partition: all, or none.
    ///
    /// - Parameters:
    ///   - batch: The operations, 1 to 100, of 2 MB together.
    ///   - collectionId: The id of the collection.
    ///   - key: The partition key of all of them.
    ///   - databaseId: The id of the database.
    /// - Returns: What came of each, in their order.
    /// - Throws: ``Cosmos/ClientError`` of the first operation that failed, whose message says which it was; nothing was
    ///   carried out then. One that was throttled (429, 449) is waited for as a throttled request is.
    @discardableResult
    public func perform(
        _ batch: Cosmos.Batch, inCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<[Cosmos.BatchResult]> {
        try await perform(
            batch, in: .collection(collectionId, inDatabase: databaseId), withPartitionKey: key)
    }

    /// Carries out several operations; see ``perform(_:inCollection:withPartitionKey:inDatabase:)``.
    @discardableResult
    public func perform(
        _ batch: Cosmos.Batch, in collection: Cosmos.DocumentCollection,
        withPartitionKey key: Cosmos.PartitionKey
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<[Cosmos.BatchResult]> {
        try await perform(batch, in: try collection.link(), withPartitionKey: key)
    }

    private func perform(
        _ batch: Cosmos.Batch, in collection: Cosmos.Link, withPartitionKey key: Cosmos.PartitionKey
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<[Cosmos.BatchResult]> {
        var operation = Cosmos.Operation(.batch, .document, at: collection)
        operation.body = try .json(try batch.body())
        operation.partition = .key(key)
        let response = try await perform(operation)
        guard case .feed(let elements, _) = response.content else {
            throw Cosmos.ClientError(
                .unreadableResponse, "The response to a batch is no list of results.")
        }
        let results = elements.map { Cosmos.BatchResult($0) }
        if let failure = Cosmos.ClientError(ofBatch: results, response.metadata) { throw failure }
        guard results.count == batch.count else {
            throw Cosmos.ClientError(
                .unreadableResponse,
                "The response to a batch has not one result for each operation.")
        }
        return Cosmos.Response(results, response)
    }
}
