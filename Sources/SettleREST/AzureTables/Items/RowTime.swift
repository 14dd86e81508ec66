import Settle

/// A point in time as a table writes it, exact to the nanosecond.
///
/// Servers show between none and nine digits of a second's fraction, drop zeros at its end or not,
/// and write `Z` or an offset. The text is kept as it was received, because a server finds its own
/// writing again; order and arithmetic go by the number.
struct RowTime: Sendable, Hashable {
    /// As it was received or is to be sent.
    let text: String
    /// Whole seconds since 1970-01-01T00:00:00Z.
    let seconds: Int64
    /// The nanoseconds behind them, from 0 to 999,999,999.
    let nanoseconds: Int64
    /// How many digits of the fraction are shown.
    let digits: Int

    /// Reads a time; nil when it is none.
    ///
    /// Shape: `YYYY-MM-DDTHH:MM:SS`, a point and up to nine digits or nothing, `Z` or `+HH:MM` or
    /// nothing, which means `Z`; the colon may be missing. A second of 60 is the first of the next
    /// minute. Any month has 31 days; those that do not exist are counted on into the next month, so
    /// that February 31 is March 3, or 2 in a leap year.
    init?(_ text: String) {
        var reader = CalendarReader(text)
        guard let (seconds, nanoseconds, digits) = reader.moment(Self.profile) else { return nil }
        self.text = text
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.digits = digits
    }

    /// What some server or other writes, and no more checks than order and arithmetic need.
    private static let profile = CalendarProfile(
        hasLongMonths: true, secondMax: 60, fractionDigitsMax: 9, mayOmitZone: true,
        mayOmitZoneColon: true)

    /// A time of our own, in UTC and with at least three digits, which every server reads.
    init(seconds: Int64, nanoseconds: Int64, digits: Int) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.digits = max(3, digits)
        text = CivilTime(secondsSince1970: seconds)
            .iso8601(nanoseconds: nanoseconds, digits: self.digits)
    }

    /// The time with the fraction of a second cut off after some digits.
    func floored(digits: Int) -> RowTime {
        let unit = Self.unit(digits)
        return RowTime(
            seconds: seconds, nanoseconds: nanoseconds / unit * unit, digits: digits)
    }

    /// The time one unit of the last of some digits later.
    func advanced(digits: Int) -> RowTime {
        let sum = nanoseconds + Self.unit(digits)
        return RowTime(
            seconds: seconds + sum / 1_000_000_000, nanoseconds: sum % 1_000_000_000,
            digits: digits)
    }

    private static func unit(_ digits: Int) -> Int64 {
        precondition((0...9).contains(digits), "A fraction of a second has 0 to 9 digits.")
        return (digits..<9).reduce(1) { unit, _ in unit * 10 }
    }
}

extension RowTime: Comparable {
    /// Whether one is earlier, whatever the texts look like.
    static func < (left: RowTime, right: RowTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
