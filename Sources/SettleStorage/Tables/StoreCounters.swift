import SettleLMDB
import SettlePrimitives

/// The numbers that every commit brings up to date.
///
/// Shape: "counters" -> last sequence, live documents, tombstones, forgotten purges, last
/// number of content; eight bytes each, most significant first.
struct StoreCounters: Sendable, Equatable {
    var lastSequence: UInt64 = 0
    var liveCount: UInt64 = 0
    var deletedCount: UInt64 = 0
    /// Purges up to this sequence are no longer listed (``PurgeTable``).
    var purgesForgotten: UInt64 = 0
    /// The last number that was given to content.
    var lastContent: UInt64 = 0

    /// The name of its row in the table of facts.
    static let keyName = "counters"
    private static let key = Array(keyName.utf8)

    /// Counts a new document.
    mutating func addLive(sequence: UInt64) {
        lastSequence = sequence
        liveCount += 1
    }

    /// Starts from the numbers of an empty store.
    init() {}

    /// Reads the numbers as of a transaction.
    init(from table: Table, in transaction: ReadTransaction) throws {
        let found = try transaction.withValue(for: Self.key, in: table) { row in
            var position = 0
            guard row.count == 40, let sequence = row.fixed64(at: &position),
                let live = row.fixed64(at: &position), let deleted = row.fixed64(at: &position),
                let forgotten = row.fixed64(at: &position),
                let content = row.fixed64(at: &position)
            else { throw StorageError.corrupted(place: "row 'counters' of table 'meta'") }
            return (sequence, live, deleted, forgotten, content)
        }
        if let found {
            (lastSequence, liveCount, deletedCount, purgesForgotten, lastContent) = found
        }
    }

    /// Writes the numbers as part of a transaction.
    func write(to table: Table, in transaction: WriteTransaction) throws {
        var row: [UInt8] = []
        row.append(fixed64: lastSequence)
        row.append(fixed64: liveCount)
        row.append(fixed64: deletedCount)
        row.append(fixed64: purgesForgotten)
        row.append(fixed64: lastContent)
        try transaction.put(row, for: Self.key, in: table)
    }
}
