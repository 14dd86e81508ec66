public import Settle

// Several tables of one database in one call.

extension Database {
    /// Starts replications with several remotes, in the place of what runs.
    ///
    /// As `startReplication(with:using:)` for each, but none replaces another:
    /// `stopReplication()` ends them all. The status delegate is notified of each with its own details,
    /// ``replicationReports`` names the remote.
    ///
    /// **The order of commits.** Each remote's operations are sent as fast as they can be, whatever the
    /// others do. With `keepingCommitOrder` an operation is sent when those of the other remotes
    /// that were committed before are acknowledged. One that fails for a reason that passes holds up what
    /// was committed after it for the other remotes. One that is set aside, because it is
    /// refused, in a conflict that is left, or held back by the filter, holds up nothing. An operation
    /// has the place of the first change that it carries. The price is a request at a time where the
    /// changes of several remotes alternate. Pulling goes on in any case, and a target that is not
    /// bidirectional has no part in the order.
    ///
    /// - Parameters:
    ///   - targets: The remotes, and how to replicate with each; each remote once.
    ///   - keepsOrder: Whether operations of different remotes keep the order of their commits.
    /// - Returns: The replications, in the order of the targets.
    /// - Throws: ``ReplicationError`` with `misconfigured` when two targets are the same remote, or have
    ///   the same type for a scope; otherwise as `startReplication(with:using:)`. None is started
    ///   then.
    @discardableResult
    public func startReplication(
        with targets: [ReplicationTarget], keepingCommitOrder keepsOrder: Bool = false
    ) async throws -> [Replication] {
        try await beginReplications(with: targets, keepingCommitOrder: keepsOrder)
            .map { Replication($0) }
    }

    /// Replicates once with several remotes and waits for the end, in the place of what runs.
    ///
    /// They replicate at the same time. One that fails does not end the others.
    ///
    /// - Parameters:
    ///   - targets: The remotes, and how to replicate with each; each remote once. `isRepeating`
    ///     does not matter.
    ///   - keepsOrder: As in `startReplication(with:keepingCommitOrder:)`. A target whose operations
    ///     come after some that were not acknowledged, because the replication with another remote
    ///     failed, fails with the code `heldBack`.
    /// - Returns: What came of each, in the order of the targets.
    /// - Throws: As `startReplication(with:keepingCommitOrder:)`; `CancellationError` when the task
    ///   was cancelled, or the replications stopped or replaced.
    @discardableResult
    public func replicate(
        with targets: [ReplicationTarget], keepingCommitOrder keepsOrder: Bool = false
    ) async throws -> [ReplicationResult] {
        var once = targets
        for index in once.indices { once[index].configuration.isRepeating = false }
        let sessions = try await beginReplications(with: once, keepingCommitOrder: keepsOrder)
        let results = try await withTaskCancellationHandler {
            // All have ended before anything is thrown.
            for session in sessions { await session.end() }
            var results: [ReplicationResult] = []
            for session in sessions {
                let result: Result<ReplicationSummary, ReplicationError>
                do {
                    result = .success(try await session.summary())
                } catch let error as ReplicationError {
                    result = .failure(error)
                }
                results.append(
                    ReplicationResult(remote: session.pushQueue.identifier, result: result))
            }
            return results
        } onCancel: {
            for session in sessions { session.cancel() }
        }
        // What one pulled may have freed an identifier that a row of another waits for.
        try await PushQueue.storeFreed(self)
        return results
    }

    private func beginReplications(
        with targets: [ReplicationTarget], keepingCommitOrder keepsOrder: Bool
    ) async throws -> [ReplicationSession] {
        try Self.check(targets)
        let center = ReplicationCenter.of(self)
        let sending = targets.filter { $0.configuration.direction != .serverToClient }
            .map(\.backend.identifier)
        let order = keepsOrder ? CommitOrder(of: sending) : nil
        var sessions: [ReplicationSession] = []
        for target in targets {
            sessions.append(
                try await session(
                    with: target.configuration, using: target.backend, beside: center.added,
                    order: target.configuration.direction == .serverToClient ? nil : order))
        }
        let previous = center.replaceSessions(with: sessions)
        for session in sessions { session.start(after: previous) }
        return sessions
    }

    private static func check(_ targets: [ReplicationTarget]) throws {
        for (index, target) in targets.enumerated() {
            for other in targets[..<index] {
                let (remote, otherRemote) = (target.backend.identifier, other.backend.identifier)
                if remote == otherRemote {
                    throw ReplicationError(
                        .misconfigured, "The remote '\(remote)' is given twice; give it once.")
                }
                let scope = target.configuration.scope
                if scope.isSameType(as: other.configuration.scope) {
                    throw ReplicationError(
                        .misconfigured,
                        "Both '\(otherRemote)' and '\(remote)' have the scope of \(scope). Give each "
                            + "a type of its own.")
                }
            }
        }
    }
}
