import SettleDocuments

/// Dates as the headers of HTTP have them: whole seconds in UTC (RFC 9110, 5.6.7).
///
/// Shape: `Sun, 06 Nov 1994 08:49:37 GMT`. The two forms that were given up in 1999 are read, too, and never
/// written: `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
package enum HTTPDate {
    // The first day of 1970 was a Thursday.
    private static let dayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let longDayNames = [
        "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
    ]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z in seconds since 1970.
    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799

    /// The text of a date.
    ///
    /// - Parameter second: Seconds since 1970; others than of the years 0 to 9999 are written as the
    ///   nearest of those.
    /// - Returns: The text.
    package static func text(of second: Int64) -> String {
        let time = CivilTime(secondsSince1970: min(max(earliest, second), latest))
        var writer = CalendarWriter()
        writer.verbatim(dayNames[dayOfWeek(time.date)])
        writer.verbatim(", ")
        writer.digits(time.date.day, width: 2)
        writer.ascii(" ")
        writer.verbatim(monthNames[Int(time.date.month) - 1])
        writer.ascii(" ")
        writer.digits(time.date.year, width: 4)
        writer.ascii(" ")
        writer.clock(secondOfDay: time.secondOfDay)
        writer.verbatim(" GMT")
        return writer.text
    }

    /// Reads a date, to the letter.
    ///
    /// - Returns: Seconds since 1970; nil for another form, a date that does not exist, and the wrong
    ///   day of the week. The leap second 23:59:60 is the first second of the next day.
    package static func second(of text: String) -> Int64? {
        current(text) ?? dashed(text) ?? yearLast(text)
    }

    /// Reads the form that is written.
    private static func current(_ text: String) -> Int64? {
        var reader = CalendarReader(text)
        guard let dayName = reader.name(of: dayNames), reader.skip(","), reader.skip(" "),
            let day = reader.number(digits: 2), reader.skip(" "),
            let month = reader.name(of: monthNames), reader.skip(" "),
            let year = reader.number(digits: 4), reader.skip(" "), let second = end(&reader)
        else { return nil }
        return Self.second(year, month, day, on: dayName, second)
    }

    /// Reads the form of RFC 850, which has two digits of the year: the day of the week tells the century from
    /// the one before and the one behind.
    private static func dashed(_ text: String) -> Int64? {
        var reader = CalendarReader(text)
        guard let dayName = reader.name(of: longDayNames), reader.skip(","), reader.skip(" "),
            let day = reader.number(digits: 2), reader.skip("-"),
            let month = reader.name(of: monthNames), reader.skip("-"),
            let year = reader.number(digits: 2), reader.skip(" "), let second = end(&reader)
        else { return nil }
        return ([1900, 2000, 2100] as [Int64]).lazy
            .compactMap { Self.second($0 + year, month, day, on: dayName, second) }.first
    }

    /// Reads the form of C's `asctime`, whose day of the month is padded with a space.
    private static func yearLast(_ text: String) -> Int64? {
        var reader = CalendarReader(text)
        guard let dayName = reader.name(of: dayNames), reader.skip(" "),
            let month = reader.name(of: monthNames), reader.skip(" ")
        else { return nil }
        let isPadded = reader.skip(" ")
        guard let day = reader.number(digits: isPadded ? 1 : 2), isPadded || day >= 10,
            reader.skip(" "), let second = secondOfDay(&reader), reader.skip(" "),
            let year = reader.number(digits: 4), reader.isAtEnd
        else { return nil }
        return Self.second(year, month, day, on: dayName, second)
    }

    /// The time of day and the zone that two of the forms end with.
    private static func end(_ reader: inout CalendarReader) -> Int64? {
        guard let second = secondOfDay(&reader), reader.skip(" "), reader.name(of: ["GMT"]) != nil,
            reader.isAtEnd
        else { return nil }
        return second
    }

    /// The second of a date; nil for one that does not exist, or on another day of the week.
    private static func second(
        _ year: Int64, _ month: Int, _ day: Int64, on dayName: Int, _ secondOfDay: Int64
    ) -> Int64? {
        guard let date = CivilDate(year: year, month: Int64(month) + 1, day: day),
            dayOfWeek(date) == dayName
        else { return nil }
        return date.daysSince1970 * 86_400 + secondOfDay
    }

    /// Seconds since midnight; only the last minute of a day has a second of 60.
    private static func secondOfDay(_ reader: inout CalendarReader) -> Int64? {
        guard let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2),
            second < 60 || (hour, minute, second) == (23, 59, 60)
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// The place of a day's name.
    private static func dayOfWeek(_ date: CivilDate) -> Int {
        Int(date.daysSince1970.flooredQuotientAndRemainder(dividingBy: 7).remainder)
    }
}
