public import Foundation
import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle
public import Settle

/// Pages in a browser that show a database while it is used: documents, indexes, changes, the outbox, replications.
///
/// ```swift
/// let inspector = Inspector(of: database) { address in print("Look into it: \(address)") }
/// let running = Task { try await inspector.run() }
/// ```
///
/// It listens on 127.0.0.1 alone and answers only browsers that came with the token in the address, which counts once.
/// A page of elsewhere can neither read nor change anything through it. Nothing is changed by looking; with
/// ``InspectorConfiguration/allowsWriting`` forms change documents, indexes, operations and conflicts.
///
/// It is a service of swift-service-lifecycle: it runs until it is asked to shut down gracefully or its task is
/// cancelled. The database stays open.
public struct Inspector: Service {
    private let configuration: InspectorConfiguration
    private let onListening: @Sendable (URL) -> Void
    private let logger: Logger
    let responder: InspectorResponder

    /// An inspector of one database; nothing is listened on before ``run()``.
    ///
    /// - Parameters:
    ///   - database: The database, which has to stay open while the inspector runs.
    ///   - configuration: How it listens, and what it lets a browser do.
    ///   - logger: Where failures are logged, without contents of documents.
    ///   - onListening: Called with the address that lets one browser in, as soon as it is listened on.
    public init(
        of database: Database, configuration: InspectorConfiguration = InspectorConfiguration(),
        logger: Logger = Logger(label: "settle.inspector"),
        onListening: @escaping @Sendable (URL) -> Void
    ) {
        self.init(
            SingleDatabase(database: database), configuration, logger, onListening)
    }

    /// An inspector of the databases in a directory that this process has open: those of a server of tables, for example.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - configuration: How it listens, and what it lets a browser do.
    ///   - logger: Where failures are logged, without contents of documents.
    ///   - onListening: Called with the address that lets one browser in, as soon as it is listened on.
    public init(
        ofDatabasesIn directory: URL,
        configuration: InspectorConfiguration = InspectorConfiguration(),
        logger: Logger = Logger(label: "settle.inspector"),
        onListening: @escaping @Sendable (URL) -> Void
    ) {
        self.init(
            DirectoryDatabases(directory: directory), configuration, logger, onListening)
    }

    private init(
        _ databases: any InspectedDatabases, _ configuration: InspectorConfiguration,
        _ logger: Logger, _ onListening: @escaping @Sendable (URL) -> Void
    ) {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        var responder = InspectorResponder(
            databases: databases, isWritable: configuration.allowsWriting,
            doorkeeper: Doorkeeper(), templates: TemplateLibrary(),
            metricsReport: configuration.metricsReport, logger: logger)
        responder.isThere = configuration.isThere
        self.responder = responder
    }

    /// Answers browsers until it is told to stop.
    ///
    /// - Throws: ``InspectorError`` when the port cannot be listened on.
    public func run() async throws {
        do {
            try await application.run()
        } catch  where responder.port.number == nil && !(error is CancellationError) {
            throw InspectorError(port: configuration.port, cause: error)
        }
        await responder.finish()
    }

    /// The framework's application.
    var application: Application<InspectorResponder> {
        var quiet = logger
        // The framework's own lines say what is no failure: that a browser went, or was let go of at the end.
        quiet.logLevel = .critical
        let (responder, onListening) = (responder, onListening)
        return Application(
            responder: responder,
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: configuration.port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                responder.port.number = port
                let token = responder.doorkeeper.makeToken()
                if let address = URL(string: "http://127.0.0.1:\(port)/?token=\(token)") {
                    onListening(address)
                }
            }, logger: quiet)
    }
}
