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
        guard (20...35).contains(text.utf8.count), Self.hasShape(text) else { return nil }
        var reader = CalendarReader(text)
        guard let (seconds, nanoseconds, _) = reader.moment(Self.profile),
            (Self.earliest...Self.latest).contains(seconds)
        else { return nil }
        microseconds = seconds * 1_000_000 + nanoseconds / 1000
    }

    private static let profile = CalendarProfile(fractionDigitsMax: 9)

    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z in seconds since 1970.
    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799

    /// The place of the first two hyphens tells most strings from dates.
    private static func hasShape(_ text: String) -> Bool {
        var index = text.utf8.index(text.utf8.startIndex, offsetBy: 4)
        guard text.utf8[index] == UInt8(ascii: "-") else { return false }
        index = text.utf8.index(index, offsetBy: 3)
        return text.utf8[index] == UInt8(ascii: "-")
    }

    /// The time in UTC, such as `2026-11-21T03:04:05.123Z`: three digits of the second when they say it
    /// exactly, else six.
    package var iso8601: String { iso8601(fractionDigits: shortestDigits) }

    /// Appends ``iso8601`` to a text.
    package func appendISO8601(to text: inout [UInt8]) {
        var bytes: [UInt8] = []
        swap(&bytes, &text)
        var writer = CalendarWriter(after: consume bytes)
        let (seconds, fraction) =
            microseconds
            .flooredQuotientAndRemainder(dividingBy: 1_000_000)
        CivilTime(secondsSince1970: seconds)
            .write(nanoseconds: fraction * 1000, digits: shortestDigits, to: &writer)
        text = writer.bytes
    }

    private var shortestDigits: Int { microseconds % 1000 == 0 ? 3 : 6 }

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
        let (seconds, fraction) =
            microseconds
            .flooredQuotientAndRemainder(dividingBy: 1_000_000)
        return CivilTime(secondsSince1970: seconds)
            .iso8601(nanoseconds: fraction * 1000, digits: digits)
    }
}
