import ArgumentParser
import Foundation
import Logging
import Settle
import SettleInspector
import SettleServer

/// Whether a server can be looked into with a browser.
struct ServeInspectorOptions: ParsableArguments {
    @Flag(
        name: .customLong("inspector"),
        help: "Print a second address, on this machine alone, that shows the tables in a browser.")
    var isOn = false

    @Option(
        name: .customLong("inspector-port"), parsing: .unconditional,
        help: ArgumentHelp("The port of that address; 0 takes a free one.", valueName: "port"),
        transform: CountArgument.port(parsing:))
    var port: UInt16?

    /// Refuses a port for an inspector that there is none of.
    ///
    /// - Throws: `ValidationError`.
    func check() throws {
        guard port == nil || isOn else {
            throw ValidationError("--inspector-port is for --inspector, which is not given.")
        }
    }

    /// Shows the tables of a server until the task is cancelled, if that is wanted.
    ///
    /// Nothing can be changed: a table's items have times that only the server gives.
    ///
    /// - Throws: `CommandFailure` for tables in PostgreSQL; what the system throws when the port cannot be listened on.
    func run(
        beside server: TableServer, of settings: ServeSettings, logger: Logger, json: Bool
    ) async throws {
        guard isOn else { return }
        guard let directory = settings.directory else {
            throw CommandFailure(
                "--inspector shows tables that lie in a folder, and these lie in PostgreSQL.")
        }
        let inspector = Inspector(
            ofDatabasesIn: directory,
            configuration: InspectorConfiguration(
                port: Int(port ?? 0), metricsReport: { server.metricsReport }),
            logger: logger
        ) { address in
            // A reader that has gone has no use for the address.
            try? Self.announce(address, json: json)
        }
        do {
            try await inspector.run()
        } catch  where Task.isCancelled {
            // The server ends, and this with it.
        }
    }

    private static func announce(_ address: URL, json: Bool) throws {
        let output = Output()
        try output.line(
            json
                ? JSONRendering.compact(["inspector": .string(address.absoluteString)])
                : "Look into it, with one browser, at \(address.absoluteString)")
        try output.flush()
    }
}
