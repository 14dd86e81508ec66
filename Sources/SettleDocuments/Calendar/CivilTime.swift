/// A second of a day in UTC, without leap seconds.
package struct CivilTime: Sendable, Hashable {
    /// The day.
    package let date: CivilDate
    /// Seconds since midnight, 0 to 86,399.
    package let secondOfDay: Int64

    /// The second that is some seconds after 1970-01-01T00:00:00Z, or before it.
    ///
    /// - Parameter seconds: Any number.
    package init(secondsSince1970 seconds: Int64) {
        let (days, second) = seconds.flooredQuotientAndRemainder(dividingBy: 86_400)
        date = CivilDate(daysSince1970: days)
        secondOfDay = second
    }

    /// The time as ISO 8601 has it, in UTC, such as `2026-11-21T03:04:05.123Z`.
    ///
    /// Years are written as ``CalendarWriter/date(_:)`` says.
    ///
    /// - Parameters:
    ///   - nanoseconds: What has passed of the second, 0 to 999,999,999.
    ///   - digits: How many digits of it are shown, 0 to 9; further ones are cut off. With 0 there
    ///     is no decimal point.
    /// - Returns: The text.
    /// - Precondition: Both are in range.
    package func iso8601(nanoseconds: Int64, digits: Int) -> String {
        var writer = CalendarWriter()
        write(nanoseconds: nanoseconds, digits: digits, to: &writer)
        return writer.text
    }

    /// Writes the time as ``iso8601(nanoseconds:digits:)`` has it.
    func write(nanoseconds: Int64, digits: Int, to writer: inout CalendarWriter) {
        writer.date(date)
        writer.ascii("T")
        writer.clock(secondOfDay: secondOfDay)
        writer.fraction(nanoseconds: nanoseconds, digits: digits)
        writer.ascii("Z")
    }
}
