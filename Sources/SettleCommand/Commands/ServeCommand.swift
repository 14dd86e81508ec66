import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import Settle
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

            Beside the tables it answers /healthz (it runs), /readyz (it can work) and /metrics \
            (counters for Prometheus, without anything of a document), all without a token.

            The server runs until it is interrupted; it then finishes the requests that are under \
            way, closes its databases, and ends with status 0.

            Examples:
              settle serve --directory ./server --anonymous
              settle serve --directory ./server --secret-file secret --port 8080
              settle serve --directory ./server --jwks https://id.example.com/jwks.json \
                --audience tables --rules rules.json --tls-certificate chain.pem --tls-key key.pem
              settle sync ./shop http://127.0.0.1:8080/tables/items
            """)

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

    @Option(help: ArgumentHelp("The name or address to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port to listen on; 0 takes a free one.", valueName: "port"),
        transform: CountArgument.port(parsing:))
    var port: UInt16 = 8_080

    @OptionGroup(title: "Who may come") var access: ServeAccessOptions

    @OptionGroup(title: "Browsers") var browsers: ServeBrowserOptions

    @OptionGroup(title: "TLS") var tls: ServeTLSOptions

    @OptionGroup(title: "Limits") var limits: ServeLimitOptions

    @Option(
        help: ArgumentHelp(
            "The version of the protocol of requests that name none; else they are refused.",
            valueName: "version"))
    var versionWhenMissing: VersionArgument?

    @Flag(help: "Do not answer /metrics.")
    var noMetrics = false

    @Flag(help: "Print a line on standard error for each request; no contents of documents.")
    var verbose = false

    @Option(help: "How lines of the log are written on standard error.")
    var logFormat = LogFormatArgument.text

    @Flag(help: "Say where the server listens as a JSON object.")
    var json = false

    func validate() throws {
        guard directory?.isEmpty != true else {
            throw ValidationError("--directory needs the name of a folder, and got nothing.")
        }
        guard (directory == nil) != (postgres == nil) else {
            throw ValidationError(
                "Say where the tables are kept: in a folder (--directory) or in PostgreSQL "
                    + "(--postgres).")
        }
        guard postgres.map(StoreArgument.isDatabase) ?? true else {
            throw ValidationError(
                "--postgres needs an address such as postgres://settle@db.example.com/settle.")
        }
    }

    func perform() async throws {
        let server = try TableServer(configuration: try configuration(), logger: logger())
        let running = RunningServer(server, logger: logger())
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup { group in
                group.addTask { try await running.finish() }
                group.addTask { try announce(port: try await server.boundPort()) }
                try await group.waitForAll()
            }
        } onCancel: {
            running.stop()
        }
    }

    private func configuration() throws -> ServerConfiguration {
        guard let store = (directory ?? postgres).flatMap(StoreArgument.init) else {
            preconditionFailure("What was not named was refused before.")
        }
        var configuration = ServerConfiguration(
            store: store.store, host: host, port: Int(port),
            authentication: try access.authentication())
        configuration.rules = try access.accessRules()
        configuration.tls = tls.files
        configuration.versionWhenMissing = versionWhenMissing?.version
        configuration.servesMetrics = !noMetrics
        browsers.apply(to: &configuration)
        limits.apply(to: &configuration)
        return configuration
    }

    private func logger() -> Logger {
        var logger = Logger(label: "settle.server") { [logFormat] label in
            switch logFormat {
            case .text: StreamLogHandler.standardError(label: label)
            case .json: JSONLogHandler()
            }
        }
        logger.logLevel = verbose ? .info : .warning
        return logger
    }

    private func announce(port: Int) throws {
        // An address with colons is version 6, and stands in brackets in a URL.
        let shown = host.contains(":") ? "[\(host)]" : host
        let address = "\(tls.files == nil ? "http" : "https")://\(shown):\(port)"
        let output = Output()
        if json {
            try output.line(
                JSONRendering.compact(["url": .string(address), "port": .integer(Int64(port))]))
        } else {
            let store = directory ?? postgres.map(StoreArgument.withoutPassword) ?? ""
            try output.line("Serving \(store) on \(address)/tables/NAME")
            try output.line(access.summary)
            try output.line("Ctrl-C ends it.")
        }
        try output.flush()
    }
}
