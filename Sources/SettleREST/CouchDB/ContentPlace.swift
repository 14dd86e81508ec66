import SettlePrimitives
import Synchronization

/// How far content was fetched; the closure of a stream is called by one task at a time.
final class ContentPlace: Sendable {
    private let place = Lock(0)

    var offset: Int { place.withLock { $0 } }

    func advance(by count: Int) {
        place.withLock { $0 += count }
    }
}
