/// Reads the parts of a date and time from left to right.
///
/// Each part is nil when the text does not go on in that way; what was read of it then is not
/// given back, so that a text that failed is done with. Only ASCII digits are digits.
package struct CalendarReader {
    private let bytes: [UInt8]
    private var position = 0

    /// Begins at the front of a text.
    package init(_ text: String) {
        // Nothing that is a date and time is longer.
        bytes = text.utf8.count <= 40 ? Array(text.utf8) : []
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool { position == bytes.count }

    /// Whether a character comes next, which then is passed over.
    package mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, UInt32(bytes[position]) == character.value else {
            return false
        }
        position += 1
        return true
    }

    /// A number of exactly that many digits.
    package mutating func number(digits: Int) -> Int64? {
        guard bytes.count - position >= digits else { return nil }
        var value: Int64 = 0
        for _ in 0..<digits {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
            position += 1
        }
        return value
    }

    /// The place of the one of some names that comes next, which then is passed over.
    ///
    /// - Parameter names: The names, of which none begins with another.
    /// - Returns: The place in the list; nil when none comes.
    package mutating func name(of names: [String]) -> Int? {
        let rest = bytes[position...]
        guard let place = names.firstIndex(where: { rest.starts(with: $0.utf8) }) else {
            return nil
        }
        position += names[place].utf8.count
        return place
    }

    /// Days since 1970 of `YYYY-MM-DD`.
    package mutating func days(_ profile: CalendarProfile) -> Int64? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2)
        else { return nil }
        if profile.hasLongMonths {
            guard (1...12).contains(month), (1...31).contains(day) else { return nil }
            return CivilDate.daysSince1970(year: year, month: month, day: day)
        }
        return CivilDate(year: year, month: month, day: day)?.daysSince1970
    }

    /// Seconds since midnight of `hh:mm:ss` with a fraction or without.
    ///
    /// - Returns: The seconds, which may be 86,400 where leap seconds are taken, the nanoseconds
    ///   behind them, and how many digits of those were written.
    package mutating func timeOfDay(
        _ profile: CalendarProfile
    ) -> (second: Int64, nanoseconds: Int64, digits: Int)? {
        guard let hour = number(digits: 2), hour < 24, skip(":"),
            let minute = number(digits: 2), minute < 60
        else { return nil }
        let start = hour * 3600 + minute * 60
        guard skip(":") else { return profile.mayOmitSeconds ? (start, 0, 0) : nil }
        guard let second = number(digits: 2), second <= profile.secondMax,
            let (nanoseconds, digits) = fraction(digitsMax: profile.fractionDigitsMax)
        else { return nil }
        return (start + second, nanoseconds, digits)
    }

    /// The fraction of a second: a point and digits, or nothing.
    ///
    /// - Parameter count: The most digits, 0 to 9.
    /// - Returns: Nanoseconds, and how many digits were written; nil for a point without a digit and
    ///   for too many digits.
    package mutating func fraction(
        digitsMax count: Int
    ) -> (nanoseconds: Int64, digits: Int)? {
        guard skip(".") else { return (0, 0) }
        var (value, digits): (Int64, Int) = (0, 0)
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            digits += 1
            guard digits <= count else { return nil }
            value = value * 10 + Int64(digit)
            position += 1
        }
        guard digits > 0 else { return nil }
        for _ in digits..<9 { value *= 10 }
        return (value, digits)
    }

    /// Seconds that a local time is ahead of UTC: none for `Z`, else those of `+hh:mm` or `-hh:mm`.
    package mutating func zone(_ profile: CalendarProfile) -> Int64? {
        if skip("Z") || skip("z") || profile.mayOmitZone && isAtEnd { return 0 }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hours = number(digits: 2), hours < 24,
            skip(":") || profile.mayOmitZoneColon, let minutes = number(digits: 2), minutes < 60
        else { return nil }
        let distance = hours * 3600 + minutes * 60
        return isAhead ? distance : -distance
    }

    /// A date, a time of day and a zone, and nothing behind them.
    ///
    /// - Returns: Seconds since 1970 in UTC, the nanoseconds behind them, and how many digits of
    ///   those were written.
    package mutating func moment(
        _ profile: CalendarProfile
    ) -> (seconds: Int64, nanoseconds: Int64, digits: Int)? {
        guard let days = days(profile), skip("T") || skip("t"),
            let (second, nanoseconds, digits) = timeOfDay(profile), let ahead = zone(profile),
            isAtEnd
        else { return nil }
        return (days * 86_400 + second - ahead, nanoseconds, digits)
    }
}
