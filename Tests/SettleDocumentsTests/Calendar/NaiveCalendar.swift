import Foundation
import SettleDocuments

/// The calendar by way of Foundation, which has the Julian one before 1582.
///
/// The Gregorian calendar repeats after 400 years of 146,097 days, so that any year is asked for as
/// one behind 1600.
struct NaiveCalendar {
    private let calendar: Calendar
    private let shape =
        #/
        ([0-9]{4}) - ([0-9]{2}) - ([0-9]{2}) [Tt] ([0-9]{2}) : ([0-9]{2})
        (?: : ([0-9]{2}) (?: \. ([0-9]+) )? )?
        ( [Zz] | ([+\-]) ([0-9]{2}) (:?) ([0-9]{2}) )?
        /#

    init() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        self.calendar = calendar
    }

    /// The cycles to go forwards so that a year is one of 2000 to 2399.
    private func cycles(_ year: Int64) -> Int64 {
        (2000 - year + (year < 2000 ? 399 : 0)) / 400
    }

    /// Seconds since 1970; days and seconds beyond the last are counted on.
    func seconds(
        _ year: Int64, _ month: Int64, _ day: Int64, _ hour: Int64 = 0, _ minute: Int64 = 0,
        _ second: Int64 = 0
    ) -> Int64? {
        let cycles = cycles(year)
        let components = DateComponents(
            year: Int(year + 400 * cycles), month: Int(month), day: Int(day), hour: Int(hour),
            minute: Int(minute), second: Int(second))
        return calendar.date(from: components)
            .map { Int64($0.timeIntervalSince1970) - cycles * 146_097 * 86_400 }
    }

    /// The number of days of a month.
    func dayCount(_ year: Int64, _ month: Int64) -> Int64? {
        let components = DateComponents(
            year: Int(year + 400 * cycles(year)), month: Int(month), day: 1)
        return calendar.date(from: components)
            .flatMap { calendar.range(of: .day, in: .month, for: $0) }.map { Int64($0.count) }
    }

    /// Seconds, nanoseconds and digits of a text, as a profile's documentation has them.
    func moment(_ text: String, _ profile: CalendarProfile) -> [Int64]? {
        guard let match = text.wholeMatch(of: shape) else { return nil }
        let found = match.output
        func number(_ text: Substring?) -> Int64 { text.flatMap { Int64($0) } ?? 0 }
        let (year, month, day) = (number(found.1), number(found.2), number(found.3))
        let (hour, minute, second) = (number(found.4), number(found.5), number(found.6))
        let fraction = String(found.7 ?? "")
        let (hours, minutes) = (number(found.10), number(found.12))
        guard (1...12).contains(month), day >= 1, hour < 24, minute < 60, hours < 24,
            minutes < 60, second <= profile.secondMax,
            day <= (profile.hasLongMonths ? 31 : dayCount(year, month) ?? 0),
            found.6 != nil || profile.mayOmitSeconds,
            fraction.count <= profile.fractionDigitsMax,
            found.8 != nil || profile.mayOmitZone, found.11 != "" || profile.mayOmitZoneColon,
            let seconds = seconds(year, month, day, hour, minute, second)
        else { return nil }
        let distance = (found.9 == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
        let zeros = String(repeating: "0", count: 9 - fraction.count)
        return [seconds - distance, Int64(fraction + zeros) ?? 0, Int64(fraction.count)]
    }
}
