import SettleDocuments

// Databases and collections.

extension Cosmos.Client {
    /// Makes a database.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - options: What else the request asks for, such as a throughput that its collections share.
    /// - Returns: The database.
    /// - Throws: As ``create(_:as:in:options:)``.
    @discardableResult
    public func create(
        databaseWithId id: String, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Database> {
        try await create(
            Cosmos.ResourceBody(writing: ["id": .string(id)]), as: Cosmos.Database.self, in: nil,
            options: options)
    }

    /// The databases of the account; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func databases(
        maxPerPage: Int? = nil, continuation: String? = nil
    ) -> Cosmos.Pages<Cosmos.Database> {
        list(Cosmos.Database.self, in: nil, maxPerPage: maxPerPage, continuation: continuation)
    }

    /// Reads a database; see ``get(_:at:options:)``.
    public func get(
        databaseWithId id: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Database> {
        try await get(Cosmos.Database.self, at: .database(id))
    }

    /// Removes a database with all that is in it; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        databaseWithId id: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: .database(id))
    }

    /// Makes a collection.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - key: By which members its documents are spread: a path such as `/city`, or a definition with several.
    ///   - databaseId: The id of the database.
    ///   - policy: How documents are indexed; nil for the service's usual policy.
    ///   - timeToLive: See ``Cosmos/DocumentCollection/defaultTimeToLive``.
    ///   - options: What else the request asks for, such as a throughput.
    /// - Returns: The collection.
    /// - Throws: As ``create(_:as:in:options:)``.
    @discardableResult
    public func create(
        collectionWithId id: String, andPartitionKey key: Cosmos.PartitionKeyDefinition,
        inDatabase databaseId: String, usingPolicy policy: Cosmos.IndexingPolicy? = nil,
        defaultTimeToLive timeToLive: Int? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentCollection> {
        try await create(
            Self.collection(id, key, policy, timeToLive), as: Cosmos.DocumentCollection.self,
            in: .database(databaseId), options: options)
    }

    /// Makes a collection; see
    /// ``create(collectionWithId:andPartitionKey:inDatabase:usingPolicy:defaultTimeToLive:options:)``.
    @discardableResult
    public func create(
        collectionWithId id: String, andPartitionKey key: Cosmos.PartitionKeyDefinition,
        in database: Cosmos.Database, usingPolicy policy: Cosmos.IndexingPolicy? = nil,
        defaultTimeToLive timeToLive: Int? = nil, options: Cosmos.RequestOptions = .init()
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentCollection> {
        try await create(
            Self.collection(id, key, policy, timeToLive), as: Cosmos.DocumentCollection.self,
            in: try database.link(), options: options)
    }

    private static func collection(
        _ id: String, _ key: Cosmos.PartitionKeyDefinition, _ policy: Cosmos.IndexingPolicy?,
        _ timeToLive: Int?
    ) -> Cosmos.ResourceBody {
        var body = Cosmos.ResourceBody(writing: ["id": .string(id), "partitionKey": key.json])
        body["indexingPolicy"] = policy?.json
        body["defaultTtl"] = timeToLive.map { .integer(Int64($0)) }
        return body
    }

    /// The collections of a database; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        collectionsIn databaseId: String, maxPerPage: Int? = nil, continuation: String? = nil
    ) -> Cosmos.Pages<Cosmos.DocumentCollection> {
        list(
            Cosmos.DocumentCollection.self, in: .database(databaseId), maxPerPage: maxPerPage,
            continuation: continuation)
    }

    /// The collections of a database; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        collectionsIn database: Cosmos.Database, maxPerPage: Int? = nil, continuation: String? = nil
    ) -> Cosmos.Pages<Cosmos.DocumentCollection> {
        list(
            Cosmos.DocumentCollection.self, ofResource: database, maxPerPage: maxPerPage,
            continuation: continuation)
    }

    /// Reads a collection; see ``get(_:at:options:)``.
    public func get(
        collectionWithId id: String, inDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentCollection> {
        try await get(
            Cosmos.DocumentCollection.self, at: .collection(id, inDatabase: databaseId))
    }

    /// Reads a collection; see ``get(_:at:options:)``.
    public func get(
        collectionWithId id: String, in database: Cosmos.Database
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentCollection> {
        try await get(
            Cosmos.DocumentCollection.self, at: try Self.link(.collection, id, in: database))
    }

    /// Changes what a collection may change: its indexing policy and the time that its documents live.
    ///
    /// Whatever its version. To depend on the version that was read, change a ``Cosmos/DocumentCollection`` and
    /// replace that.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - key: The members by which its documents are spread, which must be as they are.
    ///   - databaseId: The id of the database.
    ///   - policy: How documents are indexed.
    ///   - timeToLive: See ``Cosmos/DocumentCollection/defaultTimeToLive``.
    /// - Returns: The collection.
    /// - Throws: ``Cosmos/ClientError`` with `badRequest` when the key is another, `notFound` when there is no such
    ///   collection.
    @discardableResult
    public func replace(
        collectionWithId id: String, andPartitionKey key: Cosmos.PartitionKeyDefinition,
        inDatabase databaseId: String, usingPolicy policy: Cosmos.IndexingPolicy? = nil,
        defaultTimeToLive timeToLive: Int? = nil
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentCollection> {
        try await replace(
            Cosmos.DocumentCollection.self, with: Self.collection(id, key, policy, timeToLive),
            at: .collection(id, inDatabase: databaseId), matching: nil, partition: .unspecified,
            options: .init())
    }

    /// Changes what a collection may change; see
    /// ``replace(collectionWithId:andPartitionKey:inDatabase:usingPolicy:defaultTimeToLive:)``.
    @discardableResult
    public func replace(
        collectionWithId id: String, andPartitionKey key: Cosmos.PartitionKeyDefinition,
        in database: Cosmos.Database, usingPolicy policy: Cosmos.IndexingPolicy? = nil,
        defaultTimeToLive timeToLive: Int? = nil
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.DocumentCollection> {
        try await replace(
            Cosmos.DocumentCollection.self, with: Self.collection(id, key, policy, timeToLive),
            at: try Self.link(.collection, id, in: database), matching: nil,
            partition: .unspecified, options: .init())
    }

    /// Removes a collection with all its documents; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        collectionWithId id: String, fromDatabase databaseId: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: .collection(id, inDatabase: databaseId))
    }

    /// Removes a collection with all its documents; see ``delete(at:withPartitionKey:options:)``.
    @discardableResult
    public func delete(
        collectionWithId id: String, from database: Cosmos.Database
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Void> {
        try await delete(at: try Self.link(.collection, id, in: database))
    }

    /// The physical partitions of a collection; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        partitionKeyRangesIn collectionId: String, inDatabase databaseId: String
    ) -> Cosmos.Pages<Cosmos.PartitionKeyRange> {
        list(
            Cosmos.PartitionKeyRange.self, in: .collection(collectionId, inDatabase: databaseId))
    }

    /// The physical partitions of a collection; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func get(
        partitionKeyRangesIn collection: Cosmos.DocumentCollection
    ) -> Cosmos.Pages<Cosmos.PartitionKeyRange> {
        list(Cosmos.PartitionKeyRange.self, ofResource: collection)
    }

    /// The offers of the account; see ``list(_:in:maxPerPage:continuation:options:)``.
    public func offers(
        maxPerPage: Int? = nil, continuation: String? = nil
    ) -> Cosmos.Pages<Cosmos.Offer> {
        list(Cosmos.Offer.self, in: nil, maxPerPage: maxPerPage, continuation: continuation)
    }

    /// Reads an offer by its resource identifier; see ``get(_:at:options:)``.
    public func get(
        offerWithId id: String
    ) async throws(Cosmos.ClientError) -> Cosmos.Response<Cosmos.Offer> {
        try await get(Cosmos.Offer.self, at: Cosmos.Link(.offer, id, isByResourceIds: true))
    }
}

extension Cosmos.Client {
    /// The resources that are kept in another.
    func list<R: Cosmos.Resource, Parent: Cosmos.Resource>(
        _ type: R.Type, ofResource parent: Parent, maxPerPage: Int? = nil,
        continuation: String? = nil
    ) -> Cosmos.Pages<R> {
        pages(maxPerPage: maxPerPage, continuation: continuation) { () throws(Cosmos.ClientError) in
            Cosmos.Operation(.list, R.resourceType, at: try parent.link())
        }
    }

    /// The link of a resource by its id in another that was read.
    static func link(
        _ type: Cosmos.ResourceType, _ id: String, in parent: some Cosmos.Resource
    ) throws(Cosmos.ClientError) -> Cosmos.Link {
        let link = try parent.link()
        guard !link.isByResourceIds else {
            throw Cosmos.ClientError(
                .incompleteIds,
                "The \(link.type.noun) '\(parent.id)' is only known by the service's identifiers, and what is in "
                    + "it is named by ids; read it by its ids first.")
        }
        return link.child(type, id)
    }
}
