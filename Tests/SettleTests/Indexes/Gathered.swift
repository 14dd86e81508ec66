import SettlePrimitives
import Synchronization

/// What was told from any thread, in the order it came.
final class Gathered<Element: Sendable>: Sendable {
    private let state = Lock<[Element]>([])

    var elements: [Element] { state.withLock { $0 } }

    func add(_ element: Element) {
        state.withLock { $0.append(element) }
    }
}
