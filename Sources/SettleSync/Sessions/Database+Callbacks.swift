public import Settle

// The forms of the Predix Mobile SDK, which do not wait. Several calls take effect in their order.

extension Database {
    /// Starts a replication, in the place of the one that runs, without waiting for anything.
    ///
    /// When it cannot start, the status delegate and the event streams are told.
    ///
    /// - Parameters:
    ///   - configuration: How to replicate.
    ///   - backend: The far side.
    public func startReplication(
        with configuration: ReplicationConfiguration, using backend: some Backend
    ) {
        startReplication(with: configuration, makingBackend: { backend })
    }

    /// Ends the running replication without waiting for its end.
    public func stopReplication() {
        let center = ReplicationCenter.of(self)
        center.follow { [self] in await stopReplication() }
    }

    /// Starts a replication with a back-end that may turn out to be impossible.
    ///
    /// - Parameters:
    ///   - configuration: How to replicate.
    ///   - backend: Makes the far side.
    package func startReplication(
        with configuration: ReplicationConfiguration,
        makingBackend backend: @escaping @Sendable () throws -> some Backend
    ) {
        let center = ReplicationCenter.of(self)
        center.follow { [self] in
            do {
                try await startReplication(with: configuration, using: backend())
            } catch {
                let error = ReplicationError(unexpected: error)
                center.report(.failed(error), of: configuration, in: self)
            }
        }
    }
}
