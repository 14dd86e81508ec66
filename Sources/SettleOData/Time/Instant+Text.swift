import SettleDocuments

extension Instant {
    /// Reads a date and time as the clients of the table protocol write them.
    ///
    /// Shape: `YYYY-MM-DDThh:mm[:ss[.f]]` with one to seven digits of `f`, then nothing (UTC),
    /// `Z`, or an offset `+hh:mm` or `-hh:mm`. Anything else, and a date that does not exist
    /// such as 2021-02-30, is nil. More than seven digits are refused rather than cut, because a
    /// cut literal would compare wrongly.
    ///
    /// - Parameter text: The text between the quotes of a literal, or a string of a document.
    package init?(text: String) {
        var reader = CalendarReader(text)
        guard let (seconds, nanoseconds, _) = reader.moment(.literal) else { return nil }
        self.init(ticks: seconds * Self.ticksPerSecond + nanoseconds / 100)
    }

    /// The text that is sent: UTC, three digits of a second, six when three would lose some.
    ///
    /// Shape: `2026-11-21T03:04:05.123Z` or `2026-11-21T03:04:05.123456Z`; sorts like the times
    /// only among texts of the same length.
    package var iso8601: String { Timestamp(microseconds: microseconds).iso8601 }

    /// Appends ``iso8601`` to a text.
    package func appendISO8601(to text: inout [UInt8]) {
        Timestamp(microseconds: microseconds).appendISO8601(to: &text)
    }
}

extension CalendarProfile {
    /// Literals of conditions, and the strings that are compared with them.
    static let literal = CalendarProfile(
        mayOmitSeconds: true, fractionDigitsMax: 7, mayOmitZone: true)
}
