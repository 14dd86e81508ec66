public import Settle

// The forms of the Predix Mobile SDK, which do not wait. Several calls take effect in their order.

extension Database {
    /// Starts a replication, in the place of the one that runs, without waiting for anything.
    ///
    /// When it cannot start, the status delegate and the event streams are notified.
    ///
    /// - Parameters:
    ///   - configuration: How to replicate.
    ///   - backend: The remote.
    public func startReplication(
        with configuration: ReplicationConfiguration, using backend: some Backend
    ) {
        startReplication(with: configuration, makingBackend: { backend })
    }

    /// Starts replications with several remotes, in the place of what runs, without waiting for
    /// anything.
    ///
    /// When they cannot start, none does, and the status delegate and the event streams are notified.
    ///
    /// - Parameters:
    ///   - targets: The remotes, and how to replicate with each.
    ///   - keepsOrder: As in the form that waits.
    public func startReplication(
        with targets: [ReplicationTarget], keepingCommitOrder keepsOrder: Bool = false
    ) {
        startReplication(
            with: targets.map(\.configuration), keepingCommitOrder: keepsOrder,
            makingTargets: { targets })
    }

    /// Ends the running replication without waiting for its end.
    public func stopReplication() {
        let center = ReplicationCenter.of(self)
        center.follow { [self] in await stopReplication() }
    }

    /// Starts replications with back-ends that may turn out to be impossible.
    ///
    /// - Parameters:
    ///   - configurations: How to replicate.
    ///   - keepsOrder: As in the form that waits.
    ///   - targets: Makes the back-ends.
    package func startReplication(
        with configurations: [ReplicationConfiguration], keepingCommitOrder keepsOrder: Bool,
        makingTargets targets: @escaping @Sendable () throws -> [ReplicationTarget]
    ) {
        startReplication(of: configurations) {
            try await self.startReplication(with: targets(), keepingCommitOrder: keepsOrder)
        }
    }

    /// Starts a replication with a back-end that may turn out to be impossible.
    ///
    /// - Parameters:
    ///   - configuration: How to replicate.
    ///   - backend: Makes the remote.
    package func startReplication(
        with configuration: ReplicationConfiguration,
        makingBackend backend: @escaping @Sendable () throws -> some Backend
    ) {
        startReplication(of: [configuration]) {
            try await self.startReplication(with: configuration, using: backend())
        }
    }

    /// Starts something after what was started before, and reports what prevents it.
    ///
    /// - Parameters:
    ///   - configurations: What is to be started.
    ///   - start: Starts it.
    func startReplication(
        of configurations: [ReplicationConfiguration],
        _ start: @escaping @Sendable () async throws -> Void
    ) {
        let center = ReplicationCenter.of(self)
        center.follow { [self] in
            do {
                try await start()
            } catch {
                let error = ReplicationError(unexpected: error)
                for configuration in configurations {
                    center.report(.failed(error), of: configuration, with: nil, in: self)
                }
            }
        }
    }
}
