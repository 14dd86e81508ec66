import Foundation
import TestSupport
import Testing

@testable import SettleOData

@Suite(.serialized) struct `Instants` {
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

    @Test func `any instant is its day and its time of day`() {
        var generator = SeededGenerator()
        for _ in 0..<500 {
            let ticks = Int64.random(
                in: -621_672_192_000_000_000...2_534_023_007_999_999_999, using: &generator)
            let instant = Instant(ticks: ticks)
            let (day, time) = (Day(of: instant), TimeOfDay(of: instant))
            #expect(Day(text: day.text) == day && day.hasText, "\(ticks) \(generator)")
            #expect(TimeOfDay(text: time.text) == time, "\(ticks) \(generator)")
            let text = day.text + "T" + time.text
            #expect(Instant(text: text) == instant, "\(ticks) \(generator)")
            #expect(day.span.first <= instant && instant <= day.span.last, "\(generator)")
        }
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
