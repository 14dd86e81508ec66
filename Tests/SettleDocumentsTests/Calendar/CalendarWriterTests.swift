import Foundation
import SettleDocuments
import TestSupport
import Testing

@Suite struct `Calendar texts` {
    @Test func `any second is what Foundation writes`() {
        var generator = TestSupport.SeededGenerator()
        for _ in 0..<2_000 {
            // Foundation has the Julian calendar before 1582.
            let second = Int64.random(in: -12_000_000_000...253_402_300_799, using: &generator)
            let date = Date(timeIntervalSince1970: Double(second))
            let time = CivilTime(secondsSince1970: second)
            let wanted = date.formatted(.iso8601)
            #expect(time.iso8601(nanoseconds: 0, digits: 0) == wanted, "\(generator)")
            // The same 2,000 years before, which the calendar repeats.
            let before = CivilTime(secondsSince1970: second - 5 * 146_097 * 86_400)
            #expect(before.secondOfDay == time.secondOfDay, "\(generator)")
            #expect(before.date.year == time.date.year - 2000, "\(generator)")
            #expect(
                before.date.month == time.date.month && before.date.day == time.date.day,
                "\(generator)")
        }
    }

    @Test func `every second of a day has its time`() {
        var second: Int64 = 0
        for hour in 0..<24 {
            for minute in 0..<60 {
                let start = String(format: "%02d:%02d:", hour, minute)
                for rest in 0..<60 {
                    var writer = CalendarWriter()
                    writer.clock(secondOfDay: second)
                    if writer.text != start + (rest < 10 ? "0\(rest)" : "\(rest)") {
                        Issue.record("second \(second) is \(writer.text)")
                    }
                    second += 1
                }
            }
        }
    }

    @Test func `numbers get zeros in front and lose nothing`() {
        func text(_ number: Int64, _ width: Int) -> String {
            var writer = CalendarWriter()
            writer.verbatim("a")
            writer.digits(number, width: width)
            writer.ascii("b")
            return writer.text
        }
        func wanted(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            let zeros = String(repeating: "0", count: max(0, width - digits.count))
            return "a" + zeros + digits + "b"
        }
        for number in 0...1_100 as ClosedRange<Int64> {
            for width in 1...5 { #expect(text(number, width) == wanted(number, width)) }
        }
        var generator = TestSupport.SeededGenerator()
        for _ in 0..<2_000 {
            let number =
                Int64.random(in: 0...Int64.max, using: &generator)
                >> Int64.random(in: 0...62, using: &generator)
            let width = Int.random(in: 1...20, using: &generator)
            #expect(text(number, width) == wanted(number, width), "\(generator)")
        }
        #expect(text(.max, 1) == "a9223372036854775807b")
    }

    @Test func `a fraction shows its first digits`() {
        var generator = TestSupport.SeededGenerator()
        let edges: [Int64] = [0, 1, 999_999_999]
        for round in 0..<2_000 {
            let nanoseconds =
                round < edges.count
                ? edges[round] : Int64.random(in: 0..<1_000_000_000, using: &generator)
            for digits in 0...9 {
                var writer = CalendarWriter()
                writer.fraction(nanoseconds: nanoseconds, digits: digits)
                let all = String(nanoseconds + 1_000_000_000).dropFirst()
                let wanted = digits == 0 ? "" : "." + all.prefix(digits)
                #expect(writer.text == wanted, "\(nanoseconds) \(generator)")
            }
        }
    }

    @Test func `what is written is read again`() throws {
        var generator = TestSupport.SeededGenerator()
        for _ in 0..<2_000 {
            let second = Int64.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            let nanoseconds = Int64.random(in: 0..<1_000_000_000, using: &generator)
            let digits = Int.random(in: 0...9, using: &generator)
            let text = CivilTime(secondsSince1970: second)
                .iso8601(nanoseconds: nanoseconds, digits: digits)
            var reader = CalendarReader(text)
            let found = reader.moment(CalendarProfile(fractionDigitsMax: 9))
            let unit = (digits..<9).reduce(1 as Int64) { unit, _ in unit * 10 }
            #expect(found?.seconds == second, "\(text) \(generator)")
            #expect(found?.nanoseconds == nanoseconds / unit * unit, "\(text) \(generator)")
            #expect(found?.digits == digits, "\(text) \(generator)")
        }
    }
}
