import SettleDocuments

/// A moment in UTC, in ticks of 100 nanoseconds since 1970-01-01T00:00:00Z.
///
/// A tick is the finest step that the clients of the table protocol write (seven digits of a
/// second), so that a literal is compared with a stored time without rounding either of them.
/// Stored times are whole microseconds, ten ticks each.
package struct Instant: Sendable, Hashable, Comparable {
    /// Ticks of 100 ns since 1970-01-01T00:00:00Z, negative before.
    package var ticks: Int64

    /// The ticks of a second.
    package static let ticksPerSecond: Int64 = 10_000_000

    /// The instant of a number of ticks of 100 ns since 1970.
    package init(ticks: Int64) {
        self.ticks = ticks
    }

    /// The instant of a number of microseconds since 1970.
    ///
    /// - Parameter microseconds: Clamped to what ticks can hold, about 29 000 years either way.
    package init(microseconds: Int64) {
        let (product, overflow) = microseconds.multipliedReportingOverflow(by: 10)
        ticks = overflow ? (microseconds < 0 ? .min : .max) : product
    }

    /// Whole microseconds since 1970, rounded down.
    package var microseconds: Int64 {
        ticks.flooredQuotientAndRemainder(dividingBy: 10).quotient
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.ticks < right.ticks
    }
}
