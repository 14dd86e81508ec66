import SettleDocuments

// Queries over the documents of a collection.
//
// Over all partitions, the service's gateway answers filters and projections. An order, an aggregate, DISTINCT, GROUP BY, TOP or
// OFFSET it refuses with 400, and Merging puts the results of the ranges together.

extension Cosmos.Client {
    /// The documents of one logical partition that a query finds.
    ///
    /// - Parameters:
    ///   - collectionId: The id of the collection.
    ///   - type: What the documents are read as; the query must give whole ones.
    ///   - databaseId: The id of the database.
    ///   - query: The query.
    ///   - key: The partition key.
    ///   - maxPerPage: The most documents of a page, 1 to 1,000; nil for as many as the service sees fit.
    ///   - continuation: Where a page before ended; nil to begin at the beginning.
    ///   - options: What else the requests ask for.
    /// - Returns: The pages; nothing is fetched yet. They throw `badRequest` when the query has a fault.
    public func query<Content: Cosmos.DocumentContent>(
        documentsIn collectionId: String, as type: Content.Type, inDatabase databaseId: String,
        with query: Cosmos.Query, andPartitionKey key: Cosmos.PartitionKey, maxPerPage: Int? = nil,
        continuation: String? = nil, options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentResource<Content>> {
        pages(maxPerPage: maxPerPage, continuation: continuation) { () throws(Cosmos.ClientError) in
            try Self.operation(
                query, in: .collection(collectionId, inDatabase: databaseId), .key(key), options)
        }
    }

    /// The documents of one logical partition that a query finds; see
    /// ``query(documentsIn:as:inDatabase:with:andPartitionKey:maxPerPage:continuation:options:)``.
    public func query<Content: Cosmos.DocumentContent>(
        documentsIn collection: Cosmos.DocumentCollection, as type: Content.Type,
        with query: Cosmos.Query, andPartitionKey key: Cosmos.PartitionKey, maxPerPage: Int? = nil,
        continuation: String? = nil, options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentResource<Content>> {
        pages(maxPerPage: maxPerPage, continuation: continuation) { () throws(Cosmos.ClientError) in
            try Self.operation(query, in: try collection.link(), .key(key), options)
        }
    }

    /// The documents of all partitions that a query finds.
    ///
    /// Filters and projections are answered by the service. For an order (`orderBy`), TOP, OFFSET and LIMIT, DISTINCT, aggregates
    /// (COUNT, SUM, MIN, MAX, AVG) and GROUP BY, the service gives a plan, each physical partition is asked, and the results are
    /// put together here: in the order of the query, results with equal keys in any. That takes three requests more at the
    /// beginning, and what a page reads and does not give is in memory. An aggregate reads all partitions before the first page. An
    /// order of groups, `COUNT(DISTINCT …)` and searches by vectors or text are refused with `badRequest`.
    ///
    /// A page's continuation goes on in another client, too, also after physical partitions were split. With DISTINCT it holds 24
    /// bytes for each result that was given.
    ///
    /// - Parameters:
    ///   - collectionId: The id of the collection.
    ///   - type: What the documents are read as; the query must give whole ones.
    ///   - databaseId: The id of the database.
    ///   - query: The query.
    ///   - maxPerPage: The most documents of a page, 1 to 1,000; nil for as many as the service sees fit.
    ///   - continuation: Where a page before ended; nil to begin at the beginning.
    ///   - options: What else the requests ask for.
    /// - Returns: The pages; nothing is fetched yet.
    public func query<Content: Cosmos.DocumentContent>(
        documentsAcrossAllPartitionsIn collectionId: String, as type: Content.Type,
        inDatabase databaseId: String, with query: Cosmos.Query, maxPerPage: Int? = nil,
        continuation: String? = nil, options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentResource<Content>> {
        pages(maxPerPage: maxPerPage, continuation: continuation) { () throws(Cosmos.ClientError) in
            try Self.operation(
                query, in: .collection(collectionId, inDatabase: databaseId), .all, options)
        }
    }

    /// The documents of all partitions that a query finds; see
    /// ``query(documentsAcrossAllPartitionsIn:as:inDatabase:with:maxPerPage:continuation:options:)``.
    public func query<Content: Cosmos.DocumentContent>(
        documentsAcrossAllPartitionsIn collection: Cosmos.DocumentCollection, as type: Content.Type,
        with query: Cosmos.Query, maxPerPage: Int? = nil, continuation: String? = nil,
        options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentResource<Content>> {
        pages(maxPerPage: maxPerPage, continuation: continuation) { () throws(Cosmos.ClientError) in
            try Self.operation(query, in: try collection.link(), .all, options)
        }
    }

    /// What a query gives of one logical partition, whether whole documents, parts of them or other values.
    ///
    /// - Parameters:
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    ///   - query: The query.
    ///   - key: The partition key.
    ///   - maxPerPage: The most items of a page, 1 to 1,000; nil for as many as the service sees fit.
    ///   - continuation: Where a page before ended; nil to begin at the beginning.
    ///   - options: What else the requests ask for.
    /// - Returns: The pages; nothing is fetched yet.
    public func query(
        documentPropertiesIn collectionId: String, inDatabase databaseId: String,
        with query: Cosmos.Query, andPartitionKey key: Cosmos.PartitionKey, maxPerPage: Int? = nil,
        continuation: String? = nil, options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentProperties> {
        properties(maxPerPage, continuation) { () throws(Cosmos.ClientError) in
            try Self.operation(
                query, in: .collection(collectionId, inDatabase: databaseId), .key(key), options)
        }
    }

    /// What a query gives of all partitions, whether whole documents, parts of them or other values.
    ///
    /// - Parameters:
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    ///   - query: The query; see
    ///     ``query(documentsAcrossAllPartitionsIn:as:inDatabase:with:maxPerPage:continuation:options:)`` for what it may
    ///     ask, and what that costs.
    ///   - maxPerPage: The most items of a page, 1 to 1,000; nil for as many as the service sees fit.
    ///   - continuation: Where a page before ended; nil to begin at the beginning.
    ///   - options: What else the requests ask for.
    /// - Returns: The pages; nothing is fetched yet.
    public func query(
        documentPropertiesAcrossAllPartitionsIn collectionId: String, inDatabase databaseId: String,
        with query: Cosmos.Query, maxPerPage: Int? = nil, continuation: String? = nil,
        options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentProperties> {
        properties(maxPerPage, continuation) { () throws(Cosmos.ClientError) in
            try Self.operation(
                query, in: .collection(collectionId, inDatabase: databaseId), .all, options)
        }
    }

    /// What a query gives of one logical partition; see
    /// ``query(documentPropertiesIn:inDatabase:with:andPartitionKey:maxPerPage:continuation:options:)``.
    public func query(
        documentPropertiesIn collection: Cosmos.DocumentCollection, with query: Cosmos.Query,
        andPartitionKey key: Cosmos.PartitionKey, maxPerPage: Int? = nil,
        continuation: String? = nil, options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentProperties> {
        properties(maxPerPage, continuation) { () throws(Cosmos.ClientError) in
            try Self.operation(query, in: try collection.link(), .key(key), options)
        }
    }

    /// What a query gives of all partitions; see
    /// ``query(documentPropertiesAcrossAllPartitionsIn:inDatabase:with:maxPerPage:continuation:options:)``.
    public func query(
        documentPropertiesAcrossAllPartitionsIn collection: Cosmos.DocumentCollection,
        with query: Cosmos.Query, maxPerPage: Int? = nil, continuation: String? = nil,
        options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Pages<Cosmos.DocumentProperties> {
        properties(maxPerPage, continuation) { () throws(Cosmos.ClientError) in
            try Self.operation(query, in: try collection.link(), .all, options)
        }
    }
}

extension Cosmos.Client {
    private static func operation(
        _ query: Cosmos.Query, in collection: Cosmos.Link,
        _ partition: Cosmos.Operation.Partition, _ options: Cosmos.RequestOptions
    ) throws(Cosmos.ClientError) -> Cosmos.Operation {
        var operation = Cosmos.Operation(.query, .document, at: collection)
        operation.body = try .json(query.json)
        operation.partition = partition
        operation.options = options
        return operation
    }

    private func properties(
        _ maxPerPage: Int?, _ continuation: String?,
        _ operation: @escaping @Sendable () throws(Cosmos.ClientError) -> Cosmos.Operation
    ) -> Cosmos.Pages<Cosmos.DocumentProperties> {
        Cosmos.Pages(
            itemCountMax: maxPerPage, continuation: continuation,
            prepare: { [self] () async throws(Cosmos.ClientError) in
                (try session().handler, try operation())
            },
            decode: { (packed, _) throws(Cosmos.ClientError) in
                do {
                    return Cosmos.DocumentProperties(value: try packed.value())
                } catch {
                    throw Cosmos.ClientError(
                        .unreadableResponse, "An item of a result cannot be read.", cause: error)
                }
            })
    }
}
