// What is kept on this device, and what is written there without a network. Docs/Guides/CosmosOffline.md tells it in
// whole.

extension Cosmos.Client {
    /// Whether what the service sends is kept, and answers without a network; true unless the client was made without a
    /// cache.
    ///
    /// Off, every call goes to the service; what is kept stays, and what waits to be sent waits until it is on again, or
    /// until ``sendQueuedWrites()``. Only a write of a resource with writes that wait does not overtake them: it waits behind
    /// them, and its response has `fromCache`.
    public var offlineDataEnabled: Bool {
        get { rules?.isOn ?? false }
        set {
            rules?.isOn = newValue
            if newValue { offline?.kick(.reached) }
        }
    }

    /// Whether there is a network, as far as the app knows; true at first.
    ///
    /// An app sets it by what the system tells, such as `NWPathMonitor`. While it is false nothing is sent, neither by a
    /// client without a cache nor by a replication (``CosmosBackend``) or a change feed, so that no call waits for a
    /// connection. Set to true, what waits is sent at once, unless the service has asked to wait. An app that never sets it
    /// finds out by requests that fail; then what waits is tried again by itself, see
    /// ``Cosmos/CacheConfiguration/retryWait``.
    public var isNetworkAvailable: Bool {
        get { network.isAvailable }
        set {
            network.isAvailable = newValue
            if newValue { offline?.kick(.reached) }
        }
    }

    /// Encrypts what is kept; nil to keep it as it is.
    ///
    /// Set it before the client is configured, or give it in the configuration of the cache: what waits from an earlier
    /// process is sent from then on. What was kept without one is encrypted by the next call. With another key than that which it was written with, or
    /// without one, calls throw `configureError` and nothing is changed;
    /// ``purgeEverythingOffline()`` throws it away.
    public var resourceEncryptor: (any Cosmos.ResourceEncryptor)? {
        get { rules?.encryptor }
        set {
            rules?.encryptor = newValue
            offline?.forgetKey()
        }
    }

    /// Says whether a collection and its documents are kept; they are unless said otherwise.
    ///
    /// - Parameters:
    ///   - isCached: Whether they are.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    public func setCached(
        _ isCached: Bool, forCollection collectionId: String, inDatabase databaseId: String
    ) {
        rules?.setCached(isCached, .collection(collectionId, inDatabase: databaseId))
    }

    /// Says how long a get of a document of a collection asks no one after the service has sent it.
    ///
    /// - Parameters:
    ///   - lifetime: The time; nil for what the cache's configuration says.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    public func setCacheLifetime(
        _ lifetime: Duration?, forCollection collectionId: String, inDatabase databaseId: String
    ) {
        rules?.setLifetime(lifetime, of: .collection(collectionId, inDatabase: databaseId))
    }

    /// Throws away what is kept, but for what writes need that were not sent yet.
    ///
    /// It holds for all clients of the account in this process: what they had asked for before is not kept when it comes.
    ///
    /// - Parameter link: A resource, by ids or by the service's identifiers: it and all below it; nil for all.
    /// - Throws: ``Cosmos/ClientError`` with `configureError` before the client is configured and without the right key,
    ///   `internalError` when it cannot be written.
    public func purgeOfflineData(below link: Cosmos.Link? = nil) async throws(Cosmos.ClientError) {
        try session()
        try await offline?.purge(below: link)
    }

    /// Throws away everything that this device keeps of the account, with all writes that were not sent: when somebody
    /// signs out, or when the key is lost.
    ///
    /// It holds for all clients of the account in this process: what they had asked for before is not kept when it comes, and
    /// a write that they had begun before is not queued. What they ask for later is kept, so whoever signs out resets them.
    ///
    /// - Throws: ``Cosmos/ClientError`` with `configureError` before the client is configured, `internalError` when it
    ///   cannot be written.
    public func purgeEverythingOffline() async throws(Cosmos.ClientError) {
        try session()
        try await offline?.purgeEverything()
    }

    /// What becomes of writes that were made offline, from now on; those of all clients with the same cache.
    ///
    /// An event comes after queue and cache have what it tells. `queueProcessed` comes when there is a network and nothing
    /// waits any more of what was queued since it came last, also where that has cancelled itself out. Ends at once when
    /// the client is not configured or has no cache. Each call gives a sequence of its own, which holds what was not asked
    /// for yet.
    public var offlineEvents: AsyncStream<Cosmos.OfflineEvent> {
        offline?.events.stream() ?? AsyncStream { $0.finish() }
    }

    /// The writes that wait to be sent, in their order.
    ///
    /// - Throws: As ``purgeOfflineData(below:)``.
    public func queuedWrites() async throws(Cosmos.ClientError) -> [Cosmos.OfflineWrite] {
        try session()
        return try await offline?.queuedWrites() ?? []
    }

    /// Sends what waits, and returns when nothing does any more.
    ///
    /// They are sent by themselves as well; this is for an app that has some time in the background, and for tests.
    ///
    /// - Throws: ``Cosmos/ClientError`` when something could not be sent that may be later: `unreachable`, `tooManyRequests`
    ///   and the like. It waits on. What the service refuses for good throws nothing here; ``offlineEvents`` tells it.
    public func sendQueuedWrites() async throws(Cosmos.ClientError) {
        try session()
        try await offline?.sendQueuedWrites()
    }

    /// The self link of a resource that this device has read by its ids, or the reverse.
    ///
    /// It asks no one. What is known lasts until the resource is gone: 404 on a get or 204 on a delete forget it.
    ///
    /// - Parameters:
    ///   - link: A link of either form.
    ///   - key: The partition key of a document or attachment that is named by ids.
    /// - Returns: The link of the other form; nil when it is not known.
    /// - Throws: As ``purgeOfflineData(below:)``.
    public func knownLink(
        for link: Cosmos.Link, withPartitionKey key: Cosmos.PartitionKey? = nil
    ) async throws(Cosmos.ClientError) -> Cosmos.Link? {
        try session()
        return try await offline?.otherLink(of: link, key.map { .key($0) } ?? .unspecified)
    }
}
