/// A remote and how to replicate with it: one of several of a call.
public struct ReplicationTarget: Sendable {
    /// How to replicate.
    ///
    /// Its URL and options are not looked at: the back-end knows where to go.
    public var configuration: ReplicationConfiguration
    /// The remote.
    public var backend: any Backend

    /// A remote and how to replicate with it.
    public init(_ configuration: ReplicationConfiguration, using backend: any Backend) {
        self.configuration = configuration
        self.backend = backend
    }
}

/// What came of the replication with one of several remotes.
public struct ReplicationResult: Sendable {
    /// The remote, as its back-end calls it.
    public let remote: String
    /// What was done, or why it did not get to the end.
    public let result: Result<ReplicationSummary, ReplicationError>

    /// What was done.
    ///
    /// - Returns: The summary.
    /// - Throws: ``ReplicationError`` when it did not get to the end.
    public func summary() throws(ReplicationError) -> ReplicationSummary { try result.get() }

    /// Why it did not get to the end; nil when it did.
    public var error: ReplicationError? {
        guard case .failure(let error) = result else { return nil }
        return error
    }
}
