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
            something is first stored. Fill one with 'settle sync'.

            Clients show a token signed with the secret; its claim "channels" limits what they see \
            and write ('settle token' makes one to try). With --anonymous everybody who reaches the \
            port may read and write everything.

            The server runs until it is interrupted; it then finishes the requests that are under \
            way, closes its databases, and ends with status 0.

            Examples:
              settle serve --directory ./server --anonymous
              settle serve --directory ./server --secret-file secret --port 8080
              settle sync ./shop http://127.0.0.1:8080/tables/items
            """)

    @Option(
        help: ArgumentHelp(
            "Where the tables are kept; made when it is not there.", valueName: "folder"),
        completion: .directory)
    var directory: String

    @Option(help: ArgumentHelp("The name or address to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("The port to listen on; 0 takes a free one.", valueName: "port"))
    var port: UInt16 = 8_080

    @Option(
        help: ArgumentHelp("The largest document to take, in bytes.", valueName: "bytes"))
    var bodyMax = 20 << 20

    @Option(
        help: ArgumentHelp(
            "The largest content of an attachment to take, in bytes.", valueName: "bytes"))
    var attachmentMax = 256 << 20

    @OptionGroup var secretOptions: SecretOptions

    @Flag(help: "Let everybody in, without tokens.")
    var anonymous = false

    @Flag(help: "Print a line on standard error for each request; no contents of documents.")
    var verbose = false

    @Flag(help: "Say where the server listens as a JSON object.")
    var json = false

    func validate() throws {
        guard !directory.isEmpty else {
            throw ValidationError("--directory needs the name of a folder, and got nothing.")
        }
    }

    func perform() async throws {
        let server = try TableServer(
            configuration: ServerConfiguration(
                directory: URL(fileURLWithPath: directory, isDirectory: true), host: host,
                port: Int(port), authentication: try authentication(), bodyMaxBytes: bodyMax,
                attachmentMaxBytes: attachmentMax),
            logger: logger())
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

    private func authentication() throws -> Authentication {
        if anonymous {
            guard secretOptions.secretFile == nil else {
                throw ValidationError("--anonymous and --secret-file exclude each other.")
            }
            return .anonymous
        }
        guard let secret = try secretOptions.secret() else {
            throw ValidationError(
                "Say how clients show who they are: with tokens (--secret-file, or "
                    + "\(SecretOptions.variable) in the environment) or not at all (--anonymous).")
        }
        return .jwt(secret: secret)
    }

    private func logger() -> Logger {
        var logger = Logger(label: "settle.server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = verbose ? .info : .warning
        return logger
    }

    private func announce(port: Int) throws {
        // An address with colons is version 6, and stands in brackets in a URL.
        let shown = host.contains(":") ? "[\(host)]" : host
        let address = "http://\(shown):\(port)"
        let output = Output()
        if json {
            try output.line(
                JSONRendering.compact(["url": .string(address), "port": .integer(Int64(port))]))
        } else {
            try output.line("Serving \(directory) on \(address)/tables/NAME")
            try output.line(
                anonymous ? "Everybody may read and write." : "Clients need a token.")
            try output.line("Ctrl-C ends it.")
        }
        try output.flush()
    }
}
