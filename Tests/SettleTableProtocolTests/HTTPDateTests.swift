import Foundation
import SettleDocuments
import SettleTableProtocol
import TestSupport
import Testing

@Suite struct `Dates of headers` {
    private static let dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ] as [(String, Int64)])
    func `are written and read`(text: String, second: Int64) {
        #expect(HTTPDate.text(of: second) == text)
        #expect(HTTPDate.second(of: text) == second)
    }

    @Test func `have every day of 400 years, each with its own name alone`() {
        // A Saturday.
        var (second, weekday): (Int64, Int) = (-11_676_096_000, 5)
        for year in 1600..<2000 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (length, month) in zip(lengths, Self.monthNames) {
                for day in 1...length {
                    let rest = ", \(day < 10 ? "0" : "")\(day) \(month) \(year) 00:00:00 GMT"
                    let text = Self.dayNames[weekday] + rest
                    if HTTPDate.text(of: second) != text || HTTPDate.second(of: text) != second {
                        Issue.record("\(text) is written \(HTTPDate.text(of: second))")
                    }
                    let wrong = Self.dayNames[(weekday + 1 + day % 6) % 7] + rest
                    if HTTPDate.second(of: wrong) != nil { Issue.record("\(wrong) was read") }
                    (second, weekday) = (second + 86_400, (weekday + 1) % 7)
                }
            }
        }
        #expect(second == 946_684_800 && weekday == 5)
    }

    @Test(arguments: [0, 1900, 1970, 2000, 2023, 2024, 9999] as [Int64])
    func `are days that exist`(year: Int64) {
        let yearText = String(String(year + 10_000).dropFirst())
        for (index, month) in Self.monthNames.enumerated() {
            let count = CivilDate.dayCount(year: year, month: Int64(index) + 1)
            for day in 0...99 as ClosedRange<Int64> {
                let rest = ", \(day < 10 ? "0" : "")\(day) \(month) \(yearText) 12:34:56 GMT"
                let read = Self.dayNames.count { HTTPDate.second(of: $0 + rest) != nil }
                #expect(read == (day >= 1 && day <= count ? 1 : 0), "\(rest)")
            }
        }
    }

    @Test func `have every second of a day, and the leap second behind the last`() {
        let midnight: Int64 = 784_080_000
        for hour in 0..<24 {
            for minute in 0..<60 {
                for rest in 0..<60 {
                    let second = midnight + Int64(hour * 3600 + minute * 60 + rest)
                    let clock = [hour, minute, rest].map { ($0 < 10 ? "0" : "") + String($0) }
                        .joined(separator: ":")
                    let text = "Sun, 06 Nov 1994 \(clock) GMT"
                    if HTTPDate.text(of: second) != text || HTTPDate.second(of: text) != second {
                        Issue.record("\(text) is written \(HTTPDate.text(of: second))")
                    }
                }
            }
        }
        #expect(HTTPDate.second(of: "Sun, 06 Nov 1994 23:59:60 GMT") == midnight + 86_400)
        #expect(HTTPDate.second(of: "Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_800)
    }

    @Test func `are what Foundation says`() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var generator = TestSupport.SeededGenerator()
        for _ in 0..<500 {
            // Foundation has the Julian calendar before 1582.
            let second = Int64.random(in: -12_000_000_000...253_402_300_799, using: &generator)
            let text = HTTPDate.text(of: second)
            #expect(HTTPDate.second(of: text) == second, "\(generator)")
            let wanted = formatter.string(from: Date(timeIntervalSince1970: Double(second)))
            #expect(text == wanted, "\(generator)")
        }
    }

    @Test func `outside of four digits are the first and the last`() {
        let (first, last) = ("Sat, 01 Jan 0000 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT")
        for second in [Int64.min, -62_167_219_201] { #expect(HTTPDate.text(of: second) == first) }
        for second in [Int64.max, 253_402_300_800] { #expect(HTTPDate.text(of: second) == last) }
    }

    @Test(arguments: [
        "", "now", "120", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
        "Monday, 06-Nov-94 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37", "Sunday, 31-Feb-94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 1994", "Mon Nov  6 08:49:37 1994",
        "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT", "Sun Feb 31 08:49:37 1994",
        "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun,  6 Nov 1994 08:49:37 GMT", "Sun, 99 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 NOV 1994 08:49:37 GMT",
        "sun, 06 Nov 1994 08:49:37 gmt", "Sun, 06 November 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Mon, 31 Feb 1994 08:49:37 GMT",
        "Thu, 31 Feb 1994 08:49:37 GMT", "Sat, 31 Feb 2024 00:00:60 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:60 GMT",
        "Sun, 06 Nov 1994 22:59:60 GMT", "Sun, 06 Nov 1994 23:59:61 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37.5 GMT", "Sun, 06 Nov 1994 08:49:37:123 GMT",
        "Sun, 06 Nov 1994 +8:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994  08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37  GMT", " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37 GMT x",
        "Sun,\t06 Nov 1994 08:49:37 GMT", "Sun, 06\u{A0}Nov 1994 08:49:37 GMT",
        "Sun, \u{660}\u{666} Nov 1994 08:49:37 GMT",
    ])
    func `are nothing else`(text: String) {
        #expect(HTTPDate.second(of: text) == nil)
    }

    @Test func `are read in the two older forms, too`() {
        #expect(HTTPDate.second(of: "Sunday, 06-Nov-94 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.second(of: "Sun Nov  6 08:49:37 1994") == 784_111_777)
        let longNames = [
            "Sun": "Sunday", "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday",
            "Thu": "Thursday", "Fri": "Friday", "Sat": "Saturday",
        ]
        var random = TestSupport.SeededGenerator()
        for _ in 0..<2_000 {
            // The years 1900 through 2199.
            let second = Int64.random(in: -2_208_988_800..<7_258_118_400, using: &random)
            let text = HTTPDate.text(of: second)
            let parts = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
            let (name, day, month, year, clock) = (
                parts[0], parts[1], parts[2], parts[3], parts[4]
            )
            let long = longNames[name] ?? ""
            let dashed = "\(long), \(day)-\(month)-\(year.suffix(2)) \(clock) GMT"
            #expect(HTTPDate.second(of: dashed) == second, "\(dashed), \(random)")
            let padded = day.hasPrefix("0") ? " \(day.dropFirst())" : day
            let yearLast = "\(name) \(month) \(padded) \(clock) \(year)"
            #expect(HTTPDate.second(of: yearLast) == second, "\(yearLast), \(random)")
        }
    }

    @Test func `with one character wrong are none, or another date`() {
        let text = Array("Sun, 06 Nov 1994 08:49:37 GMT")
        var readCount = 0
        func check(_ characters: [Character]) {
            let changed = String(characters)
            guard let second = HTTPDate.second(of: changed) else { return }
            readCount += 1
            #expect(HTTPDate.text(of: second) == changed)
        }
        let ascii = (0..<128 as Range<UInt8>).map { Character(Unicode.Scalar($0)) }
        let others = ascii + ["\u{E9}", "\u{662}"]
        for place in text.indices {
            var shorter = text
            shorter.remove(at: place)
            check(shorter)
            for other in others {
                var (replaced, longer) = (text, text)
                replaced[place] = other
                longer.insert(other, at: place)
                check(replaced)
                check(longer)
            }
        }
        // Itself at each of its 29 places, and other times of the same day among them.
        #expect(readCount > text.count)
    }
}
