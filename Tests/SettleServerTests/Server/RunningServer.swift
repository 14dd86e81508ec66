import Foundation
import HummingbirdTesting
import ServiceLifecycle
import TestSupport

@testable import SettleServer

/// A server on a socket, as a service among others.
enum RunningServer {
    /// Runs a server that can be looked into, and a test with its port and what answers.
    static func runOpen(
        _ configuration: ServerConfiguration,
        _ test: @escaping @Sendable (Int, TableResponder) async throws -> Void
    ) async throws {
        let server = try TableServer(configuration: configuration, logger: TestServer.quiet)
        let parts = try await server.makeParts()
        let result: Swift.Result<Void, any Error>
        do {
            try await server.application(parts.responder).test(.live) { client in
                try await test(client.port ?? 0, parts.responder)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await parts.store.close()
        await parts.responder.intake.threads.end()
        try result.get()
    }

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
