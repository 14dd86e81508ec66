// Documents, by the ids of collection and database and by the collection. The partition key comes from the call, else
// from the type of the document, else from the document by the definition of its collection, which is read once.

extension Cosmos.Client {
    /// Makes a document.
    ///
    /// - Parameters:
    ///   - document: The document; its id is unique in its logical partition.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    ///   - key: The partition key; nil to take it from the document.
    ///   - options: What else the request asks for.
    /// - Returns: The document as the service has it, with status 201.
    /// - Throws: ``Cosmos/ClientError`` with `conflict` when there is one with its id, `invalidId` for an id that none may
    ///   have, `invalidDocument` when it cannot be encoded, `entityTooLarge` above 2 MB.
    @discardableResult
    public func create<Content: Cosmos.DocumentContent>(
        _ document: Content, inCollection collectionId: String, inDatabase databaseId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        try await write(
            document, .create, in: .collection(collectionId, inDatabase: databaseId), key, options)
    }

    /// Makes a document; see ``create(_:inCollection:inDatabase:withPartitionKey:options:)``.
    @discardableResult
    public func create<Content: Cosmos.DocumentContent>(
        _ document: Content, in collection: Cosmos.DocumentCollection,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        try await write(document, .create, in: try collection.link(), key, options)
    }

    /// Makes a document, or replaces the one that has its id, whatever its version.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    ///   - key: The partition key; nil to take it from the document.
    ///   - options: What else the request asks for; with `matches(etag:)`, a document that is there is only replaced
    ///     when it has that version.
    /// - Returns: The document as the service has it; ``Cosmos/Response/isCreated`` says whether it was made.
    /// - Throws: As ``create(_:inCollection:inDatabase:withPartitionKey:options:)``, without `conflict`.
    @discardableResult
    public func createOrReplace<Content: Cosmos.DocumentContent>(
        _ document: Content, inCollection collectionId: String, inDatabase databaseId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        try await write(
            document, .upsert, in: .collection(collectionId, inDatabase: databaseId), key, options)
    }

    /// Makes or replaces a document; see
    /// ``createOrReplace(_:inCollection:inDatabase:withPartitionKey:options:)``.
    @discardableResult
    public func createOrReplace<Content: Cosmos.DocumentContent>(
        _ document: Content, in collection: Cosmos.DocumentCollection,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        try await write(document, .upsert, in: try collection.link(), key, options)
    }

    /// The documents of a collection.
    ///
    /// - Parameters:
    ///   - type: What they are read as.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    ///   - key: The partition key of those wanted; nil for all.
    ///   - maxPerPage: The most documents of a page, 1 to 1,000; nil for as many as the service sees fit.
    ///   - continuation: Where a page before ended; nil to begin at the beginning.
    ///   - options: What else the requests ask for.
    /// - Returns: The pages; nothing is fetched yet.
    public func get<Content: Cosmos.DocumentContent>(
        documentsAs type: Content.Type, inCollection collectionId: String,
        inDatabase databaseId: String, withPartitionKey key: Cosmos.PartitionKey? = nil,
        maxPerPage: Int? = nil, continuation: String? = nil,
        options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentResource<Content>> {
        documents(
            maxPerPage, continuation, key, options
        ) { .collection(collectionId, inDatabase: databaseId) }
    }

    /// The documents of a collection; see
    /// ``get(documentsAs:inCollection:inDatabase:withPartitionKey:maxPerPage:continuation:options:)``.
    public func get<Content: Cosmos.DocumentContent>(
        documentsAs type: Content.Type, in collection: Cosmos.DocumentCollection,
        withPartitionKey key: Cosmos.PartitionKey? = nil, maxPerPage: Int? = nil,
        continuation: String? = nil, options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentResource<Content>> {
        documents(
            maxPerPage, continuation, key, options
        ) { () throws(Cosmos.ClientError) in try collection.link() }
    }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - type: What it is read as.
    ///   - collectionId: The id of the collection.
    ///   - key: Its partition key; nil where that is the id.
    ///   - databaseId: The id of the database.
    ///   - options: What else the request asks for.
    /// - Returns: The document.
    /// - Throws: ``Cosmos/ClientError`` with `notFound` when there is none, `badRequest` when a partition key is missing,
    ///   `invalidDocument` when it cannot be decoded.
    public func get<Content: Cosmos.DocumentContent>(
        documentWithId id: String, as type: Content.Type, inCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, inDatabase databaseId: String,
        options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        try await read(
            .document(id, inCollection: collectionId, inDatabase: databaseId), key, options)
    }

    /// Reads a document; see ``get(documentWithId:as:inCollection:withPartitionKey:inDatabase:options:)``.
    public func get<Content: Cosmos.DocumentContent>(
        documentWithId id: String, as type: Content.Type, in collection: Cosmos.DocumentCollection,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        try await read(try Self.item(id, in: collection), key, options)
    }

    /// Replaces the document that has the id of another, whatever its version.
    ///
    /// To depend on the version that was read, replace a ``Cosmos/DocumentResource``.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    ///   - key: The partition key; nil to take it from the document.
    ///   - options: What else the request asks for.
    /// - Returns: The document as the service has it.
    /// - Throws: ``Cosmos/ClientError`` with `notFound` when there is none, and as
    ///   ``create(_:inCollection:inDatabase:withPartitionKey:options:)``.
    @discardableResult
    public func replace<Content: Cosmos.DocumentContent>(
        _ document: Content, inCollection collectionId: String, inDatabase databaseId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        try await replace(
            document, in: .collection(collectionId, inDatabase: databaseId), key, options)
    }

    /// Replaces a document; see ``replace(_:inCollection:inDatabase:withPartitionKey:options:)``.
    @discardableResult
    public func replace<Content: Cosmos.DocumentContent>(
        _ document: Content, in collection: Cosmos.DocumentCollection,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        try await replace(document, in: try collection.link(), key, options)
    }

    /// Removes a document, whatever its version.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - collectionId: The id of the collection.
    ///   - key: Its partition key; nil where that is the id.
    ///   - databaseId: The id of the database.
    ///   - options: What else the request asks for.
    /// - Returns: Status 204.
    /// - Throws: ``Cosmos/ClientError`` with `notFound` when there is none.
    @discardableResult
    public func delete(
        documentWithId id: String, fromCollection collectionId: String,
        withPartitionKey key: Cosmos.PartitionKey? = nil, fromDatabase databaseId: String,
        options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(
            at: .document(id, inCollection: collectionId, inDatabase: databaseId),
            withPartitionKey: key, options: options)
    }

    /// Removes a document; see
    /// ``delete(documentWithId:fromCollection:withPartitionKey:fromDatabase:options:)``.
    @discardableResult
    public func delete(
        documentWithId id: String, from collection: Cosmos.DocumentCollection,
        withPartitionKey key: Cosmos.PartitionKey? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(
            at: try Self.item(id, in: collection), withPartitionKey: key, options: options)
    }
}

extension Cosmos.Client {
    /// The link of a document of a collection that was read.
    static func item(
        _ id: String, in collection: Cosmos.DocumentCollection
    ) throws(Cosmos.ClientError) -> Cosmos.Link {
        let link = try collection.link()
        guard !link.isByResourceIds else {
            throw Cosmos.ClientError(
                .incompleteIds,
                "The collection '\(collection.id)' is only known by the service's identifiers, and its "
                    + "documents are named by ids; read it by its ids first.")
        }
        return link.child(.document, id)
    }

    /// A response with the document that it holds; as `response`, whose type need not be found out here.
    private static func document<Content: Cosmos.DocumentContent>(
        in response: Cosmos.OperationResponse, _ operation: Cosmos.Operation
    ) throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        var document = try Cosmos.DocumentResource<Content>(
            body: try body(of: response, operation))
        if case .key(let key) = response.partition ?? operation.partition {
            document.knownPartitionKey = key
        }
        return Cosmos.Response(document, response)
    }

    private func write<Content: Cosmos.DocumentContent>(
        _ document: Content, _ action: Cosmos.Operation.Action, in collection: Cosmos.Link,
        _ key: Cosmos.PartitionKey?, _ options: Cosmos.RequestOptions
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        let body = try Cosmos.DocumentResource<Content>.body(of: document)
        try Cosmos.IdentifierRule.check(body.id, of: .document)
        var operation = Cosmos.Operation(action, .document, at: collection)
        operation.newId = body.id
        operation.body = .json(body.packed)
        operation.options = options
        operation.partition = try await partition(of: document, body, in: collection, key)
        if case .matches(let etag) = options.condition { operation.ifMatch = etag }
        return try Self.document(in: try await perform(operation), operation)
    }

    private func replace<Content: Cosmos.DocumentContent>(
        _ document: Content, in collection: Cosmos.Link, _ key: Cosmos.PartitionKey?,
        _ options: Cosmos.RequestOptions
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        let body = try Cosmos.DocumentResource<Content>.body(of: document)
        guard !collection.isByResourceIds else {
            throw Cosmos.ClientError(
                .incompleteIds,
                "The collection is only known by the service's identifiers, and its documents are named by "
                    + "ids; read it by its ids first.")
        }
        return try await replace(
            Cosmos.DocumentResource<Content>.self, with: body,
            at: collection.child(.document, document.id), matching: nil,
            partition: try await partition(of: document, body, in: collection, key),
            options: options)
    }

    private func read<Content: Cosmos.DocumentContent>(
        _ link: Cosmos.Link, _ key: Cosmos.PartitionKey?, _ options: Cosmos.RequestOptions
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentResource<Content>> {
        var operation = Cosmos.Operation(.get, .document, at: link)
        operation.options = options
        operation.partition = try await partition(ofItemAt: link, key)
        return try Self.document(in: try await perform(operation), operation)
    }

    private func documents<Content: Cosmos.DocumentContent>(
        _ maxPerPage: Int?, _ continuation: String?, _ key: Cosmos.PartitionKey?,
        _ options: Cosmos.RequestOptions,
        in collection: @escaping @Sendable () throws(Cosmos.ClientError) -> Cosmos.Link
    ) -> Cosmos.Pages<Cosmos.DocumentResource<Content>> {
        pages(maxPerPage: maxPerPage, continuation: continuation) { () throws(Cosmos.ClientError) in
            var operation = Cosmos.Operation(.list, .document, at: try collection())
            operation.options = options
            operation.partition = key.map { .key($0) } ?? .unspecified
            return operation
        }
    }

    /// Where in a collection a document is: by the call, by its type, or by the definition of the collection.
    func partition(
        of document: some Cosmos.DocumentContent, _ body: Cosmos.ResourceBody,
        in collection: Cosmos.Link, _ key: Cosmos.PartitionKey?
    ) async throws(Cosmos.ClientError) -> Cosmos.Operation.Partition {
        if let key = key ?? document.partitionKeyValue { return .key(key) }
        let session = try session()
        let found = try await session.partitionKeys.key(
            of: body, in: collection, by: session.handler)
        return found.map { .key($0) } ?? .unspecified
    }
}
