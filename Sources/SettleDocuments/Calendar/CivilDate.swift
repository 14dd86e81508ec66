/// A day of the Gregorian calendar, carried on before its introduction.
///
/// Days are counted from 0000-03-01, so that the leap day is the last day of a year and months have
/// a regular pattern of lengths; 400 years have 146,097 days.
package struct CivilDate: Sendable, Hashable {
    /// The year; 0 is 1 BC.
    package let year: Int64
    /// 1 to 12.
    package let month: Int64
    /// 1 to 31.
    package let day: Int64

    /// The days from 0000-03-01 to 1970-01-01.
    private static let epoch: Int64 = 719_468
    private static let daysOfCycle: Int64 = 146_097

    /// A day that exists, or nil.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1, day <= Self.dayCount(year: year, month: month)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is some days after 1970-01-01, or before it.
    ///
    /// - Parameter days: As many as any number of seconds has.
    package init(daysSince1970 days: Int64) {
        let (cycle, dayOfCycle) = (days + Self.epoch)
            .flooredQuotientAndRemainder(dividingBy: Self.daysOfCycle)
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days from 1970-01-01 to this day, negative before.
    package var daysSince1970: Int64 {
        Self.daysSince1970(year: year, month: month, day: day)
    }

    /// Days from 1970-01-01 to a day of a month, which may have more days than it has.
    ///
    /// Days behind the month's last are counted on into the next: February 31 is March 3, or 2.
    ///
    /// - Parameters:
    ///   - year: The year.
    ///   - month: 1 to 12.
    ///   - day: The day, counted from 1.
    /// - Returns: The days, negative before 1970.
    /// - Precondition: The month is in range.
    package static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        precondition((1...12).contains(month), "A year has months 1 through 12.")
        let (cycle, yearOfCycle) = (month <= 2 ? year - 1 : year)
            .flooredQuotientAndRemainder(dividingBy: 400)
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * daysOfCycle + dayOfCycle - epoch
    }

    /// The number of days of a month.
    ///
    /// - Parameters:
    ///   - year: The year.
    ///   - month: 1 to 12.
    /// - Returns: 28 to 31.
    package static func dayCount(year: Int64, month: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day as ISO 8601 has it, such as `2026-11-21`.
    ///
    /// Years are written as ``CalendarWriter/date(_:)`` says.
    package var iso8601: String {
        var writer = CalendarWriter()
        writer.date(self)
        return writer.text
    }
}
