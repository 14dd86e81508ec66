/// A point in time, in whole microseconds, read and written as ISO 8601.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
    package var microseconds: Int64

    /// A point in time.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The earlier one is less.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Reads a date with time and zone, in the strict profile of RFC 3339.
    ///
    /// `YYYY-MM-DD`, `T` or `t`, `hh:mm:ss`, optionally `.` and one to nine digits (those after the
    /// sixth are cut off), then `Z`, `z`, `+hh:mm` or `-hh:mm`.
    /// - Returns: nil for anything else, for days that do not exist, for a second of 60 (leap seconds
    ///   have no place on this scale), and when the time in UTC leaves the years 0000 through 9999.
    ///   Ordinary strings are refused after a look at their length and two bytes.
    package init?(iso8601 text: String) {
        let bytes = text.utf8
        guard (20...35).contains(bytes.count), Self.hasShape(text) else { return nil }
        var reader = TimestampReader(Array(bytes))
        guard let microseconds = reader.read() else { return nil }
        self.microseconds = microseconds
    }

    /// The place of the first two hyphens tells most strings from dates.
    private static func hasShape(_ text: String) -> Bool {
        var index = text.utf8.index(text.utf8.startIndex, offsetBy: 4)
        guard text.utf8[index] == UInt8(ascii: "-") else { return false }
        index = text.utf8.index(index, offsetBy: 3)
        return text.utf8[index] == UInt8(ascii: "-")
    }

    /// The time in UTC, such as `2026-11-21T03:04:05.123Z`: three digits of the second when they say it
    /// exactly, else six.
    package var iso8601: String {
        iso8601(fractionDigits: microseconds % 1000 == 0 ? 3 : 6)
    }

    /// The time in UTC with that many digits of the second's fraction; further ones are cut off
    /// towards the past.
    ///
    /// Years outside 0000 through 9999, which only arithmetic can produce, get a sign and as many
    /// digits as they need; such text is not read back.
    /// - Parameter digits: 0 through 6; with 0 there is no decimal point.
    /// - Returns: The text.
    /// - Precondition: The digits are in range.
    package func iso8601(fractionDigits digits: Int) -> String {
        precondition((0...6).contains(digits), "A timestamp has 0 through 6 digits of a second.")
        let (seconds, fraction) = Self.divide(microseconds, by: 1_000_000)
        let (days, second) = Self.divide(seconds, by: 86_400)
        let date = CivilDate(daysSince1970: days)
        var text: [UInt8] = []
        text.reserveCapacity(27)
        if (0...9999).contains(date.year) {
            Self.write(date.year, digits: 4, to: &text)
        } else {
            text.append(contentsOf: (date.year < 0 ? "-" : "+").utf8)
            text.append(contentsOf: String(date.year.magnitude).utf8)
        }
        text.append(UInt8(ascii: "-"))
        Self.write(Int64(date.month), digits: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.write(Int64(date.day), digits: 2, to: &text)
        text.append(UInt8(ascii: "T"))
        Self.write(second / 3600, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.write(second / 60 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.write(second % 60, digits: 2, to: &text)
        if digits > 0 {
            text.append(UInt8(ascii: "."))
            Self.write(fraction, digits: 6, to: &text)
            text.removeLast(6 - digits)
        }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    private static func divide(
        _ value: Int64, by divisor: Int64
    ) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func write(_ number: Int64, digits: Int, to text: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
