package import SettleDocuments

/// A document that a request, or an operation of a batch, wants stored.
struct DocumentWrite {
    var body: JSONValue
    /// The bytes of its text.
    var size: Int
    /// The partition key beside it.
    var header: String?
    /// The request it came with.
    var exchange: Exchange
    /// The etag that the stored document must have; nil for any.
    var ifMatch: String?
}

extension DocumentWrite {
    init(body: JSONValue, size: Int, header: String?, exchange: Exchange) {
        self.init(
            body: body, size: size, header: header, exchange: exchange,
            ifMatch: exchange.request[.ifMatch])
    }

    /// Checks that a stored document has the etag that is expected.
    func checkMatch(_ etag: String) throws(ServiceFailure) {
        guard let ifMatch, ifMatch != "*", ifMatch != etag else { return }
        throw ServiceFailure(412, "The document has another etag than the header If-Match.")
    }
}

/// What every write of a document does, alone or in a batch.
extension ServiceState {
    /// Creates a document.
    mutating func createDocument(
        _ write: DocumentWrite, in collection: UInt64
    ) throws(ServiceFailure) -> StoredResource {
        let (id, key) = try checked(write, in: collection)
        if let old = document(id, key, in: collection) {
            guard isExpired(old, at: write.exchange.timestamp) else {
                throw ServiceFailure(409, "There is a document '\(id)' in this partition already.")
            }
            removeDocument(old, in: collection)
        }
        try checkUnique(write.body, key, besides: nil, in: collection)
        let resource = insert(
            .documents, in: collection, write.body, at: write.exchange.timestamp, key: key)
        return place(resource, in: collection, write.exchange)
    }

    /// Creates a document or replaces the one with its id and key.
    mutating func upsert(
        _ write: DocumentWrite, in collection: UInt64
    ) throws(ServiceFailure) -> (status: Int, StoredResource) {
        let (id, key) = try checked(write, in: collection)
        guard let old = document(id, key, in: collection),
            !isExpired(old, at: write.exchange.timestamp)
        else {
            return (201, try createDocument(write, in: collection))
        }
        return (200, try replaceDocument(old, write, in: collection))
    }

    /// Replaces a document.
    mutating func replaceDocument(
        _ item: StoredResource, _ write: DocumentWrite, in collection: UInt64
    ) throws(ServiceFailure) -> StoredResource {
        try write.checkMatch(item.etag)
        let (id, key) = try checked(write, in: collection)
        guard key == item.key else {
            throw .badRequest(
                "The partition key of a document cannot be replaced.", subStatus: 1001)
        }
        if id != item.id, let other = document(id, key, in: collection) {
            guard isExpired(other, at: write.exchange.timestamp) else {
                throw ServiceFailure(409, "There is a document '\(id)' in this partition already.")
            }
            removeDocument(other, in: collection)
        }
        try checkUnique(write.body, key, besides: item.number, in: collection)
        let updated = update(item, to: write.body, at: write.exchange.timestamp)
        return place(updated, in: collection, write.exchange)
    }

    /// Stores a document past the checks of requests, such as that of its id.
    ///
    /// - Parameters:
    ///   - body: The document; it replaces none.
    ///   - path: The collection's path by names.
    ///   - now: What the service's clock shows.
    /// - Throws: ``ServiceFailure`` with 404 when there is no such collection, 400 when the document has no key.
    package mutating func plant(
        _ body: JSONValue, inCollectionAt path: String, at now: ModelTime
    ) throws(ServiceFailure) {
        let segments = path.split(separator: "/").map(String.init)
        let request = ServiceRequest(method: "POST", segments: segments)
        let link = try ResourceLink(segments: segments)
        let exchange = Exchange(request: request, link: link, now: now)
        guard let collection = try parent(of: link.steps[...], exchange),
            let definition = collections[collection]?.definition
        else { throw .notFound("collection '\(path)'") }
        let key = try definition.value(of: body)
        let resource = insert(
            .documents, in: collection, body, at: exchange.timestamp, key: key)
        _ = place(resource, in: collection, exchange)
    }

    /// Removes a document and counts the write.
    mutating func removeDocument(_ item: StoredResource, in collection: UInt64) {
        remove(item)
        collections[collection]?.sequence += 1
    }

    /// The document with an id and a key, also one that has expired.
    func document(
        _ id: String, _ key: PartitionKeyValue, in collection: UInt64
    ) -> StoredResource? {
        feeds[FeedKey(parent: collection, kind: .documents)]?
            .numbersByName[ResourceName(id: id, key: key)].flatMap { resources[$0] }
    }

    /// Whether a document has outlived its time.
    func isExpired(_ resource: StoredResource, at timestamp: Int64) -> Bool {
        guard resource.kind == .documents, let parent = resource.parent,
            let standard = collections[parent]?.timeToLive
        else { return false }
        let seconds = resource.body["ttl"]?.integerValue ?? standard
        return seconds >= 0 && timestamp >= resource.timestamp + seconds
    }

    /// Gives a written document its place in the order of writes.
    private mutating func place(
        _ resource: StoredResource, in collection: UInt64, _ exchange: Exchange
    ) -> StoredResource {
        guard var state = collections[collection] else { return resource }
        var resource = resource
        state.sequence += 1
        resource.sequence = state.sequence
        if let key = resource.key, resource.effectiveKey.isEmpty {
            resource.effectiveKey = EffectiveKey.text(of: key, in: state.definition)
        }
        let directive = exchange.request[.indexingDirective]?.lowercased()
        resource.isIndexed = directive != "exclude"
        resources[resource.number] = resource
        collections[collection] = state
        return resource
    }

    private func checked(
        _ write: DocumentWrite, in collection: UInt64
    ) throws(ServiceFailure) -> (id: String, key: PartitionKeyValue) {
        guard write.size <= Self.documentSizeMax else {
            throw ServiceFailure(413, "A document has at most \(Self.documentSizeMax) bytes.")
        }
        let id = try Self.checkedID(of: try Self.object(write.body))
        if let ttl = write.body["ttl"], !ttl.isNull {
            guard let seconds = ttl.integerValue, seconds == -1 || seconds > 0 else {
                throw .badRequest("The ttl of a document is -1 or a number above 0.")
            }
        }
        guard let definition = collections[collection]?.definition else {
            throw .notFound("collection")
        }
        let shown = try definition.value(ofHeader: write.header)
        let key = try definition.value(of: write.body)
        guard key == shown else {
            throw .badRequest(
                "The partition key of the document is not that of the header.", subStatus: 1001)
        }
        return (id, key)
    }

    private func checkUnique(
        _ body: JSONValue, _ key: PartitionKeyValue, besides number: UInt64?,
        in collection: UInt64
    ) throws(ServiceFailure) {
        let policies = collections[collection]?.uniqueKeys ?? []
        guard !policies.isEmpty else { return }
        let feed = feeds[FeedKey(parent: collection, kind: .documents)]
        for other in feed?.numbers ?? [] where other != number {
            guard let document = resources[other], document.key == key else { continue }
            for paths in policies {
                let same = paths.allSatisfy { path in
                    path.reduce(body as JSONValue?) { $0?[$1] }
                        == path.reduce(document.body as JSONValue?) { $0?[$1] }
                }
                if same { throw ServiceFailure(409, "Another document has the same unique key.") }
            }
        }
    }
}
