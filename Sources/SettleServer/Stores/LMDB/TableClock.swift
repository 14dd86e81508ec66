package import Foundation
import Settle

/// Gives each write of a table its `updatedAt`.
///
/// Times are whole microseconds and strictly increase in the order of the commits, also when the
/// computer's clock stands still or goes back: a reader who has everything up to a time never
/// misses what was committed later. The last time given lies in a side table of the database and
/// changes in the same transaction as the items; it is read and written once in each.
package enum TableClock {
    private static let table = "server.clock"
    private static let key = Array("updatedAt".utf8)

    /// The last time that was given, in microseconds since 1970; 0 before the first.
    ///
    /// - Throws: ``DatabaseError`` when the side table cannot be read.
    static func last(in snapshot: Snapshot) throws -> Int64 {
        try snapshot.table(table)?.value(for: key).map(TableTimeline.time) ?? 0
    }

    /// Makes a time the last that was given.
    ///
    /// - Throws: ``DatabaseError`` when the side table cannot be written.
    static func set(_ time: Int64, in transaction: Transaction) throws {
        try transaction.sideTable(named: table).set(TableTimeline.key(time), for: key)
    }

    /// The whole microseconds of a date, from 0 to the year 9999.
    package static func microseconds(of date: Date) -> Int64 {
        Int64((min(max(date.timeIntervalSince1970, 0), 253_402_300_799) * 1_000_000).rounded(.down))
    }
}
