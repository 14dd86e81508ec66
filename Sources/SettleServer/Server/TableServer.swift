import CoreMetrics
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
public import ServiceLifecycle
import Settle

/// Serves tables of documents over HTTP, in the table protocol of Azure Mobile Apps.
///
/// Tables lie in the store of the configuration, by default in a Settle database each. A server is a service
/// of swift-service-lifecycle: it runs until it is asked to shut down gracefully or its task is
/// cancelled, which is the same here: it finishes the requests that are under way and closes its
/// databases.
///
/// ```swift
/// let server = try TableServer(configuration: configuration)
/// try await withThrowingTaskGroup(of: Void.self) { group in
///     group.addTask { try await server.run() }
///     let port = try await server.boundPort()
///     print("http://127.0.0.1:\(port)/tables/NAME")
///     try await group.waitForAll()
/// }
/// ```
///
/// > Source: the table protocol 2.0.0; where this server differs, the guide `Server.md` says so.
public final class TableServer: Service, Sendable {
    private let configuration: ServerConfiguration
    private let logger: Logger
    private let life = ServerRun()
    private let metrics: ServerMetrics
    private let metricsText: MetricsText?
    private let connections: ConnectionLimit
    private let clients = Connections()

    /// Makes a server; nothing is opened before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: Where it listens, what it stores and whom it lets in.
    ///   - logger: Where requests are logged: method, path template, status and duration, never
    ///     contents of documents.
    /// - Throws: ``ServerError`` with `invalidConfiguration` for a number out of its range.
    public init(
        configuration: ServerConfiguration, logger: Logger = Logger(label: "settle.server")
    ) throws {
        try configuration.check()
        self.configuration = configuration
        self.logger = logger
        // Looked up when the server is made, so that an app can choose before.
        let factory = configuration.metrics ?? MetricsSystem.factory
        let text = configuration.servesMetrics ? MetricsText() : nil
        metricsText = text
        metrics = ServerMetrics(
            text.map { MultiplexMetricsHandler(factories: [$0, factory]) } ?? factory,
            bodyBytesMax: max(configuration.bodyMaxBytes, configuration.attachmentMaxBytes))
        connections = ConnectionLimit(
            configuration.connectionsMax, meter: metrics.connections)
    }

    /// Serves until it is told to stop, then closes the databases.
    ///
    /// - Throws: ``ServerError`` with `directoryUnusable`, `directoryInUse` (by another server),
    ///   `storeUnusable`, `addressUnusable` or `invalidConfiguration` (a short secret, a bad key set,
    ///   files for TLS that cannot be used, a host or an origin that is none) when it cannot start, and
    ///   `alreadyRun` at a second call.
    public func run() async throws {
        try await life.once { try await serve() }
    }

    /// The port the server listens on, as soon as it does.
    ///
    /// - Returns: The port; the one of the configuration unless that is 0.
    /// - Throws: The error of ``run()`` when the server does not come to listening; ``ServerError`` with
    ///   `stopped` when it was stopped before;
    ///   `CancellationError` when the waiting task is cancelled.
    public func boundPort() async throws -> Int {
        try await life.port.value
    }

    /// What the server has counted until now, as `/metrics` answers it; nil when it does not serve metrics.
    public var metricsReport: String? { metricsText?.text }

    private func serve() async throws {
        let parts = try await makeParts()
        var failure: (any Error)?
        do {
            try await life.run(try application(parts.responder), logger)
        } catch {
            failure = error
        }
        life.shutdown.begin()
        await parts.store.close()
        await parts.responder.intake.threads.end()
        if let failure {
            throw ServerRun.translated(
                failure, listeningOn: configuration.host, port: configuration.port)
        }
    }

    /// What a running server is made of: the store, and the responder over them.
    func makeParts() async throws -> (store: any TableStore, responder: TableResponder) {
        let authenticator = try await Authenticator(
            configuration.authentication, now: configuration.now, logger: logger,
            pace: configuration.keyPace, elapsed: configuration.elapsed)
        let access = Access(rules: configuration.rules)
        let origins = try OriginPolicy(
            host: configuration.host, hostNames: configuration.hostNames,
            sharing: configuration.crossOriginSharing)
        let turns = WorkTurns()
        let store = try await configuration.store.open(
            ServerStore.Settings(
                tableCountMax: configuration.tableCountMax, indexes: { access.indexes(of: $0) },
                turns: turns))
        let threads = WorkThreads(turns: turns, clock: configuration.clock)
        let memoryReturn = MemoryReturn(clock: configuration.clock)
        let responder = TableResponder(
            store: store, authenticator: authenticator, origins: origins, access: access,
            limiter: configuration.rateLimit.map {
                RateLimiter($0, elapsed: configuration.elapsed)
            }, metrics: metrics,
            metricsText: metricsText, shutdown: life.shutdown,
            liveReaders: LiveReaders(countMax: max(1, configuration.connectionsMax / 2)),
            limits: PageLimits(
                defaultCount: configuration.pageSizeDefault, countMax: configuration.topMax),
            versionWhenMissing: configuration.versionWhenMissing,
            intake: configuration.intake(threads) { memoryReturn.note() },
            answers: LargeResponses(
                memory: SharedCapacity(
                    total: configuration.answerMemoryMaxBytes, keepsRoom: true,
                    clock: configuration.clock, onIdle: { memoryReturn.note() }),
                threads: threads, clock: configuration.clock), clients: clients,
            attachmentMaxBytes: configuration.attachmentMaxBytes,
            mountedPages: configuration.mountedPages, now: configuration.now,
            clock: configuration.clock, logger: logger)
        return (store, responder)
    }

    /// The framework's application over a responder.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` when the files for TLS cannot be used.
    func application(_ responder: TableResponder) throws -> Application<TableResponder> {
        // The framework's own lines at level info would say things twice.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let port = life.port
        return Application(
            responder: responder, server: try channels(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: connections),
            onServerRunning: { channel in
                // One at a time, so that the limit is looked at before each.
                try? await channel.setOption(.maxMessagesPerRead, value: 1).get()
                port.resolve(.success(channel.localAddress?.port ?? 0))
            },
            logger: quiet)
    }

    /// How connections are spoken on: HTTP/1.1, with TLS or without.
    private func channels() throws -> HTTPServerBuilder {
        let idle = configuration.idleTimeout / .milliseconds(1)
        let unpackedBytesMax = max(configuration.bodyMaxBytes, configuration.attachmentMaxBytes)
        let clients = clients
        let plain = HTTPServerBuilder { responder in
            TableChannel(
                HTTP1Channel(
                    responder: responder,
                    configuration: HTTP1Channel.Configuration(
                        additionalChannelHandlers: [clients.handler()],
                        idleTimeout: .milliseconds(Int64(idle)))),
                unpackedBytesMax: unpackedBytesMax)
        }
        guard let tls = configuration.tls else { return plain }
        return try .tls(plain, tlsConfiguration: try tls.configuration())
    }
}
