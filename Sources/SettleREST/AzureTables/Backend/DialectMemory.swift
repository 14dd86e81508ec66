import SettlePrimitives
import SettleTableProtocol
import Synchronization

/// Remembers which dialect a server was found to speak, and what else it offers, for all requests of
/// a back-end.
///
/// Requests that find it out at the same time find the same; the first to write wins.
final class DialectMemory: Sendable {
    private struct Found {
        var dialect: AzureTablesBackend.Dialect?
        var undeletesByReplacing = false
        /// What the last response that tells offered; nil before the first.
        var features: ServerFeatures?
        /// What was offered and turned out not to be there.
        var refused: ServerFeatures = []
        /// The most rows that the server gives in a page; nil as long as it refused no page for its size.
        var rowCountMax: Int?
    }

    private let found: Lock<Found>

    init(_ dialect: AzureTablesBackend.Dialect?) {
        found = Lock(Found(dialect: dialect))
    }

    /// The dialect, once it is known.
    var dialect: AzureTablesBackend.Dialect? { found.withLock { $0.dialect } }

    /// Keeps what was found out; what was known before stays.
    func keep(_ dialect: AzureTablesBackend.Dialect) {
        found.withLock { $0.dialect = $0.dialect ?? dialect }
    }

    /// The most rows that the server gives in a page, as far as it refused to give more.
    var rowCountMax: Int? { found.withLock { $0.rowCountMax } }

    /// Keeps what the server gives in a page; the least that was found out counts.
    func keepRowCountMax(_ count: Int) {
        found.withLock { $0.rowCountMax = min($0.rowCountMax ?? count, count) }
    }

    /// Whether the server is known to bring items back by PUT only.
    var undeletesByReplacing: Bool { found.withLock { $0.undeletesByReplacing } }

    /// Keeps that the server does not know PATCH.
    func keepUndeletingByReplacing() {
        found.withLock { $0.undeletesByReplacing = true }
    }

    /// What the server offers beside the table protocol; nil before the first response.
    ///
    /// What it announced and then did not know is left out for good: somebody in between lets no
    /// such requests through.
    var features: ServerFeatures? {
        found.withLock { found in found.features.map { $0.subtracting(found.refused) } }
    }

    /// Keeps what a response offers.
    ///
    /// A failure without a word about it may be somebody else's, and changes nothing.
    func keepFeatures(of response: FullHTTPResponse) {
        let features = response.features
        guard features != nil || (200..<300).contains(response.status) else { return }
        found.withLock { $0.features = features ?? [] }
    }

    /// Keeps that nothing is offered as long as no response says so.
    func expectNoFeatures() {
        found.withLock { $0.features = $0.features ?? [] }
    }

    /// Keeps that something is not there, whatever is announced.
    func refuse(_ feature: ServerFeatures) {
        found.withLock { _ = $0.refused.insert(feature) }
    }
}
