import SettleDocuments

// What changed in a collection.

extension Cosmos.Client {
    /// What changed in a collection.
    ///
    /// Each page takes a request for each physical partition without news that it passes by, and one for the partition
    /// that it comes from; a loop begins with one more for the list of partitions.
    ///
    /// - Parameters:
    ///   - type: What the documents are read as.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    ///   - start: Where to begin.
    ///   - key: The partition key of the documents wanted; nil for all. It does not matter with `after`.
    ///   - maxPerPage: The most documents of a page, 1 to 1,000; nil for as many as the service sees fit.
    ///   - options: What else the requests ask for.
    /// - Returns: The changes; nothing is fetched yet.
    public func changes<Content: Cosmos.DocumentContent>(
        ofDocumentsAs type: Content.Type, inCollection collectionId: String,
        inDatabase databaseId: String, from start: Cosmos.ChangeStart,
        withPartitionKey key: Cosmos.PartitionKey? = nil, maxPerPage: Int? = nil,
        options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Changes<Cosmos.DocumentResource<Content>> {
        changes(from: start, key, maxPerPage, options) {
            .collection(collectionId, inDatabase: databaseId)
        }
    }

    /// What changed in a collection; see
    /// ``changes(ofDocumentsAs:inCollection:inDatabase:from:withPartitionKey:maxPerPage:options:)``.
    public func changes<Content: Cosmos.DocumentContent>(
        ofDocumentsAs type: Content.Type, in collection: Cosmos.DocumentCollection,
        from start: Cosmos.ChangeStart, withPartitionKey key: Cosmos.PartitionKey? = nil,
        maxPerPage: Int? = nil, options: Cosmos.RequestOptions = .init()
    ) -> Cosmos.Changes<Cosmos.DocumentResource<Content>> {
        changes(from: start, key, maxPerPage, options) { () throws(Cosmos.ClientError) in
            try collection.link()
        }
    }

    private func changes<Content: Cosmos.DocumentContent>(
        from start: Cosmos.ChangeStart, _ key: Cosmos.PartitionKey?, _ maxPerPage: Int?,
        _ options: Cosmos.RequestOptions,
        in collection: @escaping @Sendable () throws(Cosmos.ClientError) -> Cosmos.Link
    ) -> Cosmos.Changes<Cosmos.DocumentResource<Content>> {
        Cosmos.Changes(
            from: start, keys: key.map { [$0] } ?? [], itemCountMax: maxPerPage,
            prepare: { [self] () throws(Cosmos.ClientError) in
                Cosmos.ChangeReader(
                    handler: try session().handler, collection: try collection(), options: options)
            },
            decode: { (document, collection) throws(Cosmos.ClientError) in
                var body = Cosmos.ResourceBody(packed: document)
                if !collection.isByResourceIds, !body.id.isEmpty {
                    body.altLink = collection.child(.document, body.id)
                }
                return try Cosmos.DocumentResource(body: body)
            })
    }
}
