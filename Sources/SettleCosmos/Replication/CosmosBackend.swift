public import Foundation
public import SettleREST
public import SettleSync

/// A collection of Cosmos DB as the remote of a replication.
///
/// ```swift
/// let people = try CosmosBackend(cosmos, collection: "people", inDatabase: "crm")
/// try await database.replicate(
///     with: .oneTimeBidirectionalReplication(with: people.url), using: people)
/// ```
///
/// **Documents.** A document's identifier is its `id` there, so an id has to be unique in the whole collection, for good,
/// and not only in its logical partition; or it is made of `id` and partition key: see ``Identifiers``. The partition key is
/// a member of the document, and never changes: an edit of it is refused, since the service cannot move a document. The
/// members that the service adds (`_rid`, `_self`, `_etag`, `_ts`, `_attachments`) do not travel, and
/// documents that have members of these names are refused.
///
/// **Pulling** reads the change feed, range by range. How far each range was read is stored with the documents of a
/// page, in one commit. Splits are followed. A channel is a partition key (see ``channel(of:)``): with channels, only
/// those logical partitions are read.
///
/// **Pushing** creates what is new, and replaces with `If-Match` what is known, so that a document that others have
/// changed is a conflict for the configuration's handler. Several operations of one logical partition go as a
/// transactional batch, and by themselves when one of them is refused. An operation whose answer was lost is sent again
/// and recognised by what is there.
///
/// **Deletions** are not in the change feed; see ``Deletion``. What is deleted for good is found by a full resync, as
/// `configuration.reconciling` says.
///
/// A throttled request waits as the service says, for as long as the client's ``Cosmos/RetryPolicy`` allows; then the
/// replication waits and goes on. Attachments do not travel. `sendsOnlyChanges` does not matter: documents go whole.
///
/// > Source: "Change feed", "Transactional batch" and "Optimistic concurrency control" in the documentation of Cosmos DB.
public struct CosmosBackend: Backend {
    /// How a document that is deleted here is deleted there.
    public enum Deletion: Sendable, Hashable {
        /// It is marked, which other devices see in the change feed, and deleted by the service later.
        ///
        /// `member` is set to true, and `ttl` to the time after which the service deletes the document; nil leaves it
        /// there. The service goes by `ttl` only where the collection has a default time to live (-1 for none, but
        /// switched on). A device that does not replicate for that long needs a full resync. All documents with
        /// that member true count as deleted, whoever set it.
        case soft(member: String = "deleted", timeToLive: Duration? = .seconds(90 * 86_400))
        /// It is deleted at once, which other devices find out by a full resync alone.
        case hard
    }

    /// Of what the identifiers of documents here are made.
    ///
    /// Chosen once for a database: with the other kind, all documents would count as new, here and there.
    public enum Identifiers: Sendable, Hashable {
        /// Of the `id` alone, which then is unique in the whole collection, for good.
        ///
        /// Of two documents with one `id` in two logical partitions, the one that was read last is here; what would have to
        /// look for one of them is refused, and the reason names the `id` and both partitions.
        case id
        /// Of the `id` and the partition key: `17/Bern`. Ids then are unique in their logical partition only.
        ///
        /// The app makes the identifiers of new documents by ``CosmosBackend/identifier(of:in:)``. Where the `id` is the
        /// partition key, or there is none, identifiers are the `id` all the same.
        case idAndPartition
    }

    /// The address of the account with the paths of database and collection: what the remote is called in a database.
    public var identifier: String { address.identifier }

    /// The same, for a configuration.
    public var url: URL { address.url }

    /// How a document that is deleted here is deleted there.
    public let deletion: Deletion

    /// Of what the identifiers of documents here are made.
    public let identifiers: Identifiers

    let address: ContainerAddress
    let client: Cosmos.Client

    /// The collection, by ids.
    var collection: Cosmos.Link { address.link }

    /// A collection of the account that a client is configured for.
    ///
    /// - Parameters:
    ///   - client: The client. It stays configured for that account while the replication runs.
    ///   - collectionId: The id of the collection.
    ///   - databaseId: The id of the database.
    ///   - deletion: How documents are deleted.
    ///   - identifiers: Of what the identifiers of documents here are made.
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when the client has no account, the ids cannot be
    ///   ids, or are so long that the address has more than 255 bytes; when the member of a deletion is empty or one of
    ///   the service's own, or its time to live is below a second.
    public init(
        _ client: Cosmos.Client, collection collectionId: String, inDatabase databaseId: String,
        deletion: Deletion = .soft(), identifiers: Identifiers = .id
    ) throws(ReplicationError) {
        guard let account = client.account else {
            throw ReplicationError(
                .misconfigured,
                "The client has no account yet; configure it before the replication.")
        }
        address = try ContainerAddress(account, databaseId, collectionId)
        self.client = client
        self.deletion = deletion
        self.identifiers = identifiers
        try Self.check(deletion)
    }

    /// A collection by its address.
    ///
    /// - Parameters:
    ///   - url: `http(s)://HOST[:PORT]/dbs/DATABASE/colls/COLLECTION`, without credentials.
    ///   - credentials: What lets in.
    ///   - transport: The way to the service; nil for a ``/SettleREST/URLSessionTransport``.
    ///   - deletion: How documents are deleted.
    ///   - identifiers: Of what the identifiers of documents here are made.
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when the URL is no such address, and as
    ///   ``init(_:collection:inDatabase:deletion:identifiers:)``.
    public init(
        url: URL, credentials: Cosmos.Credentials, transport: (any HTTPTransport)? = nil,
        deletion: Deletion = .soft(), identifiers: Identifiers = .id
    ) throws(ReplicationError) {
        address = try ContainerAddress(url)
        client = Cosmos.Client(
            account: address.account, credentials: credentials, transport: transport, cache: nil)
        self.deletion = deletion
        self.identifiers = identifiers
        try Self.check(deletion)
    }

    /// What the collection at an address is called in a database, without asking the service.
    ///
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when the URL is no collection's address.
    public static func identifier(of url: URL) throws(ReplicationError) -> String {
        try ContainerAddress(url).identifier
    }

    private static func check(_ deletion: Deletion) throws(ReplicationError) {
        guard case .soft(let member, let timeToLive) = deletion else { return }
        guard !member.isEmpty, member != ItemForm.timeToLive, member != "id",
            !ItemForm.serviceMembers.contains(member)
        else {
            throw ReplicationError(
                .misconfigured,
                "No member '\(member)' can say that a document is deleted; choose another name.")
        }
        if let timeToLive, !(1...ItemForm.timeToLiveMax).contains(timeToLive.components.seconds) {
            throw ReplicationError(
                .misconfigured,
                "The time after which the service deletes a marked document has to be from 1 second to "
                    + "\(ItemForm.timeToLiveMax) seconds.")
        }
    }

    /// The channel that stands for a logical partition, for `configuration.limitToChannels`.
    ///
    /// A key that is one text is its own channel, unless it begins with `[`; all others are JSON arrays, such as
    /// `["tenant-1","user-7"]` or `[17]`.
    public static func channel(of key: Cosmos.PartitionKey) -> String {
        if case .string(let text)? = key.components.first, key.components.count == 1,
            !text.hasPrefix("[")
        {
            return text
        }
        return key.headerText
    }

    /// The identifier here of a document there, for a back-end with ``Identifiers/idAndPartition``: the `id`, a slash, and
    /// the ``channel(of:)`` of the partition key.
    ///
    /// A document's identifier has 255 bytes at the most; one with a longer key stays there, and is listed as set aside.
    ///
    /// - Parameters:
    ///   - id: The `id` of the document, without a slash.
    ///   - key: Its partition key.
    /// - Returns: The identifier.
    public static func identifier(of id: String, in key: Cosmos.PartitionKey) -> String {
        "\(id)/\(channel(of: key))"
    }

    /// The key that a channel stands for.
    static func key(ofChannel channel: String) throws(ReplicationError) -> Cosmos.PartitionKey {
        guard channel.hasPrefix("[") else { return Cosmos.PartitionKey(channel) }
        guard let key = Cosmos.PartitionKey(headerText: channel) else {
            throw ReplicationError(
                .misconfigured,
                "A channel of a collection is a partition key: a text, or a JSON array of texts, numbers, true, "
                    + "false or null. The channel that begins with '[' is no such array.")
        }
        return key
    }

    /// Reads by which members the collection's documents are spread, once.
    public func prepare() async throws(ReplicationError) {
        _ = try await form()
    }

    /// How documents are read and written.
    func form() async throws(ReplicationError) -> ItemForm {
        do throws(Cosmos.ClientError) {
            let session = try client.session()
            let definition = try await session.partitionKeys.definition(
                of: collection, by: session.service)
            return ItemForm(
                definition: definition, deletion: deletion, identifiers: identifiers)
        } catch {
            throw failure(error)
        }
    }

    /// Carries out an operation by the service alone: a replication has a copy and a queue of its own.
    func perform(
        _ operation: Cosmos.Operation
    ) async throws(Cosmos.ClientError) -> Cosmos.OperationResponse {
        try await client.session().service.perform(operation)
    }
}
