import Foundation
import Settle
import SettleOData

/// Days and times of day; that no calendar or clock has one is found out when it is written.
enum ODataCalendar {
    /// A day.
    static func day(_ year: Int, _ month: Int, _ day: Int) -> ODataNode {
        guard (1...9_999).contains(year),
            let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))
        else { return .spelled(.impossible("\(year)-\(month)-\(day)")) }
        return .day(date.iso8601)
    }

    /// A time of day, in milliseconds.
    static func timeOfDay(
        _ hour: Int, _ minute: Int, _ second: Int, _ millisecond: Int
    ) -> ODataNode {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
            (0...999).contains(millisecond)
        else { return .spelled(.impossible("\(hour):\(minute):\(second).\(millisecond)")) }
        var writer = CalendarWriter()
        writer.clock(secondOfDay: Int64(hour * 3_600 + minute * 60 + second))
        writer.fraction(nanoseconds: Int64(millisecond) * 1_000_000, digits: 3)
        return .timeOfDay(writer.text)
    }
}

extension Instant {
    /// The seconds from 1970 to 2001, where the numbers of `Date` begin.
    private static let microsecondsTo2001: Int64 = 978_307_200_000_000

    /// The nearest microsecond, or millisecond, of a date.
    ///
    /// A date that is infinite, none, or too far away is one that cannot be written.
    init(_ date: Date, isWholeMilliseconds: Bool = false) {
        let unit = isWholeMilliseconds ? 1_000.0 : 1
        let count = (date.timeIntervalSinceReferenceDate * 1_000_000 / unit).rounded()
        guard abs(count) < 1e18 / unit else {
            self.init(ticks: .max)
            return
        }
        self.init(microseconds: Int64(count) * Int64(unit) + Self.microsecondsTo2001)
    }
}
