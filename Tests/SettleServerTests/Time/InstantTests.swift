import Foundation
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Instants` {
    @Test func `every day of 800 years has its fields`() {
        var (year, month, day): (Int64, Int64, Int64) = (1600, 1, 1)
        let first = Civil.days(year: 1600, month: 1, day: 1)
        for offset in 0..<(2 * 146_097) as Range<Int64> {
            let days = Civil.days(year: year, month: month, day: day)
            let fields = Civil.fields(secondsSince1970: days * 86_400 + 86_399)
            guard days == first + offset, fields.year == year, fields.month == month,
                fields.day == day, fields.hour == 23, fields.second == 59
            else {
                Issue.record("\(year)-\(month)-\(day) is day \(days) and \(fields)")
                return
            }
            day += 1
            if day > Civil.dayCount(year: year, month: month) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect(Civil.days(year: 1970, month: 1, day: 1) == 0)
    }

    @Test func `the text of a time is read as the same time and as Foundation's`() throws {
        var generator = SeededGenerator()
        for _ in 0..<500 {
            let micros = Int64.random(
                in: -62_000_000_000_000_000...253_000_000_000_000_000,
                using: &generator)
            let instant = Instant(microseconds: micros)
            #expect(Instant(text: instant.iso8601) == instant, "\(generator)")
            #expect(instant.microseconds == micros)
        }
        let seconds = Int64.random(in: 0...4_000_000_000, using: &generator)
        let date = Date(timeIntervalSince1970: Double(seconds))
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        #expect(Instant(microseconds: seconds * 1_000_000).iso8601 == date.formatted(style))
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.000001Z"),
        (1000, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999999Z"),
        (1_600_000_000_123_450, "2020-09-13T12:26:40.123450Z"),
    ])
    func `three digits are sent, six when they are needed`(micros: Int64, text: String) {
        #expect(Instant(microseconds: micros).iso8601 == text)
    }

    @Test(arguments: [
        ("1970-01-01T00:00", 0), ("1970-01-01T00:00:00", 0), ("1970-01-01t00:00:00z", 0),
        ("1970-01-01T00:00:00.0000001Z", 1), ("1970-01-01T00:00:00.5", 5_000_000),
        ("1970-01-01T01:30:00+01:30", 0), ("1969-12-31T23:00:00-01:00", 0),
        ("1972-02-29T00:00:00Z", 681_696_000_000_000),
    ])
    func `forms of literals are read`(text: String, ticks: Int64) {
        #expect(Instant(text: text)?.ticks == ticks)
    }

    @Test(arguments: [
        "", "1970", "1970-01-01", "1970-01-01T", "1970-01-01 00:00:00Z", "1970-13-01T00:00:00Z",
        "1970-00-01T00:00:00Z", "1970-02-29T00:00:00Z", "1970-01-32T00:00:00Z",
        "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z",
        "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00.12345678Z", "1970-01-01T00:00:00+0100",
        "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00ZZ", "1970-1-1T00:00:00Z",
        "+970-01-01T00:00:00Z", String(repeating: "1", count: 100),
    ])
    func `what is no date and time is refused`(text: String) {
        #expect(Instant(text: text) == nil)
    }
}
