import Logging
import ServiceLifecycle
import SettleServer

/// One real server on loopback, which is stopped and started again over the same store.
///
/// Each start takes a port that is free, so that none can be taken by somebody else.
actor RealServer {
    private let configuration: ServerConfiguration
    private let stopsByCancelling: Bool
    private var group: ServiceGroup?
    private var task: Task<Void, any Error>?
    /// The port; while the server is down, the one that it had.
    private(set) var port = 0

    init(_ configuration: ServerConfiguration, stopsByCancelling: Bool) {
        self.configuration = configuration
        self.stopsByCancelling = stopsByCancelling
    }

    private static var quiet: Logger {
        Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    }

    func start() async throws {
        let server = try TableServer(configuration: configuration, logger: Self.quiet)
        let group = ServiceGroup(services: [server], logger: Self.quiet)
        self.group = group
        task = Task { try await group.run() }
        port = try await server.boundPort()
    }

    /// Stops it; requests that are under way are finished.
    func stop() async throws {
        guard let task, let group else { return }
        (self.task, self.group) = (nil, nil)
        if stopsByCancelling {
            task.cancel()
            _ = await task.result
        } else {
            await group.triggerGracefulShutdown()
            try await task.value
        }
    }
}
