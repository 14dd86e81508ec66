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
    /// nothing, which means `Z`.
    init?(_ text: String) {
        var reader = TimeReader(text)
        guard let year = reader.number(4), reader.take("-"),
            let month = reader.number(2), (1...12).contains(month), reader.take("-"),
            let day = reader.number(2), (1...31).contains(day),
            reader.take("T") || reader.take("t"),
            let hour = reader.number(2), hour < 24, reader.take(":"),
            let minute = reader.number(2), minute < 60, reader.take(":"),
            let second = reader.number(2), second <= 60,
            let (fraction, digits) = reader.fraction(), let offset = reader.offset(),
            reader.isAtEnd
        else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        self.text = text
        self.seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        nanoseconds = fraction
        self.digits = digits
    }

    /// A time of our own, in UTC and with at least three digits, which every server reads.
    init(seconds: Int64, nanoseconds: Int64, digits: Int) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.digits = max(3, digits)
        text = Self.text(seconds, nanoseconds, digits: self.digits)
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

    /// Days since 1970-01-01 in the Gregorian calendar.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Years that begin in March put the leap day at their end.
        let shifted = month > 2 ? year : year - 1
        let era = shifted >= 0 ? shifted / 400 : (shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func text(_ seconds: Int64, _ nanoseconds: Int64, digits: Int) -> String {
        let second = ((seconds % 86_400) + 86_400) % 86_400
        let shifted = (seconds - second) / 86_400 + 719_468
        let era = shifted >= 0 ? shifted / 146_097 : (shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func padded(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let fraction = padded(nanoseconds, 9).prefix(digits)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
            + "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):"
            + "\(padded(second % 60, 2)).\(fraction)Z"
    }
}

extension RowTime: Comparable {
    /// Whether one is earlier, whatever the texts look like.
    static func < (left: RowTime, right: RowTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
