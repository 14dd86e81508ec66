package import Foundation
import Settle

/// Gives each write of a table its `updatedAt`.
///
/// Times are whole microseconds and strictly increase in the order of the commits, also when the
/// computer's clock stands still or goes back: a reader who has everything up to a time never
/// misses what was committed later. The last time given lies in a side table of the database and
/// changes in the same transaction as the item.
package enum TableClock {
    private static let table = "server.clock"
    private static let key = Array("updatedAt".utf8)

    /// The next time, in microseconds since 1970: now, or one more than the last.
    ///
    /// - Parameters:
    ///   - now: What the computer's clock says.
    ///   - transaction: The transaction of the write, which also remembers the time.
    /// - Returns: A time after every one that was given before.
    /// - Throws: ``DatabaseError`` when the side table cannot be read or written.
    static func next(now: Date, in transaction: Transaction) throws -> Int64 {
        let side = try transaction.sideTable(named: table)
        let last = try side.value(for: key).map(TableTimeline.time) ?? 0
        let time = max(microseconds(of: now), last + 1)
        try side.set(TableTimeline.key(time), for: key)
        return time
    }

    /// The last time that was given, in microseconds since 1970; 0 before the first.
    ///
    /// - Throws: ``DatabaseError`` when the side table cannot be read.
    static func last(in snapshot: Snapshot) throws -> Int64 {
        try snapshot.table(table)?.value(for: key).map(TableTimeline.time) ?? 0
    }

    /// Lets no later write have this time or an earlier one, as after an item was brought over with
    /// the time it had elsewhere.
    ///
    /// - Throws: ``DatabaseError`` when the side table cannot be read or written.
    static func pass(_ time: Int64, in transaction: Transaction) throws {
        guard time > (try last(in: transaction)) else { return }
        try transaction.sideTable(named: table).set(TableTimeline.key(time), for: key)
    }

    /// The whole microseconds of a date, from 0 to the year 9999.
    package static func microseconds(of date: Date) -> Int64 {
        Int64((min(max(date.timeIntervalSince1970, 0), 253_402_300_799) * 1_000_000).rounded(.down))
    }
}
