import HummingbirdCore
import Synchronization

/// How many connections there are, and whether one more is taken.
///
/// Connections over the limit wait in the system's queue until one ends.
final class ConnectionLimit: AvailableConnectionsDelegate {
    private let countMax: Int
    private let count = Atomic(0)

    init(_ countMax: Int) {
        self.countMax = countMax
    }

    /// How many there are.
    var open: Int { count.load(ordering: .relaxed) }

    func connectionOpened() {
        count.add(1, ordering: .relaxed)
    }

    func connectionClosed() {
        count.subtract(1, ordering: .relaxed)
    }

    func isAcceptingNewConnections() -> Bool {
        open < countMax
    }
}
