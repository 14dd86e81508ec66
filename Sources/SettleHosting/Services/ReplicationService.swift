public import ServiceLifecycle
public import Settle
public import SettleSync

/// A replication that runs as one of the services of a server or a tool.
///
/// It starts with its group and stops with it: at a graceful shutdown, or when its task is
/// cancelled, the request in flight is given up, what has been agreed upon is stored, and `run`
/// returns when nothing of the replication is left, so that the database may be closed. What the
/// given-up request did is found out by the next replication.
///
/// A one-shot replication returns when it is done; tell the group by
/// `successTerminationBehavior` what that means.
///
/// ```swift
/// let service = ReplicationService(database, configuration: configuration, backend: backend)
/// let group = ServiceGroup(services: [transport, service], logger: logger)
/// try await group.run()
/// ```
public struct ReplicationService: Service, CustomStringConvertible {
    private let database: Database
    private let configuration: ReplicationConfiguration
    private let backend: any Backend

    /// A replication with any remote.
    ///
    /// - Parameters:
    ///   - database: The database, which stays open until the service has returned.
    ///   - configuration: How to replicate.
    ///   - backend: The remote.
    public init(
        _ database: Database, configuration: ReplicationConfiguration, backend: some Backend
    ) {
        self.database = database
        self.configuration = configuration
        self.backend = backend
    }

    /// Replicates until the group is shut down, or a one-shot replication is done.
    ///
    /// - Throws: ``/SettleSync/ReplicationError`` when the replication failed for good, which a
    ///   repeating one does only when its conflict handler stops it; what the database throws.
    public func run() async throws {
        let replication = try await database.addReplication(with: configuration, using: backend)
        let end: Result<Void, any Error>
        do {
            _ = try await withTaskCancellationOrGracefulShutdownHandler {
                try await replication.summary()
            } onCancelOrGracefulShutdown: {
                Task { await replication.stop() }
            }
            end = .success(())
        } catch is CancellationError {
            end = .success(())
        } catch {
            end = .failure(error)
        }
        // Returns when the last of it has ended, whoever stopped it.
        await replication.stop()
        try end.get()
    }

    /// The service and its remote, for the logs of a group.
    public var description: String {
        "ReplicationService(\(backend.identifier))"
    }
}
