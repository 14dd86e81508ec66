/// A moment in UTC, in ticks of 100 nanoseconds since 1970-01-01T00:00:00Z.
///
/// A tick is the finest step that the clients of the table protocol write (seven digits of a
/// second), so that a literal is compared with a stored time without rounding either of them.
/// Stored times are whole microseconds, ten ticks each.
struct Instant: Sendable, Hashable, Comparable {
    /// Ticks of 100 ns since 1970-01-01T00:00:00Z, negative before.
    var ticks: Int64

    /// The instant of a number of ticks of 100 ns since 1970.
    init(ticks: Int64) {
        self.ticks = ticks
    }

    /// The instant of a number of microseconds since 1970.
    ///
    /// - Parameter microseconds: Clamped to what ticks can hold, about 29 000 years either way.
    init(microseconds: Int64) {
        let (product, overflow) = microseconds.multipliedReportingOverflow(by: 10)
        ticks = overflow ? (microseconds < 0 ? .min : .max) : product
    }

    /// Whole microseconds since 1970, rounded down.
    var microseconds: Int64 {
        Civil.floorDivision(ticks, 10).quotient
    }

    static func < (left: Instant, right: Instant) -> Bool {
        left.ticks < right.ticks
    }
}

extension Instant {
    /// The calendar fields of this instant in UTC.
    var fields: Civil.Fields {
        let (seconds, _) = Civil.floorDivision(ticks, Self.ticksPerSecond)
        return Civil.fields(secondsSince1970: seconds)
    }

    /// The text that is sent: UTC, three digits of a second, six when three would lose some.
    ///
    /// Shape: `2026-11-21T03:04:05.123Z` or `2026-11-21T03:04:05.123456Z`; sorts like the times
    /// only among texts of the same length.
    var iso8601: String {
        let (seconds, rest) = Civil.floorDivision(ticks, Self.ticksPerSecond)
        let fields = Civil.fields(secondsSince1970: seconds)
        let micros = rest / 10
        let fraction =
            micros % 1000 == 0
            ? Civil.padded(micros / 1000, to: 3) : Civil.padded(micros, to: 6)
        return Civil.padded(fields.year, to: 4) + "-" + Civil.padded(fields.month, to: 2) + "-"
            + Civil.padded(fields.day, to: 2) + "T" + Civil.padded(fields.hour, to: 2) + ":"
            + Civil.padded(fields.minute, to: 2) + ":" + Civil.padded(fields.second, to: 2) + "."
            + fraction + "Z"
    }

    static let ticksPerSecond: Int64 = 10_000_000
}
