import Logging
import ServiceLifecycle
import SettleServer

/// A server that runs until it is told to stop, and then finishes what it has begun.
///
/// It runs in a task of its own, because cancelling the task it runs in would break off the
/// requests that are under way.
struct RunningServer: Sendable {
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - other: One that runs beside it; when one of the two ends, so does the other.
    ///   - logger: What the services are logged with.
    init(_ server: TableServer, beside other: CouchServer? = nil, logger: Logger) {
        let others = other.map { other in
            [
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: other, successTerminationBehavior: .gracefullyShutdownGroup)
            ]
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)
                ] + (others ?? []),
                logger: logger))
        self.group = group
        task = Task { try await group.run() }
    }

    /// Asks the server to end.
    func stop() {
        Task { [group] in await group.triggerGracefulShutdown() }
    }

    /// Waits until the server has ended.
    ///
    /// - Throws: Why it could not start, or what broke it.
    func finish() async throws {
        try await task.value
    }
}
