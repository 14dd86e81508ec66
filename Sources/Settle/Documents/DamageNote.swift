import SettleDocuments
import SettlePrimitives
import Synchronization

/// Remembers the first damage that was found while the members of a document were read.
final class DamageNote: Sendable {
    private let first = Lock<PackedError?>(nil)

    /// Notes damage, unless there was some before.
    func add(_ error: PackedError) {
        first.withLock { if $0 == nil { $0 = error } }
    }

    /// Throws what was noted.
    func check() throws(PackedError) {
        if let error = first.withLock({ $0 }) { throw error }
    }
}
