import SettleDocuments

/// A day of the calendar, which is no moment: it has no time zone.
struct Day: Sendable, Equatable {
    /// Days since 1970-01-01, negative before.
    let number: Int64

    init(number: Int64) {
        self.number = number
    }

    /// Reads `YYYY-MM-DD`; nil for anything else, and for a date that does not exist.
    init?(text: String) {
        var reader = CalendarReader(text)
        guard let days = reader.days(.literal), reader.isAtEnd else { return nil }
        number = days
    }

    /// The day on which an instant lies in UTC.
    init(of instant: Instant) {
        number = instant.ticks.flooredQuotientAndRemainder(dividingBy: Self.ticks).quotient
    }

    /// Year, month and day.
    var date: CivilDate { CivilDate(daysSince1970: number) }

    /// The text, `YYYY-MM-DD`; sorts like the days of the years 0 to 9999.
    var text: String { date.iso8601 }

    /// Whether the year has four digits, so that the text is one that is read again.
    var hasText: Bool { (Self.first...Self.last).contains(number) }

    /// The first and the last instant of the day in UTC; the day must have a text.
    var span: (first: Instant, last: Instant) {
        let first = number * Self.ticks
        return (Instant(ticks: first), Instant(ticks: first + Self.ticks - 1))
    }

    private static let ticks = 86_400 * Instant.ticksPerSecond
    private static let first = CivilDate.daysSince1970(year: 0, month: 1, day: 1)
    private static let last = CivilDate.daysSince1970(year: 9999, month: 12, day: 31)
}
