import Synchronization

/// Remembers which dialect a server was found to speak, for all requests of a back-end.
///
/// Requests that find it out at the same time find the same; the first to write wins.
final class DialectMemory: Sendable {
    private struct Found {
        var dialect: AzureTablesBackend.Dialect?
        var undeletesByReplacing = false
    }

    private let found: Mutex<Found>

    init(_ dialect: AzureTablesBackend.Dialect?) {
        found = Mutex(Found(dialect: dialect))
    }

    /// The dialect, once it is known.
    var dialect: AzureTablesBackend.Dialect? { found.withLock { $0.dialect } }

    /// Keeps what was found out; what was known before stays.
    func keep(_ dialect: AzureTablesBackend.Dialect) {
        found.withLock { $0.dialect = $0.dialect ?? dialect }
    }

    /// Whether the server is known to bring items back by PUT only.
    var undeletesByReplacing: Bool { found.withLock { $0.undeletesByReplacing } }

    /// Keeps that the server does not know PATCH.
    func keepUndeletingByReplacing() {
        found.withLock { $0.undeletesByReplacing = true }
    }
}
