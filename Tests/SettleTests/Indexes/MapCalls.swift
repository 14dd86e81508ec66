import Settle
import SettlePrimitives
import Synchronization

/// Counts the calls of map closures, by document.
final class MapCalls: Sendable {
    private let counts = Lock<[String: Int]>([:])

    /// How often each document was mapped.
    var byDocument: [String: Int] { counts.withLock { $0 } }

    /// The number of all calls.
    var total: Int { byDocument.values.reduce(0, +) }

    /// Counts a call.
    ///
    /// - Returns: The number of calls now.
    @discardableResult
    func note(_ id: String) -> Int {
        counts.withLock { counts in
            counts[id, default: 0] += 1
            return counts.values.reduce(0, +)
        }
    }

    /// Begins to count anew.
    func reset() {
        counts.withLock { $0 = [:] }
    }

    /// An index over one member, whose value is the identifier, that counts the calls of its map.
    ///
    /// Before a row is added, `atCall` is told the number of the call.
    func index(
        _ name: String = "i", version: String = "1", of member: String = "n",
        atCall: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> Database.Index {
        Database.Index(name: name, version: version, builtInReduce: .count) {
            [self] document, addIndexRow in
            atCall(note(document.id))
            addIndexRow(document[member], document.id)
        }
    }
}
