import ArgumentParser
import Configuration
import Foundation
import Logging
import ServiceLifecycle
import Settle
import SettleHosting
import SettleServer

/// `settle serve`: the table server.
struct ServeCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve tables that databases replicate with.",
        discussion: """
            The server keeps its tables in a directory of its own, a database for each, made when \
            something is first stored. Fill one with 'settle sync'. With --postgres they lie in a \
            PostgreSQL database, over which any number of servers may run ('settle copy-tables' \
            brings them there).

            Clients show a token, signed with the secret (--secret-file) or with a key of a key set \
            (--jwks); its claim "channels" limits what they see and write, or --rules say who may \
            do what ('settle token' makes a token to try). With --anonymous alone everybody who \
            reaches the port may read and write everything.

            Pages in a browser are kept out of a server without tokens: requests of pages from \
            elsewhere are refused, and so are those that call the server by a name it does not know \
            (--host-name gives it more). --cors-origin lets the pages of an origin in.

            One server at a time is at work in a directory; a second one does not start.

            With --inspector a second address, on this machine alone, shows the tables in a browser as \
            'settle inspect' shows a database; nothing can be changed there. With --inspector-path the same \
            pages are at /inspector of the server, from wherever it is reached, for requests with a \
            token that has the claim "inspector": true ('settle token --claim inspector:=true').

            Beside the tables it answers /healthz (it runs), /readyz (it can work) and /metrics \
            (counters for Prometheus, without anything of a document), all without a token.

            Every setting can also be given in the environment and in a file (--config): \
            --body-max 1000 is SETTLE_BODY_MAX=1000 and {"bodyMax":1000}. Options count before the \
            environment, and that before the file; --print-config lists all settings, their values \
            and where those come from.

            The server runs until it is interrupted; it then finishes the requests that are under \
            way, closes its databases, and ends with status 0.

            Examples:
              settle serve --directory ./server --anonymous
              settle serve --directory ./server --secret-file secret --port 8080
              settle serve --directory ./server --jwks keys.json --audience tables
              settle serve --directory ./server --secret-file secret --rules rules.json
              settle serve --config settle.json --print-config
              settle sync ./shop http://127.0.0.1:8080/tables/items
            """)

    @Option(
        help: ArgumentHelp(
            """
            A JSON file with settings, each a member. Without it the environment variable \
            \(SettingSources.fileVariable) names it.
            """, valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(
        help: """
            Print all settings with their values and where those come from, and start nothing. Ends \
            with status 1 when no server would start with them.
            """)
    var printConfig = false

    @Option(
        help: ArgumentHelp(
            "Where the tables are kept; made when it is not there.", valueName: "folder"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "The PostgreSQL database that keeps the tables, for several servers at once; a password "
                + "is best left to PGPASSWORD or a .pgpass file.", valueName: "url"))
    var postgres: String?

    @Option(
        help: ArgumentHelp(
            "The name or address to listen on. (default: 127.0.0.1)", valueName: "host"))
    var host: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The port to listen on; 0 takes a free one. (default: 8080)", valueName: "port"),
        transform: CountArgument.port(parsing:))
    var port: UInt16?

    @OptionGroup(title: "CouchDB's protocol") var couch: ServeCouchOptions

    @OptionGroup(title: "Authorization") var access: ServeAccessOptions

    @OptionGroup(title: "Browsers") var browsers: ServeBrowserOptions

    @OptionGroup(title: "TLS") var tls: ServeTLSOptions

    @OptionGroup(title: "Limits") var limits: ServeLimitOptions

    @Option(
        help: ArgumentHelp(
            "The version of the protocol of requests that name none; else they are refused.",
            valueName: "version"))
    var versionWhenMissing: VersionArgument?

    @Flag(inversion: .prefixedNo, help: "Answer /metrics, without a token. (default: --metrics)")
    var metrics: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Print a line on standard error for each request; no contents of documents.")
    var verbose: Bool?

    @Option(help: "How lines of the log are written on standard error. (default: text)")
    var logFormat: LogFormatArgument?

    @OptionGroup(title: "Inspector") var inspector: ServeInspectorOptions

    @Flag(help: "Say where the server listens as a JSON object.")
    var json = false

    func validate() throws {
        try inspector.check()
        guard directory?.isEmpty != true else {
            throw ValidationError("--directory needs the name of a folder, and got nothing.")
        }
        try couch.check(directory)
    }

    func perform() async throws {
        let environment = ProcessInfo.processInfo.environment
        let (reader, sources) = try SettingSources.settings(
            options, file: config, environment: environment)
        for sentence in SettingSources.misspellings(in: environment) {
            StandardError.line("Warning: \(sentence)")
        }
        do {
            if printConfig {
                try printSettings(try await SettingsListing(reader, sources))
                // What does not go together would not start, which the listing alone does not tell.
                _ = try await ServeSettings(reader)
            } else {
                try await serve(try await ServeSettings(reader))
            }
        } catch let fault as SettingFault {
            throw sources.error(for: fault)
        }
    }

    /// The settings that were given on the command line.
    private var options: [ServerSetting: ConfigContent?] {
        let own: [ServerSetting: ConfigContent?] = [
            .directory: directory.map { .string($0) }, .postgres: postgres.map { .string($0) },
            .host: host.map { .string($0) }, .port: port.map { .int(Int($0)) },
            .versionWhenMissing: versionWhenMissing.map { .string($0.rawValue) },
            .metrics: metrics.map { .bool($0) }, .verbose: verbose.map { .bool($0) },
            .logFormat: logFormat.map { .string($0.rawValue) },
        ]
        return [access.settings, browsers.settings, tls.settings, limits.settings].reduce(own) {
            $0.merging($1) { $1 }
        }
    }

    private func printSettings(_ listing: SettingsListing) throws {
        let output = Output()
        if json {
            try output.line(JSONRendering.compact(listing.json))
        } else {
            for line in listing.lines(on: Screen.plain) { try output.line(line) }
        }
        try output.flush()
    }

    private func serve(_ settings: ServeSettings) async throws {
        let logger = logger(settings)
        let server = try tableServer(settings, logger)
        let couch = try couchServer(settings, logger)
        let running = RunningServer(server, beside: couch, logger: logger)
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup { group in
                group.addTask { try await running.finish() }
                group.addTask {
                    try announce(
                        settings, port: try await server.boundPort(),
                        couchPort: try await couch?.boundPort())
                    guard inspector.isOn else { return }
                    try await ServedInspector(port: Int(inspector.port ?? 0)).run(
                        beside: server, of: settings, logger: logger, json: json)
                }
                do {
                    try await group.waitForAll()
                } catch {
                    running.stop()
                    throw error
                }
            }
        } onCancel: {
            running.stop()
        }
    }

    /// The server of tables, with pages that show them when there are to be some.
    private func tableServer(_ settings: ServeSettings, _ logger: Logger) throws -> TableServer {
        guard inspector.isMounted else {
            return try TableServer(configuration: settings.configuration, logger: logger)
        }
        let pages = try InspectorPages(settings, logger)
        var configuration = settings.configuration
        configuration.mountedPages = pages.mounted
        let server = try TableServer(configuration: configuration, logger: logger)
        pages.show(countsOf: server)
        return server
    }

    /// The server of CouchDB's protocol, when there is to be one.
    private func couchServer(_ settings: ServeSettings, _ logger: Logger) throws -> CouchServer? {
        guard let port = couch.port, let directory else { return nil }
        var configuration = CouchServer.Configuration(
            directory: URL(fileURLWithPath: directory, isDirectory: true)
                .appendingPathComponent("couchdb", isDirectory: true))
        configuration.host = settings.configuration.host
        configuration.port = Int(port)
        configuration.replicator = CouchReplication()
        configuration.replicationHosts = couch.replicationHosts
        configuration.hostNames = settings.configuration.hostNames
        configuration.crossOriginSharing = settings.configuration.crossOriginSharing
        configuration.authentication = settings.configuration.authentication
        configuration.rules = settings.configuration.rules
        configuration.tls = settings.configuration.tls
        return CouchServer(configuration: configuration, logger: logger)
    }

    private func logger(_ settings: ServeSettings) -> Logger {
        var logger = Logger(label: "settle.server") { [logFormat = settings.logFormat] label in
            switch logFormat {
            case .text: StreamLogHandler.standardError(label: label)
            case .json: JSONLogHandler()
            }
        }
        logger.logLevel = settings.isVerbose ? .info : .warning
        return logger
    }

    private func announce(_ settings: ServeSettings, port: Int, couchPort: Int?) throws {
        // An address with colons is version 6, and stands in brackets in a URL.
        let host = settings.configuration.host
        let shown = host.contains(":") ? "[\(host)]" : host
        let scheme = settings.configuration.tls == nil ? "http" : "https"
        let address = "\(scheme)://\(shown):\(port)"
        let couch = couchPort.map { "\(scheme)://\(shown):\($0)" }
        let output = Output()
        if json {
            var members: [String: JSONValue] = [
                "url": .string(address), "port": .integer(Int64(port)),
            ]
            if let couch { members["couchdb"] = .string(couch) }
            if inspector.isMounted {
                members["inspectorPath"] = .string(address + InspectorPages.path)
            }
            try output.line(JSONRendering.compact(.object(members)))
        } else {
            try output.line(
                ScreenText.printable("Serving \(settings.storeShown) on \(address)/tables/NAME"))
            if let couch { try output.line("CouchDB's protocol on \(couch)") }
            if inspector.isMounted {
                try output.line(
                    "Look into it with a token that claims 'inspector', at \(address)\(InspectorPages.path)"
                )
            }
            try output.line(settings.summary)
            try output.line("Ctrl-C ends it.")
        }
        try output.flush()
    }
}
