import Foundation
import Logging
import Settle
import SettleInspector
import SettleServer

/// Pages in a browser that show the tables of a server while it runs.
struct ServedInspector {
    /// The port to listen on; 0 takes a free one.
    let port: Int

    /// Shows the tables of a server until the task is cancelled.
    ///
    /// Nothing can be changed: a table's items have times that only the server gives.
    ///
    /// - Throws: `CommandFailure` for tables in PostgreSQL; what the system throws when the port cannot be listened on.
    func run(
        beside server: TableServer, of settings: ServeSettings, logger: Logger, json: Bool
    ) async throws {
        guard let directory = settings.directory else {
            throw CommandFailure(
                "--inspector shows tables that lie in a folder, and these lie in PostgreSQL.")
        }
        let inspector = Inspector(
            ofDatabasesIn: directory,
            configuration: InspectorConfiguration(
                port: port, metricsReport: { server.metricsReport }),
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
