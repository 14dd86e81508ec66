import Settle
import SettleOData

/// Dates as headers have them, whole seconds in UTC (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let dayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text of a date.
    ///
    /// Shape: `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter second: Seconds since 1970; others than of the years 1970 to 9999 are written as
    ///   the nearest of those.
    /// - Returns: The text.
    static func text(of second: Int64) -> String {
        let second = min(max(0, second), 253_402_300_799)
        let time = CivilTime(secondsSince1970: second)
        var writer = CalendarWriter()
        // The first day of 1970 was a Thursday.
        writer.verbatim(dayNames[Int((second / 86_400) % 7)])
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

    /// Reads a date in the form that is sent today.
    ///
    /// The two forms that were given up in 1999 are not read; a condition that cannot be read counts
    /// as none, as the standard has it.
    ///
    /// - Returns: Seconds since 1970; nil for another form or a date that does not exist.
    static func second(of text: String) -> Int64? {
        let parts = text.trimmingSpaces.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[5] == "GMT",
            let month = monthNames.firstIndex(of: String(parts[2])), parts[1].utf8.count == 2,
            parts[3].utf8.count == 4
        else { return nil }
        let number = month + 1
        let padded = (number < 10 ? "0" : "") + String(number)
        guard
            let instant = Instant(text: "\(parts[3])-\(padded)-\(parts[1])T\(parts[4])Z"),
            parts[4].utf8.count == 8
        else { return nil }
        let second = instant.second
        return second >= 0 && Self.text(of: second) == text.trimmingSpaces ? second : nil
    }
}

extension Instant {
    /// Whole seconds since 1970, rounded down.
    var second: Int64 {
        ticks.flooredQuotientAndRemainder(dividingBy: Instant.ticksPerSecond).quotient
    }
}
