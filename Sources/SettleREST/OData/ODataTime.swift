import Foundation
import Settle
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
        return Timestamp(microseconds: micros).iso8601
    }

    /// A day; nil when there is none.
    static func day(_ year: Int, _ month: Int, _ day: Int) -> String? {
        guard (1...9_999).contains(year) else { return nil }
        return CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))?.iso8601
    }

    /// A time of day; nil when there is none.
    static func timeOfDay(
        _ hour: Int, _ minute: Int, _ second: Int, _ millisecond: Int
    ) -> String? {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
            (0...999).contains(millisecond)
        else { return nil }
        var writer = CalendarWriter()
        writer.clock(secondOfDay: Int64(hour * 3_600 + minute * 60 + second))
        writer.fraction(nanoseconds: Int64(millisecond) * 1_000_000, digits: 3)
        return writer.text
    }

    /// Whether a text is a point in time with its offset, and nothing but that.
    ///
    /// Shape: `YYYY-MM-DDThh:mm:ss`, a point and one to seven digits or nothing, `Z`, `+hh:mm` or
    /// `-hh:mm`. Whether the calendar has it is for the server to say.
    static func isTimestamp(_ text: String) -> Bool {
        var reader = CalendarReader(text)
        let isLocal =
            reader.number(digits: 4) != nil && reader.skip("-") && reader.number(digits: 2) != nil
            && reader.skip("-") && reader.number(digits: 2) != nil && reader.skip("T")
            && hasClock(&reader) && reader.skip(":") && reader.number(digits: 2) != nil
            && reader.fraction(digitsMax: 7) != nil
        guard isLocal else { return false }
        let hasZone =
            reader.skip("Z") || (reader.skip("+") || reader.skip("-")) && hasClock(&reader)
        return hasZone && reader.isAtEnd
    }

    /// Whether `hh:mm` comes next.
    private static func hasClock(_ reader: inout CalendarReader) -> Bool {
        reader.number(digits: 2) != nil && reader.skip(":") && reader.number(digits: 2) != nil
    }
}
