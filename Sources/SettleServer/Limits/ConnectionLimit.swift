import CoreMetrics
import HummingbirdCore
import Synchronization

/// How many connections there are, and whether one more is taken.
///
/// Connections over the limit wait in the system's queue until one ends.
final class ConnectionLimit: AvailableConnectionsDelegate {
    private let countMax: Int
    private let count = Atomic(0)
    private let meter: Meter?

    /// - Parameters:
    ///   - countMax: How many there may be.
    ///   - meter: What shows how many there are.
    init(_ countMax: Int, meter: Meter? = nil) {
        self.countMax = countMax
        self.meter = meter
    }

    /// How many there are.
    var open: Int { count.load(ordering: .relaxed) }

    func connectionOpened() {
        count.add(1, ordering: .relaxed)
        meter?.increment()
    }

    func connectionClosed() {
        count.subtract(1, ordering: .relaxed)
        meter?.decrement()
    }

    func isAcceptingNewConnections() -> Bool {
        open < countMax
    }
}
