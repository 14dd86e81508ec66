public import Settle
public import SettleSync

extension Database {
    /// Starts a replication with the table that the configuration's URL names, in the place of the
    /// one that runs.
    ///
    /// The URL is `http(s)://HOST[:PORT]/tables/NAME`; `options` may hold what
    /// ``AzureTablesBackend/OptionName`` names, a token for example. With the URL
    /// `couchdb+http(s)://HOST[:PORT]/DATABASE` it replicates with a database of CouchDB's protocol, and
    /// `options` may hold what ``CouchBackend/OptionName`` names; so do ``replicate(with:)`` and
    /// ``addReplication(with:)`` for a single configuration.
    ///
    /// - Parameter configuration: With what to replicate, and how.
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when the URL or an option is wrong; what
    ///   the database throws when it cannot be read or written.
    public func startReplication(with configuration: ReplicationConfiguration) async throws {
        switch try ConfiguredRemote(configuration) {
        case .table(let backend): try await startReplication(with: configuration, using: backend)
        case .couch(let backend): try startReplication(with: configuration, using: backend)
        }
    }

    /// Starts a replication with the table that the configuration's URL names, without waiting.
    ///
    /// When it cannot start, the status delegate and the event streams are notified.
    ///
    /// - Parameter configuration: With what to replicate, and how.
    public func startReplication(with configuration: ReplicationConfiguration) {
        if CouchBackend.isAddress(configuration.url) {
            startReplication(
                with: configuration, makingRevisionBackend: { try CouchBackend(configuration) })
        } else {
            startReplication(
                with: configuration, makingBackend: { try AzureTablesBackend(configuration) })
        }
    }

    /// Starts replications with the tables that the configurations' URLs name, in the place of what
    /// runs.
    ///
    /// For databases that hold the documents of several tables: each configuration has a scope of its
    /// own (`ReplicationConfiguration.scope`). See the form with targets in SettleSync, which also says
    /// what the order of commits is.
    ///
    /// - Parameters:
    ///   - configurations: With what to replicate, and how; each table once.
    ///   - keepsOrder: Whether operations of different tables keep the order of their commits.
    /// - Returns: The replications, in the order of the configurations.
    /// - Throws: As `startReplication(with:)`; ``/SettleSync/ReplicationError`` with `misconfigured` also when a
    ///   table is given twice, or two have the same type for a scope. None is started then.
    @discardableResult
    public func startReplication(
        with configurations: [ReplicationConfiguration],
        keepingCommitOrder keepsOrder: Bool = false
    ) async throws -> [Replication] {
        try await startReplication(
            with: try Self.targets(configurations), keepingCommitOrder: keepsOrder)
    }

    /// Starts replications with the tables that the configurations' URLs name, without waiting.
    ///
    /// When they cannot start, none does, and the status delegate and the event streams are notified.
    ///
    /// - Parameters:
    ///   - configurations: With what to replicate, and how.
    ///   - keepsOrder: Whether operations of different tables keep the order of their commits.
    public func startReplication(
        with configurations: [ReplicationConfiguration],
        keepingCommitOrder keepsOrder: Bool = false
    ) {
        startReplication(
            with: configurations, keepingCommitOrder: keepsOrder,
            makingTargets: { try Self.targets(configurations) })
    }

    /// Replicates once with the tables that the configurations' URLs name, and waits for the end.
    ///
    /// They replicate at the same time. One that fails does not end the others.
    ///
    /// - Parameters:
    ///   - configurations: With what to replicate, and how; `isRepeating` does not matter.
    ///   - keepsOrder: Whether operations of different tables keep the order of their commits. A
    ///     table whose operations come after some that were not acknowledged, because the replication
    ///     with another table failed, fails with the code `heldBack`.
    /// - Returns: What came of each, in the order of the configurations.
    /// - Throws: As the form of `startReplication(with:keepingCommitOrder:)` that waits;
    ///   `CancellationError` when it was cancelled, stopped or replaced.
    @discardableResult
    public func replicate(
        with configurations: [ReplicationConfiguration],
        keepingCommitOrder keepsOrder: Bool = false
    ) async throws -> [ReplicationResult] {
        try await replicate(
            with: try Self.targets(configurations), keepingCommitOrder: keepsOrder)
    }

    private static func targets(
        _ configurations: [ReplicationConfiguration]
    ) throws -> [ReplicationTarget] {
        try configurations.map { ReplicationTarget($0, using: try ConfiguredRemote.table(of: $0)) }
    }

    /// Starts a replication with the table that the configuration's URL names, beside those that
    /// run.
    ///
    /// - Parameter configuration: With what to replicate, and how.
    /// - Returns: The replication.
    /// - Throws: As the form of `startReplication(with:)` that waits.
    public func addReplication(
        with configuration: ReplicationConfiguration
    ) async throws -> Replication {
        switch try ConfiguredRemote(configuration) {
        case .table(let backend):
            try await addReplication(with: configuration, using: backend)
        case .couch(let backend): try addReplication(with: configuration, using: backend)
        }
    }

    /// Fetches the content of a document's attachments, as far as it is not here, from the table
    /// that the configuration's URL names.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - configuration: Where it came from.
    /// - Returns: How many attachments were fetched.
    /// - Throws: ``/SettleSync/ReplicationError`` when the table cannot be asked; what the database throws when
    ///   the content is not what is described, or cannot be stored.
    @discardableResult
    public func downloadAttachments(
        ofDocumentWithId id: String, with configuration: ReplicationConfiguration
    ) async throws -> Int {
        try await downloadAttachments(
            ofDocumentWithId: id, using: ConfiguredRemote.table(of: configuration))
    }

    /// Withdraws a pending operation, and asks the table that the configuration's URL names, or the database of CouchDB's
    /// protocol, for what it has when that is wanted and not known here.
    ///
    /// - Parameters:
    ///   - operation: An operation from `pendingOperations(with:)` or `rejectedOperations(with:)`.
    ///   - withdrawal: What becomes of the document.
    ///   - configuration: With which table, and how.
    /// - Returns: False when the document or the operation changed since it was listed, and nothing
    ///   was done.
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when the URL or an option is wrong, or the
    ///   operation is for another table; otherwise as
    ///   ``/SettleSync/Settle/Database/withdraw(_:_:using:)``.
    @discardableResult
    public func withdraw(
        _ operation: PendingOperation, _ withdrawal: OperationWithdrawal,
        with configuration: ReplicationConfiguration
    ) async throws -> Bool {
        switch try ConfiguredRemote(configuration) {
        case .table(let backend): try await withdraw(operation, withdrawal, using: backend)
        case .couch(let backend): try await withdraw(operation, withdrawal, using: backend)
        }
    }

    /// Replicates once with the table that the configuration's URL names, and waits for the end.
    ///
    /// - Parameter configuration: With what to replicate, and how; `isRepeating` does not matter.
    /// - Returns: What was done.
    /// - Throws: ``/SettleSync/ReplicationError`` when the URL or an option is wrong, or the replication did
    ///   not get to its end; `CancellationError` when it was cancelled, stopped or replaced.
    @discardableResult
    public func replicate(
        with configuration: ReplicationConfiguration
    ) async throws -> ReplicationSummary {
        switch try ConfiguredRemote(configuration) {
        case .table(let backend): try await replicate(with: configuration, using: backend)
        case .couch(let backend): try await replicate(with: configuration, using: backend)
        }
    }

    /// Fetches the rows of a query once, beside the replications that run.
    ///
    /// What waits to be sent is sent first, unless the configuration's direction is `serverToClient`.
    /// Rows are stored as in any pull: deleted ones delete, and a document with something to tell is
    /// not overwritten.
    ///
    /// Without an identifier all rows of the query are fetched, every time, and nothing is
    /// remembered of how far it got. With one the pull is incremental: only what changed since the
    /// last pull of the query with this identifier. The identifier belongs to one query. A query with
    /// another filter, other parameters or channels under it begins at the beginning; so does any
    /// after ``/SettleSync/Settle/Database/removePullCheckpoints(of:queryId:)``.
    ///
    /// > Source: Azure Mobile Apps, `pullWithQuery:queryId:`, which also pushes first.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - queryId: What the query is called, 1 to 255 bytes of UTF-8; nil or empty for a pull that
    ///     is not incremental.
    ///   - configuration: With which table, and how; `isRepeating` and `reconciling` do not matter.
    ///     A filter and parameters among its options hold, too.
    /// - Returns: What was done.
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when the URL or an option is wrong, a
    ///   parameter has a name of the protocol's, the limit or the offset is negative, a query with an
    ///   order, a limit or an offset has an identifier, or the direction is `clientToServer`;
    ///   otherwise as ``replicate(with:)``.
    @discardableResult
    public func pull(
        _ query: TableQuery, queryId: String? = nil, with configuration: ReplicationConfiguration
    ) async throws -> ReplicationSummary {
        try query.check()
        let queryId = queryId.flatMap { $0.isEmpty ? nil : $0 }
        guard queryId == nil || !query.isSelection else {
            throw ReplicationError(
                .misconfigured,
                "A query with an order, a limit or an offset cannot be pulled incrementally. Leave "
                    + "its identifier away, or the order, the limit and the offset.")
        }
        guard configuration.direction != .clientToServer else {
            throw ReplicationError(
                .misconfigured, "A query is fetched, and the direction is to send only.")
        }
        var configuration = configuration
        configuration.queryId = queryId
        configuration.isIncremental = queryId != nil
        configuration.reconciling = .never
        return try await replicateOnce(
            with: configuration, using: AzureTablesBackend(configuration, asking: query))
    }
}
