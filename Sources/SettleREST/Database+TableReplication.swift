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
    ///   - configuration: Where it came from; with the option
    ///     ``AzureTablesBackend/OptionName/carriesAttachments``.
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
