import SettleIndexing
import SettlePrimitives
import Synchronization

/// Which documents the rows of an observed query show, and where.
///
/// A place may be listed that shows the document no more; it is then looked at in vain.
final class ShownDocuments: Sendable {
    private struct State {
        var places: [String: Set<RowPosition>] = [:]
        var count = 0
    }
    private let state = Lock(State())

    /// How many places are known.
    var count: Int { state.withLock { $0.count } }

    /// The places at which a document may be shown.
    func places(of id: String) -> Set<RowPosition> {
        state.withLock { $0.places[id] ?? [] }
    }

    /// Notes that a document is shown.
    func add(_ id: String, at place: RowPosition) {
        state.withLock { state in
            if state.places[id, default: []].insert(place).inserted { state.count += 1 }
        }
    }

    /// Forgets everything.
    func removeAll() {
        state.withLock { $0 = State() }
    }
}
