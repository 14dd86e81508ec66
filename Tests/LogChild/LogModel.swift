import Synchronization

/// What must be in the tables of some lanes after so many commits of each.
package final class LogModel: Sendable {
    /// Entries of tables, by name.
    package typealias Contents = [String: [[UInt8]: [UInt8]]]

    package let seed: UInt64
    /// The last that was asked for of each lane: as a rule the next is not long after.
    private let known = Mutex<[Int: (number: Int, contents: Contents)]>([:])

    package init(seed: UInt64) {
        self.seed = seed
    }

    /// What is in the tables of a lane after a commit.
    package func contents(ofLane lane: Int, after number: Int) -> Contents {
        let history = LogHistory(seed: seed, lane: lane)
        var found = known.withLock { $0[lane] } ?? (number: 0, contents: [:])
        if found.number > number { found = (number: 0, contents: [:]) }
        while found.number < number {
            found.number += 1
            for change in history.changes(of: found.number) {
                switch change {
                case .put(let table, let key, let value):
                    found.contents[table, default: [:]][key] = value
                case .delete(let table, let key): found.contents[table, default: [:]][key] = nil
                case .clear(let table): found.contents[table] = [:]
                }
            }
        }
        known.withLock { [found] in $0[lane] = found }
        return found.contents
    }
}
