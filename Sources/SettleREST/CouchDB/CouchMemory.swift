import SettlePrimitives
import Synchronization

/// What a back-end of CouchDB's protocol has found out about its server; all of it can be found out again.
final class CouchMemory: Sendable {
    private struct State {
        var lacksBulkGet = false
        var incarnation: String?
        var packedTypes: Set<String> = []
        var takesPacked: Bool?
        var logRevisions: [String: String] = [:]
    }

    private let state = Lock(State())

    /// Whether the server does not know `_bulk_get`.
    var lacksBulkGet: Bool {
        get { state.withLock { $0.lacksBulkGet } }
        set { state.withLock { $0.lacksBulkGet = newValue } }
    }

    /// Whether the server keeps contents of a type packed by gzip, and sends them so in parts.
    func packs(_ type: String) -> Bool {
        state.withLock { $0.packedTypes.contains(type) }
    }

    func notePacking(of type: String) {
        state.withLock { _ = $0.packedTypes.insert(type) }
    }

    /// Whether the server takes bodies that are packed by gzip; nil until one was answered.
    var takesPacked: Bool? {
        get { state.withLock { $0.takesPacked } }
        set { state.withLock { $0.takesPacked = newValue } }
    }

    /// What the server said when a replication began.
    var incarnation: String? {
        get { state.withLock { $0.incarnation } }
        set { state.withLock { $0.incarnation = newValue } }
    }

    /// The revision of a log, which a write of it must name.
    func revision(ofLog name: String) -> String? {
        state.withLock { $0.logRevisions[name] }
    }

    func setRevision(_ revision: String?, ofLog name: String) {
        state.withLock { $0.logRevisions[name] = revision }
    }
}
