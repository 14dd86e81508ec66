import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Settle
import SettlePrimitives
import Synchronization

/// The run of a server, whatever it serves: once, until it is told to stop in whichever way.
final class ServerRun: Sendable {
    /// The port that the server listens on.
    let port = BoundPort()
    let shutdown = ShutdownWatch()
    private let hasRun = Lock(false)

    /// How long requests that are under way may take when the server stops.
    private static let shutdownMax = Duration.seconds(30)

    /// Serves, and tells those who wait for the port when that fails.
    ///
    /// - Parameter serve: Serves until it is told to stop, and ends what it began.
    /// - Throws: ``ServerError`` with `alreadyRun` at a second call; what `serve` throws.
    func once(_ serve: () async throws -> Void) async throws {
        let isFirst = hasRun.withLock { hasRun in
            defer { hasRun = true }
            return !hasRun
        }
        guard isFirst else {
            throw ServerError(.alreadyRun, "A server runs only once; make a new one.")
        }
        do {
            try await serve()
        } catch {
            port.resolve(.failure(error))
            throw error
        }
        port.resolve(
            .failure(ServerError(.stopped, "The server was stopped before it listened.")))
    }

    /// Runs the framework's application until we are told to stop.
    ///
    /// - Parameters:
    ///   - application: The application.
    ///   - logger: Where failures of the framework are logged.
    ///   - onStop: Called, at least once, when the server is told to stop.
    /// - Throws: What the application throws.
    func run(
        _ application: some Service, _ logger: Logger, onStop: @escaping @Sendable () -> Void = {}
    ) async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .error)
        let stop = StopSignal()
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: application),
                .init(service: stop, successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            logger: quiet)
        // A client that has stopped reading must not keep the server for ever.
        configuration.maximumGracefulShutdownDuration = Self.shutdownMax
        let group = ServiceGroup(configuration: configuration)
        let end: @Sendable () -> Void = { [shutdown] in
            shutdown.begin()
            onStop()
            stop.send()
        }
        // A task of its own, which is not cancelled when ours is.
        let running = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await running.value
            } onGracefulShutdown: {
                end()
            }
        } onCancel: {
            end()
        }
    }

    /// What a server throws for an error of its run: one of the network says what to do about it.
    static func translated(
        _ error: any Error, listeningOn host: String, port: Int
    ) -> any Error {
        switch error {
        case is ServerError, is DatabaseError, is CancellationError: return error
        default: break
        }
        let reason: String
        switch (error as? IOError)?.errnoCode {
        case _ where error is SocketAddressError.UnknownHost:
            reason =
                "no machine is known by that name; give an address of this machine, such as "
                + "127.0.0.1, or a name that stands for one"
        case EADDRINUSE?: reason = "another program listens there; choose another port"
        case EACCES?, EPERM?: reason = "this user may not; choose a port from 1024 on"
        case EADDRNOTAVAIL?: reason = "this machine does not have that address"
        default: reason = "\(error)"
        }
        return ServerError(
            .addressUnusable, "The server cannot listen on \(host):\(port): \(reason).",
            cause: error)
    }
}
