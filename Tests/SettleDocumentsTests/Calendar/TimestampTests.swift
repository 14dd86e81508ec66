import SettleDocuments
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999999Z", -1),
        ("2026-11-21T03:04:05.123Z", 1_795_230_245_123_000),
        ("2026-11-21t03:04:05.123z", 1_795_230_245_123_000),
        ("2026-11-21T05:04:05.123456789+02:00", 1_795_230_245_123_456),
        ("2026-11-20T21:34:05.1-05:30", 1_795_230_245_100_000),
        ("2000-02-29T00:00:00-00:00", 951_782_400_000_000),
        ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ])
    func `a text is a time`(text: String, microseconds: Int64) {
        #expect(Timestamp(iso8601: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "2021-02-30T00:00:00Z", "2021-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2021-00-01T00:00:00Z", "2021-13-01T00:00:00Z", "2021-01-00T00:00:00Z",
        "2021-04-31T00:00:00Z",
        "2021-01-01T24:00:00Z", "2021-01-01T00:60:00Z", "2016-12-31T23:59:60Z",
        "2021-01-01 00:00:00Z", "2021-01-01T00:00:00", "2021-01-01T00:00:00.Z",
        "2021-01-01T00:00:00.1234567890Z", "2021-01-01T00:00:00,5Z", "2021-01-01T00:00:00+0100",
        "2021-01-01T00:00:00+24:00", "2021-01-01T00:00:00+01:60", "2021-01-01T00:00:00ZZ",
        "2021-01-01T00:00Z", "21-01-01T00:00:00.000Z", "+021-01-01T00:00:00Z",
        "２021-01-01T00:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
        "an ordinary sentence", "abcd-ef-an ordinary one",
    ])
    func `anything else is no time`(text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test func `texts have three or six digits, or as many as asked for`() {
        #expect(Timestamp(microseconds: 0).iso8601 == "1970-01-01T00:00:00.000Z")
        #expect(Timestamp(microseconds: -1).iso8601 == "1969-12-31T23:59:59.999999Z")
        let time = Timestamp(microseconds: 1_795_230_245_123_456)
        #expect(time.iso8601 == "2026-11-21T03:04:05.123456Z")
        #expect(time.iso8601(fractionDigits: 0) == "2026-11-21T03:04:05Z")
        #expect(time.iso8601(fractionDigits: 3) == "2026-11-21T03:04:05.123Z")
        #expect(time.iso8601(fractionDigits: 6) == "2026-11-21T03:04:05.123456Z")
        #expect(Timestamp(microseconds: .max).iso8601 == "+294247-01-10T04:00:54.775807Z")
        #expect(Timestamp(microseconds: .min).iso8601 == "-290308-12-21T19:59:05.224192Z")
    }

    @Test func `every day of four centuries follows the one before`() {
        var expected: Int64 = -135_140 * 86_400_000_000  // 1600-01-01
        for year in 1600..<2000 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, length) in lengths.enumerated() {
                for day in [1, 2, length - 1, length] {
                    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
                    let text = "\(year)-\(two(month + 1))-\(two(day))T00:00:00.000Z"
                    let time = Timestamp(microseconds: expected + Int64(day - 1) * 86_400_000_000)
                    if time.iso8601 != text || Timestamp(iso8601: text) != time {
                        Issue.record("\(text) is written \(time.iso8601)")
                    }
                }
                expected += Int64(length) * 86_400_000_000
            }
        }
    }

    @Test func `random times come back from their texts`() {
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let time = Timestamp(
                microseconds: Int64.random(
                    in: -62_167_219_200_000_000...253_402_300_799_999_999, using: &generator))
            #expect(Timestamp(iso8601: time.iso8601) == time, "seed \(seed)")
        }
    }
}
