import SettlePrimitives
import Synchronization

/// Refers to an outbox without keeping it.
final class WeakOutbox: Sendable {
    private let state: Lock<Reference>

    private struct Reference {
        weak var outbox: Outbox?
    }

    init(_ outbox: Outbox) {
        state = Lock(Reference(outbox: outbox))
    }

    var value: Outbox? { state.withLock { $0.outbox } }
}
