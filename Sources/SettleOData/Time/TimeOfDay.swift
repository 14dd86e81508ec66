import SettleDocuments

/// A time of day without a day and without a time zone.
struct TimeOfDay: Sendable, Equatable {
    /// Ticks of 100 ns since midnight, less than those of a day.
    let ticks: Int64

    /// Reads `hh:mm[:ss[.f]]` with one to seven digits of `f`; nil for anything else.
    init?(text: String) {
        var reader = CalendarReader(text)
        guard let (second, nanoseconds, _) = reader.timeOfDay(.literal), reader.isAtEnd else {
            return nil
        }
        ticks = second * Instant.ticksPerSecond + nanoseconds / 100
    }

    /// The time of day of an instant in UTC.
    init(of instant: Instant) {
        ticks =
            instant.ticks
            .flooredQuotientAndRemainder(dividingBy: 86_400 * Instant.ticksPerSecond).remainder
    }

    /// The text that all forms of one time share, `hh:mm:ss.fffffff`; sorts like the times.
    var text: String {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: Instant.ticksPerSecond)
        var writer = CalendarWriter()
        writer.clock(secondOfDay: seconds)
        writer.fraction(nanoseconds: rest * 100, digits: 7)
        return writer.text
    }
}
