import Settle
import SettlePrimitives
import SettleSync
import Synchronization

/// Decides the demo's conflict and remembers what it was shown.
///
/// The lock guards the conflicts.
final class ConflictRecord: Sendable {
    private let shown = Lock<[ReplicationConflict]>([])

    /// What the handler was shown so far.
    var conflicts: [ReplicationConflict] { shown.withLock { $0 } }

    /// A handler that takes the population from here and everything else from the server.
    var handler: ConflictHandler {
        ConflictHandler(mayStop: false) { [self] conflict in
            shown.withLock { $0.append(conflict) }
            guard var merged = conflict.server, let local = conflict.local else { return .leave }
            merged["population"] = local["population"]
            return .use(merged)
        }
    }
}
