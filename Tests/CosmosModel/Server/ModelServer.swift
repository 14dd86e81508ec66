package import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// An account of the model behind HTTP on loopback.
package actor ModelServer {
    /// The account; what it has outlasts a stop.
    package nonisolated let service: ModelService

    private var port: Int
    private var group: ServiceGroup?
    private var task: Task<Void, any Error>?

    /// A server that is not yet started.
    ///
    /// - Parameters:
    ///   - service: The account.
    ///   - port: Where it listens; 0 for any free port.
    package init(service: ModelService = ModelService(), port: Int = 0) {
        self.service = service
        self.port = port
    }

    /// Starts it, on the port of the first start.
    ///
    /// - Returns: The address of the account.
    /// - Throws: What the system says when the port cannot be had.
    package func start() async throws -> URL {
        var logger = Logger(label: "cosmos-model")
        logger.logLevel = .critical
        let (ports, bound) = AsyncStream<Int>.makeStream()
        let application = Application(
            responder: ModelResponder(service: service),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { bound.yield($0.localAddress?.port ?? 0) },
            logger: logger)
        let group = ServiceGroup(services: [application], logger: logger)
        self.group = group
        let task = Task {
            defer { bound.finish() }
            try await group.run()
        }
        self.task = task
        for await port in ports {
            self.port = port
            return Self.address(port)
        }
        try await task.value
        throw CancellationError()
    }

    /// Waits until it has been stopped.
    package func run() async throws { try await task?.value }

    /// Stops it; requests under way are finished.
    package func stop() async throws {
        await group?.triggerGracefulShutdown()
        try await task?.value
        group = nil
        task = nil
    }

    private static func address(_ port: Int) -> URL {
        var parts = URLComponents()
        parts.scheme = "http"
        parts.host = "127.0.0.1"
        parts.port = port
        guard let url = parts.url else { preconditionFailure("A port makes an address.") }
        return url
    }
}
