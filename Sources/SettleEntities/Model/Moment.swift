import Foundation
import Settle

/// Dates as they are stored: whole microseconds, in the years 0 to 9999.
enum Moment {
    /// 0000-01-01T00:00:00Z in microseconds since 1970.
    static let earliest: Int64 = -62_167_219_200_000_000
    /// 9999-12-31T23:59:59.999999Z in microseconds since 1970.
    static let latest: Int64 = 253_402_300_799_999_999

    /// The microseconds of a date; nil outside the years 0 to 9999, or when it is no number.
    static func microseconds(of date: Date) -> Int64? {
        let rounded = (date.timeIntervalSince1970 * 1_000_000).rounded()
        guard let exact = Int64(exactly: rounded), (earliest...latest + 1).contains(exact) else {
            return nil
        }
        // A date so far away has no microseconds, and that of the latest one is that of the next second.
        return min(exact, latest)
    }

    /// The microseconds of a date, the nearest that can be stored.
    static func clamped(_ date: Date) -> Int64 {
        microseconds(of: date) ?? (date.timeIntervalSince1970 < 0 ? earliest : latest)
    }

    static func date(_ microseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }

    static func text(_ microseconds: Int64) -> String {
        Timestamp(microseconds: microseconds).iso8601
    }

    /// The microseconds that a text in the profile of RFC 3339 says; nil for another text.
    static func microseconds(of text: String) -> Int64? {
        Timestamp(iso8601: text)?.microseconds
    }
}
