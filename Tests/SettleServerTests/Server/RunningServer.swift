import Foundation
import ServiceLifecycle
import TestSupport

@testable import SettleServer

/// A server on a socket, as a service among others.
enum RunningServer {
    /// Runs a server, and a test with its port.
    ///
    /// Nobody is idle, however long the machine takes, unless `endsIdle` says that the timeout of the
    /// configuration holds.
    static func run<Result: Sendable>(
        _ configuration: ServerConfiguration, endsIdle: Bool = false, log: RecordedLog? = nil,
        _ test: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        if !endsIdle { configuration.idleTimeout = .seconds(3_600) }
        let server = try TableServer(
            configuration: configuration, logger: log?.logger ?? TestServer.quiet)
        let group = ServiceGroup(
            configuration: .init(services: [server], logger: TestServer.quiet))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await test(try await server.boundPort()))
            } catch {
                result = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }
}
