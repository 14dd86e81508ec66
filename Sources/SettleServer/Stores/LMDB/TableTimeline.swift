import Settle
import SettleOData
import SettlePrimitives

/// The items of a table in the order in which they were last changed.
///
/// A side table of the database, changed in the same transaction as the items, so that a pull
/// reads times and items from one state and never waits for a writer, which an index that is
/// brought up to date by a query would have to.
///
/// Shape: the key is `updatedAt` in microseconds since 1970, 8 bytes, the highest first; the
/// value is one byte, 1 for a deleted item, 0 for another, and then the id in UTF-8. Every item has
/// one such row. Besides, there is a row with a 2, a mark, for every earlier time at which the item
/// left a channel it has not come back to.
enum TableTimeline {
    private static let table = "server.timeline"

    /// Puts an item at its time.
    ///
    /// - Parameters:
    ///   - item: The item as it was just stored.
    ///   - previous: The item before; nil for a new item.
    ///   - transaction: The transaction of the write.
    /// - Throws: ``DatabaseError`` when the side table cannot be written.
    static func move(
        _ item: TableItem, from previous: TableItem?, in transaction: Transaction
    ) throws {
        let side = try transaction.sideTable(named: table)
        if item.removals.times.isEmpty, previous?.removals.times.isEmpty ?? true {
            // One row each, as nearly all items have.
            let time = item.updatedAt.microseconds
            if let previous, previous.updatedAt.microseconds != time {
                try side.remove(key(previous.updatedAt.microseconds))
            }
            return try side.set([item.isDeleted ? 1 : 0] + Array(item.id.utf8), for: key(time))
        }
        let rows = Self.rows(of: item)
        let before = previous.map { Self.rows(of: $0) } ?? [:]
        for (time, row) in before where rows[time] != row {
            try side.remove(key(time))
        }
        for (time, row) in rows { try side.set(row, for: key(time)) }
    }

    /// The rows that an item has: one at its time and one at each earlier removal.
    private static func rows(of item: TableItem) -> [Int64: [UInt8]] {
        let id = Array(item.id.utf8)
        var rows: [Int64: [UInt8]] = [:]
        for time in item.removals.times.values { rows[time] = [2] + id }
        rows[item.updatedAt.microseconds] = [item.isDeleted ? 1 : 0] + id
        return rows
    }

    /// Walks the items from a time on.
    ///
    /// - Parameters:
    ///   - time: Where to start, included.
    ///   - snapshot: The state to read.
    ///   - body: Called with each entry; answers false to stop.
    /// - Throws: ``DatabaseError`` when the side table cannot be read; what `body` throws.
    static func forEach(
        from time: Int64, in snapshot: Snapshot, _ body: (TimelineEntry) throws -> Bool
    ) throws {
        try snapshot.table(table)?.forEachRow(from: key(max(0, time))) { key, value in
            guard let time = Self.time(key), !value.isEmpty else {
                throw DatabaseError(
                    .corrupted, "A row of the server's timeline is damaged; restore a backup.")
            }
            let flag = value[0]
            return try body(
                TimelineEntry(
                    time: time, isDeleted: flag == 1, isMark: flag == 2,
                    id: String(decoding: value, in: 1..<value.count)))
        }
    }

    /// The key of a time.
    static func key(_ time: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
    }

    /// The time of a key in place; nil when the key is none.
    private static func time(_ key: Span<UInt8>) -> Int64? {
        guard key.count == 8 else { return nil }
        var time: Int64 = 0
        for index in key.indices { time = time << 8 | Int64(key[index]) }
        return time
    }

    /// The time of a key.
    static func time(_ key: [UInt8]) -> Int64 {
        key.reduce(0) { $0 << 8 | Int64($1) }
    }
}
