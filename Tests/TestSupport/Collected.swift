import SettlePrimitives
import Synchronization

/// Collects what comes, from any task.
package final class Collected<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])

    package init() {}

    package var all: [Element] { elements.withLock { $0 } }

    package func add(_ element: Element) {
        elements.withLock { $0.append(element) }
    }
}
