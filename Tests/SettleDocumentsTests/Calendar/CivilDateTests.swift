import Foundation
import SettleDocuments
import TestSupport
import Testing

@Suite struct `Civil dates` {
    private let naive = NaiveCalendar()

    @Test(arguments: [-800, 0, 1600, 2000] as [Int64])
    func `every day of 400 years follows the one before`(first: Int64) throws {
        var (year, month, day): (Int64, Int64, Int64) = (first, 1, 1)
        let start = CivilDate.daysSince1970(year: first, month: 1, day: 1)
        for days in start..<start + 146_097 {
            let date = CivilDate(daysSince1970: days)
            guard date.year == year, date.month == month, date.day == day,
                date.daysSince1970 == days, CivilDate(year: year, month: month, day: day) == date
            else {
                Issue.record("\(year)-\(month)-\(day) is day \(days), and that is \(date)")
                return
            }
            day += 1
            let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
            let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            if day > lengths[Int(month) - 1] { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect(year == first + 400 && month == 1 && day == 1)
        #expect(try #require(naive.seconds(first, 1, 1)) == start * 86_400)
    }

    @Test func `any day is Foundation's, before Christ as well`() throws {
        var generator = TestSupport.SeededGenerator()
        for _ in 0..<4_000 {
            let year = Int64.random(in: -300_000...300_000, using: &generator)
            let month = Int64.random(in: 1...12, using: &generator)
            let count = try #require(naive.dayCount(year, month))
            #expect(CivilDate.dayCount(year: year, month: month) == count, "\(generator)")
            let day = Int64.random(in: 1...count, using: &generator)
            let seconds = try #require(naive.seconds(year, month, day))
            let date = try #require(CivilDate(year: year, month: month, day: day))
            #expect(date.daysSince1970 * 86_400 == seconds, "\(date) \(generator)")
            #expect(CivilDate(daysSince1970: seconds / 86_400) == date, "\(generator)")
        }
    }

    @Test(arguments: [-400, -100, -4, -1, 0, 1, 4, 1900, 2000, 2023, 2024, 9999] as [Int64])
    func `only days that exist are made`(year: Int64) throws {
        for month in -1...14 as ClosedRange<Int64> {
            let count =
                (1...12).contains(month) ? try #require(naive.dayCount(year, month)) : 0
            for day in -1...40 as ClosedRange<Int64> {
                let date = CivilDate(year: year, month: month, day: day)
                #expect((date != nil) == (day >= 1 && day <= count), "\(year) \(month) \(day)")
                guard (1...12).contains(month) else { continue }
                let seconds = try #require(naive.seconds(year, month, day))
                let days = CivilDate.daysSince1970(year: year, month: month, day: day)
                #expect(days * 86_400 == seconds, "\(year) \(month) \(day)")
            }
        }
    }

    @Test func `the first and the last second there is have a day`() {
        for second in [Int64.min, .max] {
            let days = second.flooredQuotientAndRemainder(dividingBy: 86_400).quotient
            #expect(CivilDate(daysSince1970: days).daysSince1970 == days)
        }
    }

    @Test func `texts have four digits of a year, or a sign`() throws {
        func text(_ year: Int64, _ month: Int64, _ day: Int64) -> String? {
            CivilDate(year: year, month: month, day: day)?.iso8601
        }
        #expect(text(2026, 11, 21) == "2026-11-21")
        #expect(text(0, 1, 2) == "0000-01-02")
        #expect(text(9999, 12, 31) == "9999-12-31")
        #expect(text(10_000, 1, 1) == "+10000-01-01")
        #expect(text(-1, 12, 31) == "-1-12-31")
    }

    @Test func `division is rounded down, and what remains is not negative`() {
        for divisor in 1...20 as ClosedRange<Int64> {
            for value in -100...100 as ClosedRange<Int64> {
                let (quotient, rest) = value.flooredQuotientAndRemainder(dividingBy: divisor)
                #expect(quotient * divisor + rest == value && (0..<divisor).contains(rest))
            }
        }
        #expect(Int64.min.flooredQuotientAndRemainder(dividingBy: 1) == (.min, 0))
        #expect(Int64.max.flooredQuotientAndRemainder(dividingBy: .max) == (1, 0))
        #expect(Int64.min.flooredQuotientAndRemainder(dividingBy: .max) == (-2, .max - 1))
    }
}
