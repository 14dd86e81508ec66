public import Logging
public import Settle

extension Database {
    /// Decides which documents are sent; held weakly.
    ///
    /// Without one all are.
    public var replicationFilterDelegate: (any ReplicationFilterDelegate)? {
        get { ReplicationCenter.of(self).filterDelegate }
        set { ReplicationCenter.of(self).filterDelegate = newValue }
    }

    /// Notified of how the replication is doing; held weakly.
    public var replicationStatusDelegate: (any ReplicationStatusDelegate)? {
        get { ReplicationCenter.of(self).statusDelegate }
        set { ReplicationCenter.of(self).statusDelegate = newValue }
    }

    /// Where replications that are started from now on log; nowhere unless one is handed in.
    ///
    /// No document's contents are ever logged.
    public var replicationLogger: Logger {
        get { ReplicationCenter.of(self).logger }
        set { ReplicationCenter.of(self).logger = newValue }
    }

    /// What happens in the database's replications from now on; a new stream each time.
    ///
    /// A reader that falls 1,000 events behind loses the oldest.
    public var replicationEvents: AsyncStream<ReplicationEvent> {
        ReplicationCenter.of(self).events()
    }

    /// What happens in the database's replications from now on, with the remote that it happens with; a
    /// new stream each time.
    ///
    /// A reader that falls 1,000 reports behind loses the oldest.
    public var replicationReports: AsyncStream<ReplicationReport> {
        ReplicationCenter.of(self).newReports()
    }

    /// The replication that runs, the first of several that one call started; nil when none does.
    ///
    /// Nil already when the status delegate or an event stream is notified that a replication has ended.
    public var replicationDetails: (any ReplicationDetails)? {
        ReplicationCenter.of(self).sessions.first?.configuration
    }

    /// The replications that were started with ``addReplication(with:using:)`` and run.
    public var replications: [Replication] {
        ReplicationCenter.of(self).added.map { Replication($0) }
    }

    /// Starts a replication beside those that run.
    ///
    /// `startReplication(with:using:)` and `stopReplication()` leave it alone, and delegates
    /// and event streams of the database hear of it, too. A running replication keeps the database
    /// alive: stop it before closing the database.
    ///
    /// - Parameters:
    ///   - configuration: As in `startReplication(with:using:)`.
    ///   - backend: The remote.
    /// - Returns: The replication.
    /// - Throws: As `startReplication(with:using:)`.
    public func addReplication(
        with configuration: ReplicationConfiguration, using backend: some Backend
    ) async throws -> Replication {
        let center = ReplicationCenter.of(self)
        return center.begin(
            try await session(
                with: configuration, using: backend, beside: center.added + center.sessions))
    }

    /// Starts a replication, in the place of the one that runs.
    ///
    /// Returns as soon as everything written so far is in the push queue; the replication itself goes
    /// on by itself. From then on every change is put into the push queue in the transaction that
    /// makes it, as long as the database is open, whether a replication runs or not. A running
    /// replication keeps the database alive: stop it before closing the database.
    ///
    /// - Parameters:
    ///   - configuration: How to replicate. Its URL and options are not looked at: the back-end
    ///     knows where to go.
    ///   - backend: The remote.
    /// - Throws: ``ReplicationError`` with `misconfigured` when the back-end's identifier is empty
    ///   or longer than 255 bytes, the scope names no type, a number of the configuration is out of
    ///   its range, or another replication of the remote runs with another scope; what the database throws when it cannot be read or written.
    public func startReplication(
        with configuration: ReplicationConfiguration, using backend: some Backend
    ) async throws {
        let center = ReplicationCenter.of(self)
        center.beginAlone(
            try await session(with: configuration, using: backend, beside: center.added))
    }

    /// Ends the running replication, or all that one call started, and waits until it has ended.
    ///
    /// A request in flight is given up; what it did is found out by the next replication. The
    /// status delegate is not called.
    public func stopReplication() async {
        for session in ReplicationCenter.of(self).replaceSessions(with: []) {
            await session.end()
        }
    }

    /// Replicates once and waits for the end, in the place of the replication that runs.
    ///
    /// - Parameters:
    ///   - configuration: How to replicate; `isRepeating` does not matter.
    ///   - backend: The remote.
    /// - Returns: What was done. Conflicts and refused documents are no failures: look into it.
    /// - Throws: ``ReplicationError`` when it did not get to the end; `CancellationError` when the
    ///   task was cancelled, or the replication stopped or replaced by another.
    @discardableResult
    public func replicate(
        with configuration: ReplicationConfiguration, using backend: some Backend
    ) async throws -> ReplicationSummary {
        var configuration = configuration
        configuration.isRepeating = false
        let center = ReplicationCenter.of(self)
        let session = try await session(
            with: configuration, using: backend, beside: center.added)
        center.beginAlone(session)
        return try await session.ending()
    }

    /// Replicates once and waits for the end, beside the replications that run.
    ///
    /// - Parameters:
    ///   - configuration: How to replicate; `isRepeating` does not matter.
    ///   - backend: The remote.
    /// - Returns: What was done.
    /// - Throws: As ``replicate(with:using:)``.
    package func replicateOnce(
        with configuration: ReplicationConfiguration, using backend: some Backend
    ) async throws -> ReplicationSummary {
        var configuration = configuration
        configuration.isRepeating = false
        let center = ReplicationCenter.of(self)
        let session = try await session(
            with: configuration, using: backend, beside: center.added + center.sessions)
        _ = center.begin(session)
        return try await session.ending()
    }

    /// A session that can start.
    ///
    /// - Parameters:
    ///   - configuration: How to replicate.
    ///   - backend: The remote.
    ///   - others: Those that go on beside it.
    ///   - order: What keeps its operations in order with those of others.
    /// - Returns: The session; what was written so far is in its push queue.
    /// - Throws: As `startReplication(with:using:)`.
    func session(
        with configuration: ReplicationConfiguration, using backend: any Backend,
        beside others: [any RunningReplication], order: CommitOrder? = nil
    ) async throws -> ReplicationSession {
        let identifier = backend.identifier
        try configuration.check(of: identifier)
        let scope = configuration.scope
        if let fault = scope.fault { throw ReplicationError(.misconfigured, fault) }
        let isOther = others.contains {
            $0.remote == identifier && $0.configuration.scope != scope
        }
        if isOther {
            throw ReplicationError(
                .misconfigured,
                "A replication with '\(identifier)' runs whose scope is another. All replications of "
                    + "a remote have the same.")
        }
        if let queryId = configuration.queryId {
            guard (1...SyncTuning.identifierLengthMax).contains(queryId.utf8.count) else {
                throw ReplicationError(
                    .misconfigured,
                    "The identifier of a query has \(queryId.utf8.count) bytes; it needs 1 to "
                        + "\(SyncTuning.identifierLengthMax).")
            }
        }
        let center = ReplicationCenter.of(self)
        let pushQueue = center.pushQueue(for: identifier, of: self)
        try await pushQueue.setScope(scope, self)
        return ReplicationSession(
            database: self, backend: backend, configuration: configuration, pushQueue: pushQueue,
            center: center, order: order)
    }
}
