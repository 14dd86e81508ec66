import Foundation
import Logging
import SettleInspector
import SettlePrimitives
import SettleServer
import Synchronization

/// Pages in a browser that show the tables of a server, under a path of the server.
struct InspectorPages {
    /// The path.
    static let path = "/inspector"
    /// The claim of a token that lets its bearer look.
    private static let claim = "inspector"

    /// What the server hands its requests to.
    let mounted: MountedPages
    private let counted: CountedServer

    /// Pages for a server with these settings.
    ///
    /// - Throws: `CommandFailure` for tables in PostgreSQL, and for a server that looks at no tokens.
    init(_ settings: ServeSettings, _ logger: Logger) throws {
        guard let directory = settings.directory else {
            throw CommandFailure(
                "--inspector-path shows tables that lie in a folder, and these lie in PostgreSQL.")
        }
        guard !settings.configuration.authentication.letsInEverybody else {
            throw CommandFailure(
                "--inspector-path lets in by tokens, and with --anonymous the server looks at none. "
                    + "--inspector shows the tables on this machine alone.")
        }
        let counted = CountedServer()
        let inspector = MountedInspector(
            ofDatabasesIn: directory, path: Self.path, logger: logger,
            metricsReport: { counted.server?.metricsReport })
        mounted = MountedPages(path: Self.path, claim: Self.claim) { request, ask in
            await inspector.response(to: request) { token in
                switch await ask(token) {
                case .granted(let end): .granted(until: end)
                case .refused(let reason): .refused(reason)
                }
            }
        }
        self.counted = counted
    }

    /// Says whose counts are shown; before, none are.
    func show(countsOf server: TableServer) { counted.server = server }
}

/// The server whose counts are shown, once it is made.
private final class CountedServer: Sendable {
    private let state = Lock<TableServer?>(nil)

    var server: TableServer? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
