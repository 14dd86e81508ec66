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
        let center = ReplicationCenter.of(self)
        let session = try revisionSession(with: configuration, using: backend)
        session.start(after: center.replaceSessions(with: [session]))
    }

    /// Starts a replication by revisions, without waiting; what prevents it is reported.
    package func startReplication(
        with configuration: ReplicationConfiguration,
        makingRevisionBackend backend: @escaping @Sendable () throws -> any RevisionBackend
    ) {
        let center = ReplicationCenter.of(self)
        center.follow { [self] in
            do {
                try startReplication(with: configuration, using: backend())
            } catch {
                let error = ReplicationError(unexpected: error)
                center.report(.failed(error), of: configuration, with: nil, in: self)
            }
        }
    }

    /// Replicates by revisions once and waits for the end, in the place of the replication that runs.
    package func replicate(
        with configuration: ReplicationConfiguration, using backend: any RevisionBackend
    ) async throws -> ReplicationSummary {
        var configuration = configuration
        configuration.isRepeating = false
        let center = ReplicationCenter.of(self)
        let session = try revisionSession(with: configuration, using: backend)
        session.start(after: center.replaceSessions(with: [session]))
        return try await withTaskCancellationHandler {
            try await session.summary()
        } onCancel: {
            session.cancel()
        }
    }

    /// Starts a replication by revisions beside those that run.
    package func addReplication(
        with configuration: ReplicationConfiguration, using backend: any RevisionBackend
    ) throws -> Replication {
        let session = try revisionSession(with: configuration, using: backend)
        ReplicationCenter.of(self).add(session)
        session.start(after: [])
        return Replication(session)
    }

    private func revisionSession(
        with configuration: ReplicationConfiguration, using backend: any RevisionBackend
    ) throws -> RevisionSession {
        try configuration.check()
        guard (1...SyncTuning.identifierLengthMax).contains(backend.identifier.utf8.count) else {
            throw ReplicationError(
                .misconfigured,
                "The name of the remote has \(backend.identifier.utf8.count) bytes; it needs 1 to "
                    + "\(SyncTuning.identifierLengthMax). Use a shorter address.")
        }
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
        addSideTableCheck(.revisionReplication)
        return RevisionSession(
            database: self, backend: backend, configuration: configuration,
            center: ReplicationCenter.of(self))
    }
}
