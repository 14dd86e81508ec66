package import Settle

// Replications by revisions: the same sessions, with a remote of another kind.

extension Database {
    /// Starts a replication by revisions, in the place of the one that runs.
    ///
    /// - Parameters:
    ///   - configuration: How to replicate.
    ///   - backend: The remote.
    /// - Throws: ``ReplicationError`` with `misconfigured` when the configuration asks for what this kind of
    ///   replication does not have.
    package func startReplication(
        with configuration: ReplicationConfiguration, using backend: any RevisionBackend
    ) throws {
        ReplicationCenter.of(self).beginAlone(
            try revisionSession(with: configuration, using: backend))
    }

    /// Starts a replication by revisions, without waiting; what prevents it is reported.
    package func startReplication(
        with configuration: ReplicationConfiguration,
        makingRevisionBackend backend: @escaping @Sendable () throws -> any RevisionBackend
    ) {
        startReplication(of: [configuration]) {
            try self.startReplication(with: configuration, using: backend())
        }
    }

    /// Replicates by revisions once and waits for the end, in the place of the replication that runs.
    package func replicate(
        with configuration: ReplicationConfiguration, using backend: any RevisionBackend
    ) async throws -> ReplicationSummary {
        var configuration = configuration
        configuration.isRepeating = false
        let session = try revisionSession(with: configuration, using: backend)
        ReplicationCenter.of(self).beginAlone(session)
        return try await session.ending()
    }

    /// Starts a replication by revisions beside those that run.
    package func addReplication(
        with configuration: ReplicationConfiguration, using backend: any RevisionBackend
    ) throws -> Replication {
        ReplicationCenter.of(self).begin(
            try revisionSession(with: configuration, using: backend))
    }

    private func revisionSession(
        with configuration: ReplicationConfiguration, using backend: any RevisionBackend
    ) throws -> RevisionSession {
        try configuration.check(of: backend.identifier)
        let unknown = [
            ("scope", configuration.scope != .all), ("queryId", configuration.queryId != nil),
            ("isIncremental", !configuration.isIncremental),
            ("reconciling", configuration.reconciling != .never),
            ("sendsOnlyChanges", configuration.sendsOnlyChanges),
            ("downloadsAttachments", !configuration.downloadsAttachments),
        ].first { $0.1 }
        if let unknown {
            throw ReplicationError(
                .misconfigured,
                "A replication by revisions has no '\(unknown.0)'; leave it as it is unless given.")
        }
        addSideTableCheck(.replication)
        addSideTableCheck(.revisionReplication)
        return RevisionSession(
            database: self, backend: backend, configuration: configuration,
            center: ReplicationCenter.of(self))
    }
}
