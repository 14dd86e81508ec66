public import Settle
public import SettleSync

extension Database {
    /// Starts a replication with the table that the configuration's URL names, in the place of the
    /// one that runs.
    ///
    /// The URL is `http(s)://HOST[:PORT]/tables/NAME`; `options` may hold what
    /// ``AzureTablesBackend/OptionName`` names, a token for example.
    ///
    /// - Parameter configuration: With what to replicate, and how.
    /// - Throws: ``ReplicationError`` with `misconfigured` when the URL or an option is wrong; what
    ///   the database throws when it cannot be read or written.
    public func startReplication(with configuration: ReplicationConfiguration) async throws {
        let backend = try AzureTablesBackend(configuration)
        try await startReplication(with: configuration, using: backend)
    }

    /// Starts a replication with the table that the configuration's URL names, without waiting.
    ///
    /// When it cannot start, the status delegate and the event streams are told.
    ///
    /// - Parameter configuration: With what to replicate, and how.
    public func startReplication(with configuration: ReplicationConfiguration) {
        startReplication(
            with: configuration, makingBackend: { try AzureTablesBackend(configuration) })
    }

    /// Starts a replication with the table that the configuration's URL names, beside those that
    /// run.
    ///
    /// - Parameter configuration: With what to replicate, and how.
    /// - Returns: The replication.
    /// - Throws: As the form of ``startReplication(with:)`` that waits.
    public func addReplication(
        with configuration: ReplicationConfiguration
    ) async throws -> Replication {
        try await addReplication(
            with: configuration, using: AzureTablesBackend(configuration))
    }

    /// Fetches the content of a document's attachments, as far as it is not here, from the table
    /// that the configuration's URL names.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - configuration: Where it came from.
    /// - Returns: How many attachments were fetched.
    /// - Throws: ``ReplicationError`` when the table cannot be asked; what the database throws when
    ///   the content is not what is described, or cannot be stored.
    @discardableResult
    public func downloadAttachments(
        ofDocumentWithId id: String, with configuration: ReplicationConfiguration
    ) async throws -> Int {
        try await downloadAttachments(
            ofDocumentWithId: id, using: AzureTablesBackend(configuration))
    }

    /// Withdraws a pending operation, and asks the table that the configuration's URL names for what
    /// it has when that is wanted and not known here.
    ///
    /// - Parameters:
    ///   - operation: An operation from `pendingOperations(with:)` or `rejectedOperations(with:)`.
    ///   - withdrawal: What becomes of the document.
    ///   - configuration: With which table, and how.
    /// - Returns: False when the document or the operation changed since it was listed, and nothing
    ///   was done.
    /// - Throws: ``ReplicationError`` with `misconfigured` when the URL or an option is wrong, or the
    ///   operation is for another table; otherwise as
    ///   ``Settle/Database/withdraw(_:_:using:)``.
    @discardableResult
    public func withdraw(
        _ operation: PendingOperation, _ withdrawal: OperationWithdrawal,
        with configuration: ReplicationConfiguration
    ) async throws -> Bool {
        try await withdraw(operation, withdrawal, using: AzureTablesBackend(configuration))
    }

    /// Replicates once with the table that the configuration's URL names, and waits for the end.
    ///
    /// - Parameter configuration: With what to replicate, and how; `isRepeating` does not matter.
    /// - Returns: What was done.
    /// - Throws: ``ReplicationError`` when the URL or an option is wrong, or the replication did
    ///   not get to its end; `CancellationError` when it was cancelled, stopped or replaced.
    @discardableResult
    public func replicate(
        with configuration: ReplicationConfiguration
    ) async throws -> ReplicationSummary {
        let backend = try AzureTablesBackend(configuration)
        return try await replicate(with: configuration, using: backend)
    }
}
