import SettleIndexing
import Synchronization

/// Which documents the rows of an observed query show, and where.
///
/// A place may be listed that shows the document no more; it is then looked at in vain.
final class ShownDocuments: Sendable {
    private let places = Mutex<[String: Set<ItemKey>]>([:])

    /// The places at which a document may be shown.
    func places(of id: String) -> Set<ItemKey> {
        places.withLock { $0[id] ?? [] }
    }

    /// Notes that a document is shown.
    func add(_ id: String, at place: ItemKey) {
        places.withLock { _ = $0[id, default: []].insert(place) }
    }

    /// Forgets everything.
    func removeAll() {
        places.withLock { $0 = [:] }
    }
}
