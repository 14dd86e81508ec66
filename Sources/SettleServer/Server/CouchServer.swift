public import Foundation
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle
import SettlePrimitives
import Synchronization

/// Serves databases over HTTP in CouchDB's protocol, for whatever replicates with CouchDB.
///
/// Each database is a Settle database in the directory, made when a client makes it. Nobody is asked for a
/// token: whoever reaches the port may read and write everything, so it belongs on a loopback
/// address. Pages in a browser are kept out as they are of a ``TableServer`` without tokens. Docs/Guides/CouchDB.md
/// says what is answered, and what is not.
public final class CouchServer: Service, Sendable {
    /// Where a server listens, and what it serves.
    public struct Configuration: Sendable {
        /// The directory of the databases; made when it is not there.
        public var directory: URL
        /// The name or address to listen on.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 takes a free one.
        public var port = 5_984
        /// Names that requests may call the server by, beside its address.
        public var hostNames: [String] = []
        /// The longest body of a request, in bytes.
        public var bodyMaxBytes = 64 << 20

        /// A configuration of a directory, with CouchDB's port on this machine.
        public init(directory: URL) {
            self.directory = directory
        }
    }

    private let configuration: Configuration
    private let logger: Logger
    private let port = BoundPort()
    private let hasRun = Lock(false)

    /// Makes a server; nothing is opened before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: Where it listens, and what it serves.
    ///   - logger: Where failures of the framework are logged, never contents of documents.
    public init(
        configuration: Configuration, logger: Logger = Logger(label: "settle.couchdb")
    ) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Serves until it is told to stop, then closes the databases.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when a host is none, `alreadyRun` at a second
    ///   call; what the directory or the address cannot be used for.
    public func run() async throws {
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

    /// The port the server listens on, as soon as it does.
    ///
    /// - Returns: The port; the one of the configuration unless that is 0.
    /// - Throws: The error of ``run()`` when the server does not come to listening; `CancellationError`.
    public func boundPort() async throws -> Int {
        try await port.value
    }

    /// How connections are spoken on: HTTP/1.1, with bodies that may come packed by gzip.
    private var channels: HTTPServerBuilder {
        let unpackedBytesMax = configuration.bodyMaxBytes
        return HTTPServerBuilder { responder in
            TableChannel(HTTP1Channel(responder: responder), unpackedBytesMax: unpackedBytesMax)
        }
    }

    private func serve() async throws {
        let origins = try OriginPolicy(
            host: configuration.host, hostNames: configuration.hostNames, sharing: nil)
        let databases = try CouchDatabases(directory: configuration.directory)
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .error)
        let port = port
        let feeds = CouchFeeds()
        let application = Application(
            responder: CouchHTTPResponder(
                responder: CouchResponder(databases), origins: origins, feeds: feeds,
                bodyMaxBytes: configuration.bodyMaxBytes), server: channels,
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in
                port.resolve(.success(channel.localAddress?.port ?? 0))
            },
            logger: quiet)
        let stop = StopSignal()
        var group = ServiceGroupConfiguration(
            services: [
                .init(service: application),
                .init(service: stop, successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            logger: quiet)
        group.maximumGracefulShutdownDuration = .seconds(30)
        let services = ServiceGroup(configuration: group)
        var failure: (any Error)?
        do {
            // A task of its own, which is not cancelled when ours is.
            let running = Task { try await services.run() }
            try await withTaskCancellationHandler {
                try await withGracefulShutdownHandler {
                    try await running.value
                } onGracefulShutdown: {
                    feeds.end()
                    stop.send()
                }
            } onCancel: {
                feeds.end()
                stop.send()
            }
        } catch {
            failure = error
        }
        feeds.end()
        await databases.close()
        if let failure { throw failure }
    }
}
