import Foundation
import SettleSync

/// Points in time, days and times of day as ISO 8601 has them, in UTC.
enum ODataTime {
    /// The seconds from 1970 to 2001, where the numbers of `Date` begin.
    private static let microsecondsTo2001: Int64 = 978_307_200_000_000
    /// 0001-01-01 and 10000-01-01, in microseconds from 1970 on: what four digits can write.
    private static let range: Range<Int64> = -62_135_596_800_000_000..<253_402_300_800_000_000

    /// A point in time, with three digits of a second, or six where there are more than three.
    ///
    /// - Parameters:
    ///   - date: The time.
    ///   - keepsMicroseconds: Whether six digits may be written; otherwise milliseconds are the
    ///     nearest.
    /// - Returns: The time in ISO 8601.
    /// - Throws: ``SettleSync/ReplicationError`` with `misconfigured` outside of the years 1 to
    ///   9999.
    static func text(
        of date: Date, keepsMicroseconds: Bool
    ) throws(ReplicationError) -> String {
        let unit = keepsMicroseconds ? 1.0 : 1_000
        let count = (date.timeIntervalSinceReferenceDate * 1_000_000 / unit).rounded()
        guard abs(count) < 1e18 / unit,
            case let micros = Int64(count) * Int64(unit) + microsecondsTo2001,
            range.contains(micros)
        else {
            throw ReplicationError(
                .misconfigured, "A filter compares to a time outside of the years 1 to 9999.")
        }
        let (days, rest) = divided(micros, by: 86_400_000_000)
        let (year, month, day) = civil(days: days)
        let seconds = rest / 1_000_000
        let fraction = rest % 1_000_000
        let digits =
            fraction % 1_000 == 0 ? padded(fraction / 1_000, 3) : padded(fraction, 6)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2))"
            + ":\(padded(seconds % 60, 2)).\(digits)Z"
    }

    /// A day; nil when there is none.
    static func day(_ year: Int, _ month: Int, _ day: Int) -> String? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...9_999).contains(year), (1...12).contains(month),
            (1...lengths[month - 1]).contains(day)
        else { return nil }
        return "\(padded(Int64(year), 4))-\(padded(Int64(month), 2))-\(padded(Int64(day), 2))"
    }

    /// A time of day; nil when there is none.
    static func timeOfDay(
        _ hour: Int, _ minute: Int, _ second: Int, _ millisecond: Int
    ) -> String? {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
            (0...999).contains(millisecond)
        else { return nil }
        return "\(padded(Int64(hour), 2)):\(padded(Int64(minute), 2))"
            + ":\(padded(Int64(second), 2)).\(padded(Int64(millisecond), 3))"
    }

    /// Whether a text is a point in time with its offset, and nothing but that.
    static func isTimestamp(_ text: String) -> Bool {
        let start = "0000-00-00T00:00:00"
        let bytes = Array(text.utf8)
        guard hasShape(bytes.prefix(start.utf8.count), of: start) else { return false }
        var rest = bytes[start.utf8.count...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: isDigit)
            guard (1...7).contains(digits.count) else { return false }
            rest = rest[digits.endIndex...]
        }
        return hasShape(rest, of: "Z") || hasShape(rest, of: "+00:00")
            || hasShape(rest, of: "-00:00")
    }

    /// Whether there is a digit wherever the shape has a zero, and else what the shape has.
    private static func hasShape(_ bytes: ArraySlice<UInt8>, of shape: String) -> Bool {
        bytes.count == shape.utf8.count
            && zip(bytes, shape.utf8).allSatisfy { byte, wanted in
                wanted == UInt8(ascii: "0") ? isDigit(byte) : byte == wanted
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Quotient and remainder, the remainder never negative.
    private static func divided(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The Gregorian date of a day that is counted from 1970-01-01 on.
    ///
    /// Counted in eras of 400 years from 0000-03-01 on, so that a leap day is the last of its year.
    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
