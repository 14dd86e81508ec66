public import Settle
public import SettleSync

extension Database {
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
    /// after ``removePullCheckpoints(of:queryId:)``.
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
    /// - Throws: ``ReplicationError`` with `misconfigured` when the URL or an option is wrong, a
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
