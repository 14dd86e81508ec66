import Foundation
import SettleDocuments
import TestSupport
import Testing

@Suite struct `Calendar reading` {
    @Test func `any profile takes what its members say, and as Foundation understands it`() {
        let naive = NaiveCalendar()
        var generator = TestSupport.SeededGenerator()
        var counts = (read: 0, refused: 0)
        for _ in 0..<8_000 {
            let profile = CalendarProfile(
                hasLongMonths: .random(using: &generator),
                mayOmitSeconds: .random(using: &generator),
                secondMax: Bool.random(using: &generator) ? 59 : 60,
                fractionDigitsMax: .random(in: 0...9, using: &generator),
                mayOmitZone: .random(using: &generator),
                mayOmitZoneColon: .random(using: &generator))
            let text = Self.text(using: &generator)
            var reader = CalendarReader(text)
            let found = reader.moment(profile).map {
                [$0.seconds, $0.nanoseconds, Int64($0.digits)]
            }
            let wanted = naive.moment(text, profile)
            #expect(found == wanted, "\(text) in \(profile), \(generator)")
            if wanted == nil { counts.refused += 1 } else { counts.read += 1 }
        }
        #expect(counts.read > 1_000 && counts.refused > 1_000)
    }

    @Test(arguments: [
        ("03:04", 11_040, 0, 0), ("03:04:05", 11_045, 0, 0), ("23:59:60", 86_400, 0, 0),
        ("00:00:00.000000001", 0, 1, 9), ("00:00:00.10", 0, 100_000_000, 2),
    ])
    func `times of day are read alone`(
        text: String, second: Int64, nanoseconds: Int64, digits: Int
    ) throws {
        let profile = CalendarProfile(mayOmitSeconds: true, secondMax: 60, fractionDigitsMax: 9)
        var reader = CalendarReader(text)
        let found = reader.timeOfDay(profile)
        let time = try #require(found)
        #expect(time == (second, nanoseconds, digits))
        #expect(reader.isAtEnd)
    }

    @Test(arguments: ["", "3:04", "03.04", "24:00", "00:60", "03:04:", "03:04:61", "03:04:05."])
    func `what is no time of day is refused`(text: String) {
        let profile = CalendarProfile(mayOmitSeconds: true, secondMax: 60, fractionDigitsMax: 9)
        var reader = CalendarReader(text)
        let time = reader.timeOfDay(profile)
        #expect(time == nil)
    }

    @Test func `days are read alone, and what follows is left`() {
        let profile = CalendarProfile(fractionDigitsMax: 0)
        func days(_ text: String, _ profile: CalendarProfile) -> (days: Int64?, isAll: Bool) {
            var reader = CalendarReader(text)
            let days = reader.days(profile)
            return (days, reader.isAtEnd)
        }
        let long = CalendarProfile(hasLongMonths: true, fractionDigitsMax: 0)
        #expect(days("1970-01-02", profile) == (1, true))
        #expect(days("1970-01-02 and more", profile) == (1, false))
        #expect(days("2021-02-31", profile) == (nil, true))
        #expect(days("2021-02-31", long) == (18_689, true))
        #expect(days("2021-02-32", long) == (nil, true))
    }

    @Test func `a text longer than any time is refused at once`() {
        func number(_ count: Int) -> Int64? {
            var reader = CalendarReader(String(repeating: "1", count: count))
            return reader.number(digits: 2)
        }
        #expect(number(40) == 11)
        #expect(number(41) == nil)
    }

    /// A date and time, mostly one that some profile takes.
    private static func text(using generator: inout TestSupport.SeededGenerator) -> String {
        func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
        func part(_ usual: ClosedRange<Int>, _ all: ClosedRange<Int>, _ width: Int = 2) -> String {
            let digits = String(Int.random(in: one(in: 20) ? all : usual, using: &generator))
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        var text = part(0...9999, 0...4, 4) + "-" + part(1...12, 0...13) + "-"
        text += part(1...31, 0...32) + (one(in: 20) ? " " : one(in: 3) ? "t" : "T")
        text += part(0...23, 0...25) + ":" + part(0...59, 0...61)
        if !one(in: 5) {
            text += ":" + part(0...59, 58...61)
            let digits = one(in: 3) ? nil : Int.random(in: 0...11, using: &generator)
            if let digits {
                text += "."
                for _ in 0..<digits { text += String(Int.random(in: 0...9, using: &generator)) }
            }
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: break
        case 1: text += "z"
        case 2, 3: text += "Z"
        default:
            text += one(in: 2) ? "+" : "-"
            text += part(0...23, 0...25) + (one(in: 3) ? "" : ":") + part(0...59, 0...61)
        }
        guard one(in: 6) else { return text }
        var characters = Array(text)
        let place = Int.random(in: 0..<characters.count, using: &generator)
        let other = "0123456789-+:.TtZz /,\u{0}é\u{0662}٣".randomElement(using: &generator) ?? "x"
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: characters[place] = other
        case 1: characters.remove(at: place)
        default: characters.insert(other, at: place)
        }
        return String(characters)
    }
}
