import Foundation
import TestSupport
import Testing

@testable import SettleREST

@Suite(.serialized) struct `Row time` {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0, 0, 0), ("1970-01-01T00:00:00.5Z", 0, 500_000_000, 1),
        ("2021-01-02T03:04:05.1234567Z", 1_609_556_645, 123_456_700, 7),
        ("2021-01-02T05:04:05.123456789+02:00", 1_609_556_645, 123_456_789, 9),
        ("2021-01-02T01:34:05.00-0130", 1_609_556_645, 0, 2),
        ("2021-01-02t03:04:05", 1_609_556_645, 0, 0),
        ("2024-02-29T00:00:00.000Z", 1_709_164_800, 0, 3),
        ("0001-01-01T00:00:00Z", -62_135_596_800, 0, 0),
        ("1969-12-31T23:59:59.999Z", -1, 999_000_000, 3),
        ("2016-12-31T23:59:60Z", 1_483_228_800, 0, 0),
        ("2021-02-31T00:00:00Z", 1_614_729_600, 0, 0),
        ("2024-02-31T00:00:00Z", 1_709_337_600, 0, 0),
        ("2021-04-31T00:00:00Z", 1_619_827_200, 0, 0),
    ])
    func `is read exactly`(text: String, seconds: Int, nanoseconds: Int, digits: Int) throws {
        let time = try #require(RowTime(text))
        #expect(time.text == text)
        #expect(time.seconds == Int64(seconds) && time.nanoseconds == Int64(nanoseconds))
        #expect(time.digits == digits)
    }

    @Test(arguments: [
        "", "x", "2021", "2021-01-02", "2021-01-02 03:04:05Z", "2021-13-02T03:04:05Z",
        "2021-01-02T24:04:05Z", "2021-01-02T03:04:05.Z", "2021-01-02T03:04:05.1234567890Z",
        "2021-01-02T03:04:05Z'", "2021-01-02T03:04:05' or 1 eq 1", "2021-01-02T03:04:05+1:00",
        "+021-01-02T03:04:05Z", "2021-01-02T03:04:05.-1Z", "2021-00-02T03:04:05Z",
        "2021-01-02T03:04:05ZZ", "\u{0662}021-01-02T03:04:05Z",
    ])
    func `is never read from anything else`(text: String) {
        #expect(RowTime(text) == nil)
    }

    @Test func `is written so that it is read again, in the order of the calendar`() throws {
        var random = SeededGenerator()
        for _ in 0..<3_000 {
            // Foundation has the Julian calendar before 1582.
            let seconds = Int64.random(in: -12_000_000_000...253_402_300_799, using: &random)
            let date = Date(timeIntervalSince1970: Double(seconds))
            let time = RowTime(date)
            #expect(
                time.text.dropLast(5) == date.formatted(.iso8601).dropLast(), "\(random)")
            #expect(RowTime(time.text) == time, "\(random)")
            let digits = Int.random(in: 0...9, using: &random)
            let nanoseconds = Int64.random(in: 0..<1_000_000_000, using: &random)
            let fine = RowTime(seconds: seconds, nanoseconds: nanoseconds, digits: 9)
            let floor = fine.floored(digits: digits)
            let next = floor.advanced(digits: digits)
            #expect(floor <= fine && fine < next, "\(random) \(digits)")
            #expect(next.floored(digits: digits) == next, "\(random) \(digits)")
        }
    }

    @Test func `takes dates that no table can hold`() {
        #expect(RowTime(.distantPast).text == "0001-01-01T00:00:00.000Z")
        #expect(RowTime(Date(timeIntervalSince1970: 1e300)).text == "9999-12-31T23:59:59.000Z")
    }
}
