/// Days and calendar fields of the proleptic Gregorian calendar, without a library's time zones.
enum Civil {
    /// The fields of a moment in UTC.
    struct Fields: Sendable, Equatable {
        var year: Int64
        var month: Int64
        var day: Int64
        var hour: Int64
        var minute: Int64
        var second: Int64
    }

    /// Quotient rounded down and the remainder that goes with it, never negative.
    static func floorDivision(_ value: Int64, _ by: Int64) -> (quotient: Int64, remainder: Int64) {
        var (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
        if remainder < 0 {
            quotient -= 1
            remainder += by
        }
        return (quotient, remainder)
    }

    /// Days from 1970-01-01 to a date; the date must exist.
    ///
    /// Years are counted from March, so that the leap day is the last of its year.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floorDivision(shiftedYear, 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The fields of a number of seconds since 1970.
    static func fields(secondsSince1970: Int64) -> Fields {
        let (days, second) = floorDivision(secondsSince1970, 86_400)
        let (era, dayOfEra) = floorDivision(days + 719_468, 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return Fields(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, hour: second / 3600,
            minute: second / 60 % 60, second: second % 60)
    }

    /// The number of days of a month, 1 to 12.
    static func dayCount(year: Int64, month: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Digits of a number with zeros in front, up to a width.
    static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
