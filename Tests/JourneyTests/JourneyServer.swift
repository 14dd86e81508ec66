import Foundation
import Logging
import ServiceLifecycle
import SettleServer
import Testing

/// A real server on loopback, which a test may stop and start again in the same place.
actor JourneyServer {
    static let secret = "a secret of more than thirty-two bytes, for tests"

    private let directory: URL
    private var port = 0
    private var group: ServiceGroup?
    private var task: Task<Void, any Error>?

    init(directory: URL) {
        self.directory = directory
    }

    /// Starts it, on the port of the first start.
    ///
    /// That one is none of those that systems give to clients, so that nobody has it while the server is
    /// down.
    func start() async throws -> URL {
        if port != 0 {
            try await start(on: port)
        } else {
            while port == 0 {
                let candidate = Int.random(in: 10_000..<30_000)
                do {
                    try await start(on: candidate)
                    port = candidate
                } catch let error as ServerError where error.code == .addressUnusable {
                    // Somebody listens there.
                }
            }
        }
        return try #require(URL(string: "http://127.0.0.1:\(port)/tables/things"))
    }

    private func start(on port: Int) async throws {
        var logger = Logger(label: "journey")
        logger.logLevel = .critical
        var configuration = ServerConfiguration(
            directory: directory, port: port, authentication: .jwt(secret: Self.secret))
        // However long the machine takes, nobody is idle.
        configuration.idleTimeout = .seconds(3_600)
        let server = try TableServer(configuration: configuration, logger: logger)
        let group = ServiceGroup(services: [server], logger: logger)
        self.group = group
        task = Task { try await group.run() }
        _ = try await server.boundPort()
    }

    /// Stops it; requests under way are finished.
    func stop() async throws {
        await group?.triggerGracefulShutdown()
        try await task?.value
        group = nil
        task = nil
    }

    /// Stops it by cancelling the task it runs in.
    func cancel() async {
        task?.cancel()
        _ = await task?.result
        group = nil
        task = nil
    }
}
