import Foundation
import SettleREST
import SettleSync
import Testing

@Suite struct `OData predicate` {
    private func both(_ predicate: ODataPredicate) throws -> [String] {
        [try predicate.text(for: .v3), try predicate.text(for: .v4)]
    }

    private func expect(_ predicate: ODataPredicate, _ text: String) throws {
        let texts = try both(predicate)
        #expect(texts == [text, text])
    }

    private func expect(_ predicate: ODataPredicate, v3: String, v4: String) throws {
        let texts = try both(predicate)
        #expect(texts == [v3, v4])
    }

    @Test func `reads like Swift and writes like OData`() throws {
        let predicate: ODataPredicate =
            .field("population") > 1000 && .field("country") == "DE"
            || .field("name").startsWith("Gar")
        try expect(
            predicate, "population gt 1000 and country eq 'DE' or startswith(name,'Gar')")
    }

    @Test func `may be in the server's words, and is joined to others in parentheses`() throws {
        let given = ODataPredicate(verbatim: "a eq 1 or b eq ')''('")
        try expect(given, "a eq 1 or b eq ')''('")
        try expect(given && .field("c") == 2, "(a eq 1 or b eq ')''(') and c eq 2")
        try expect(!given, "not (a eq 1 or b eq ')''(')")
        try expect(.field("c") == 2 || given, "c eq 2 or a eq 1 or b eq ')''('")
    }

    @Test(arguments: ["", " \t", "a eq 1) or (b eq 2", "(a eq 1", "a eq 'x", "a eq 1)", "'a'')"])
    func `in the server's words is refused when it does not end where it seems to`(
        text: String
    ) {
        let predicate = ODataPredicate(verbatim: text) && .field("c") == 2
        #expect {
            try predicate.text(for: .v3)
        } throws: {
            ($0 as? ReplicationError)?.code == .misconfigured
        }
    }

    @Test func `has the six comparisons`() throws {
        try expect(.field("a") == 1, "a eq 1")
        try expect(.field("a") != 1, "a ne 1")
        try expect(.field("a") > 1, "a gt 1")
        try expect(.field("a") >= 1, "a ge 1")
        try expect(.field("a") < 1, "a lt 1")
        try expect(.field("a") <= .field("b"), "a le b")
    }

    @Test func `writes nothing, true and false as words`() throws {
        try expect(.field("a") == nil, "a eq null")
        try expect(.field("a") != nil, "a ne null")
        try expect(.field("a") == .null, "a eq null")
        try expect(.field("a") == String?.none, "a eq null")
        try expect(.field("a") == String?.some("b"), "a eq 'b'")
        try expect(.field("a") == true, "a eq true")
        try expect(.field("a") != false, "a ne false")
    }

    @Test func `doubles the quotes in a string`() throws {
        try expect(.field("a") == "it's", "a eq 'it''s'")
        try expect(.field("a") == "", "a eq ''")
        try expect(.field("a") == "''", "a eq ''''''")
        try expect(.field("a") == "' or 1 eq 1 or a eq '", "a eq ''' or 1 eq 1 or a eq '''")
        // For Swift this is one character, and not a quote.
        try expect(.field("a") == "x'\u{301} or true", "a eq 'x''\u{301} or true'")
    }

    @Test func `marks whole numbers that do not fit 32 bits`() throws {
        try expect(.field("a") == 25, "a eq 25")
        try expect(.field("a") == -25, "a eq -25")
        try expect(.field("a") == 2_147_483_647, "a eq 2147483647")
        try expect(.field("a") == 2_147_483_648, "a eq 2147483648L")
        try expect(.field("a") == -2_147_483_648, "a eq -2147483648")
        try expect(.field("a") == Int64.max, "a eq 9223372036854775807L")
        try expect(.field("a") == Int64.min, "a eq -9223372036854775808L")
        try expect(.field("a") == Int32(7), "a eq 7")
    }

    @Test func `writes numbers with all their digits`() throws {
        try expect(.field("a") == 5.99, "a eq 5.99")
        try expect(.field("a") == 5.0, "a eq 5.0")
        try expect(.field("a") == 0.1 + 0.2, "a eq 0.30000000000000004")
        try expect(.field("a") == 1e300, "a eq 1.0e300")
        try expect(.field("a") == -1.5e-7, "a eq -1.5e-07")
        try expect(.field("a") == Float(50), "a eq 50.0f")
        try expect(.field("a") == Float(0.1), "a eq 0.1f")
        let decimal = try #require(Decimal(string: "1234567890123456789.0123456789"))
        try expect(.field("a") == decimal, "a eq 1234567890123456789.0123456789M")
        try expect(.field("a") == Decimal(-2), "a eq -2M")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `refuses a number that is none`(value: Double) throws {
        for predicate: ODataPredicate in [
            .field("a") == value, .field("a") == Float(value), .field("a").isIn([value]),
            .field("a") + value > 1,
        ] {
            #expect(throws: ReplicationError.self) { try predicate.text(for: .v3) }
            #expect(throws: ReplicationError.self) { try predicate.text(for: .v4) }
        }
        #expect(throws: ReplicationError.self) {
            try (ODataPredicate.field("a") == Decimal.nan).text(for: .v3)
        }
    }

    @Test func `writes times with milliseconds, finer where they are`() throws {
        let time = Date(timeIntervalSince1970: 1_616_590_244)
        try expect(
            .field("updatedAt") > time,
            v3: "updatedAt gt datetimeoffset'2021-03-24T12:50:44.000Z'",
            v4: "updatedAt gt cast(2021-03-24T12:50:44.000Z,Edm.DateTimeOffset)")
        try expect(
            .field("a") > time.addingTimeInterval(0.345),
            v3: "a gt datetimeoffset'2021-03-24T12:50:44.345Z'",
            v4: "a gt cast(2021-03-24T12:50:44.345Z,Edm.DateTimeOffset)")
        try expect(
            .field("a") > time.addingTimeInterval(0.345_678),
            v3: "a gt datetimeoffset'2021-03-24T12:50:44.345678Z'",
            v4: "a gt cast(2021-03-24T12:50:44.345678Z,Edm.DateTimeOffset)")
        try expect(
            .field("a") > .dateTime(time.addingTimeInterval(0.345_678)),
            v3: "a gt datetime'2021-03-24T12:50:44.346Z'",
            v4: "a gt cast(2021-03-24T12:50:44.346Z,Edm.DateTimeOffset)")
        try expect(
            .field("a") > .timestamp("2021-03-24T12:50:44.1234567+02:00"),
            v3: "a gt datetimeoffset'2021-03-24T12:50:44.1234567+02:00'",
            v4: "a gt cast(2021-03-24T12:50:44.1234567+02:00,Edm.DateTimeOffset)")
    }

    @Test func `agrees with Foundation about the calendar`() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var generator = SeededDates()
        for date in generator.dates(count: 2_000) {
            let text = try (ODataPredicate.field("a") == date).text(for: .v3)
            #expect(text == "a eq datetimeoffset'\(date.formatted(style))'")
        }
    }

    // Not as dates: Foundation cannot describe one that is infinite.
    @Test(arguments: [
        Double.infinity, -.infinity, .nan, 253_402_300_800, -62_135_596_801, -1e14, 1e300,
    ])
    func `refuses a time that four digits of a year cannot write`(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(throws: ReplicationError.self) {
            try (ODataPredicate.field("a") == date).text(for: .v4)
        }
        #expect(throws: ReplicationError.self) {
            try (ODataPredicate.field("a") == .dateTime(date)).text(for: .v3)
        }
    }

    @Test(arguments: [
        "", "yesterday", "2021-03-24", "2021-03-24T12:50:44", "2021-03-24T12:50:44.Z",
        "2021-03-24T12:50:44.12345678Z", "2021-03-24T12:50:44Z'", "2021-03-24T12:50:44Z,Edm.Guid)",
        "2021-03-24T12:50:44+0200", "2021-03-24 12:50:44Z", "0000-00-00Tdd:00:00Z",
        "٢٠٢١-03-24T12:50:44Z",
    ])
    func `refuses a text that is no time`(text: String) {
        for version in [ODataVersion.v3, .v4] {
            #expect(throws: ReplicationError.self) {
                try (ODataPredicate.field("a") == .timestamp(text)).text(for: version)
            }
        }
    }

    @Test func `knows days and times of day in version 4 alone`() throws {
        let day: ODataPredicate = .field("a") == .day(year: 1994, month: 2, day: 28)
        #expect(try day.text(for: .v4) == "a eq cast(1994-02-28,Edm.Date)")
        let time: ODataPredicate = .field("a") < .timeOfDay(hour: 7, minute: 14, second: 0)
        #expect(try time.text(for: .v4) == "a lt cast(07:14:00.000,Edm.TimeOfDay)")
        for predicate in [day, time] {
            #expect(throws: ReplicationError.self) { try predicate.text(for: .v3) }
        }
        for predicate: ODataPredicate in [
            .field("a") == .day(year: 1994, month: 2, day: 29),
            .field("a") == .day(year: 1994, month: 13, day: 1),
            .field("a") == .timeOfDay(hour: 24, minute: 0, second: 0),
        ] {
            #expect(throws: ReplicationError.self) { try predicate.text(for: .v4) }
        }
    }

    @Test func `writes identifiers with their type`() throws {
        let id = try #require(UUID(uuidString: "0123ABCD-0000-4000-8000-00000000000F"))
        try expect(
            .field("a") == id, v3: "a eq guid'0123abcd-0000-4000-8000-00000000000f'",
            v4: "a eq cast(0123abcd-0000-4000-8000-00000000000f,Edm.Guid)")
    }

    @Test func `writes a list of values, or a comparison for each`() throws {
        try expect(
            .field("a").isIn(["x", "it's"]), v3: "a eq 'x' or a eq 'it''s'",
            v4: "a in ('x','it''s')")
        try expect(.field("a").isIn([1]), v3: "a eq 1", v4: "a in (1)")
        try expect(.field("a").isIn([Int]()), "1 eq 0")
        try expect(
            .field("a").isIn([1, 2]) && .field("b") == 3,
            v3: "(a eq 1 or a eq 2) and b eq 3", v4: "a in (1,2) and b eq 3")
        try expect(
            !.field("a").isIn([1, 2]), v3: "not (a eq 1 or a eq 2)", v4: "not (a in (1,2))")
    }
}

/// Times from 1583 to 2500, with whole milliseconds.
private struct SeededDates {
    private var state: UInt64 = 7

    mutating func dates(count: Int) -> [Date] {
        (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let seconds = Int(state >> 20) % 28_900_000_000 - 12_200_000_000
            return Date(timeIntervalSince1970: Double(seconds))
        }
    }
}
