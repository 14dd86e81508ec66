import Foundation

/// Times as they are stored.
enum StoreClock {
    /// The whole microseconds of a date since 1970, from 0 to the year 9999.
    static func microseconds(of date: Date) -> Int64 {
        Int64((min(max(date.timeIntervalSince1970, 0), 253_402_300_799) * 1_000_000).rounded(.down))
    }
}
