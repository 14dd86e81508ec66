import SettleDocuments

/// Points in time, days and times of day as ISO 8601 has them, in UTC.
enum ODataTimeText {
    /// 0001-01-01 and 10000-01-01, in ticks from 1970 on: what four digits can write.
    private static let range: Range<Int64> =
        -62_135_596_800 * Instant.ticksPerSecond..<253_402_300_800 * Instant.ticksPerSecond

    /// A point in time, with as few of three, six and seven digits of a second as lose nothing.
    ///
    /// - Returns: The time in ISO 8601; nil outside of the years 1 to 9999.
    static func text(of instant: Instant) -> String? {
        guard range.contains(instant.ticks) else { return nil }
        let (seconds, rest) = instant.ticks.flooredQuotientAndRemainder(
            dividingBy: Instant.ticksPerSecond)
        return CivilTime(secondsSince1970: seconds)
            .iso8601(nanoseconds: rest * 100, digits: digits(of: rest))
    }

    /// A time of day, with as few of three, six and seven digits of a second as lose nothing.
    static func text(of time: TimeOfDay) -> String {
        let (seconds, rest) = time.ticks.quotientAndRemainder(dividingBy: Instant.ticksPerSecond)
        var writer = CalendarWriter()
        writer.clock(secondOfDay: seconds)
        writer.fraction(nanoseconds: rest * 100, digits: digits(of: rest))
        return writer.text
    }

    /// How many digits a part of a second has, given in ticks.
    private static func digits(of ticks: Int64) -> Int {
        ticks % 10_000 == 0 ? 3 : (ticks % 10 == 0 ? 6 : 7)
    }

    /// Whether a text is a point in time with its offset, and nothing but that.
    ///
    /// Shape: `YYYY-MM-DDThh:mm:ss`, a point and one to seven digits or nothing, `Z`, `+hh:mm` or
    /// `-hh:mm`. Whether the calendar has it is for the server to say.
    static func isTimestamp(_ text: String) -> Bool {
        var reader = CalendarReader(text)
        let isLocal =
            reader.number(digits: 4) != nil && reader.skip("-") && reader.number(digits: 2) != nil
            && reader.skip("-") && reader.number(digits: 2) != nil && reader.skip("T")
            && hasClock(&reader) && reader.skip(":") && reader.number(digits: 2) != nil
            && reader.fraction(digitsMax: 7) != nil
        guard isLocal else { return false }
        let hasZone =
            reader.skip("Z") || (reader.skip("+") || reader.skip("-")) && hasClock(&reader)
        return hasZone && reader.isAtEnd
    }

    /// Whether `hh:mm` comes next.
    private static func hasClock(_ reader: inout CalendarReader) -> Bool {
        reader.number(digits: 2) != nil && reader.skip(":") && reader.number(digits: 2) != nil
    }

    /// Whether a text has only characters of times, so that a literal around it ends where it should.
    static func isMadeOfTime(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || "-:.+TtZz".utf8.contains($0) }
    }
}
