import Testing

@testable import SettleOData

@Suite struct `OData literals that are written` {
    @Test(arguments: [
        ("it's", "'it''s'"), ("'", "''''"), ("", "''"),
        ("a' or 1 eq 1 or b eq '", "'a'' or 1 eq 1 or b eq '''"), ("'\u{301}", "'''\u{301}'"),
    ])
    func `strings have their quotes doubled`(text: String, literal: String) throws {
        for dialect in ODataDialect.allCases {
            #expect(try ODataLiteral.text(of: .string(text), dialect) == literal)
        }
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.0000001Z"),
        (10, "1970-01-01T00:00:00.000001Z"), (10_000, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.9999999Z"),
        (-621_355_968_000_000_000, "0001-01-01T00:00:00.000Z"),
        (2_534_023_007_999_999_999, "9999-12-31T23:59:59.9999999Z"),
    ])
    func `moments have as many digits as they need`(ticks: Int64, text: String) throws {
        let instant = ODataValue.instant(Instant(ticks: ticks))
        #expect(try ODataLiteral.text(of: instant, .version3) == "datetimeoffset'\(text)'")
        #expect(
            try ODataLiteral.text(of: instant, .version4) == "cast(\(text),Edm.DateTimeOffset)")
    }

    @Test func `what has no literal is refused with a sentence`() {
        for value: ODataValue in [
            .double(.nan), .double(.infinity), .array([]), .object([:]), .guid("a' or true"),
            .instant(Instant(ticks: .max)), .instant(Instant(ticks: -621_355_968_000_000_001)),
        ] {
            for dialect in ODataDialect.allCases {
                let error = #expect(throws: ODataWriteError.self) {
                    try ODataLiteral.text(of: value, dialect)
                }
                #expect(error?.message.hasPrefix("A filter compares to") == true)
            }
        }
    }

    @Test func `forms of their own are kept, and mean their value`() throws {
        let moment = "2021-03-24T12:50:44.1234567+02:00"
        let cases: [(ODataSpelling, String, String, ODataValue)] = [
            (.single(0.1), "0.1f", "0.1f", .double(0.1)),
            (.decimal("1.50"), "1.50M", "1.50M", .double(1.5)),
            (
                .dateTime(Instant(ticks: 0)), "datetime'1970-01-01T00:00:00.000Z'",
                "cast(1970-01-01T00:00:00.000Z,Edm.DateTimeOffset)", .instant(Instant(ticks: 0))
            ),
            (
                .timestamp(moment), "datetimeoffset'\(moment)'",
                "cast(\(moment),Edm.DateTimeOffset)",
                .instant(try #require(Instant(text: moment)))
            ),
            // No moment to our reader, and yet what a server said.
            (
                .received("2021-03-24T12:50:44.123456789Z"),
                "datetimeoffset'2021-03-24T12:50:44.123456789Z'",
                "cast(2021-03-24T12:50:44.123456789Z,Edm.DateTimeOffset)", .null
            ),
        ]
        for (spelling, old, new, value) in cases {
            #expect(try ODataLiteral.text(of: spelling, .version3) == old)
            #expect(try ODataLiteral.text(of: spelling, .version4) == new)
            #expect(spelling.value == value)
            let evaluated = try ODataEvaluator.isTrue(
                .comparison(.equal, .spelled(spelling), .literal(value)), for: SampleItem([:]))
            #expect(evaluated)
        }
        for spelling: ODataSpelling in [
            .single(.nan), .decimal("NaN"), .decimal("0x1"), .decimal("1 or 1"), .timestamp("now"),
            .received(""), .received("2021' or '"), .impossible("24:00"),
        ] {
            #expect(spelling.value == .null)
            for dialect in ODataDialect.allCases {
                #expect(throws: ODataWriteError.self) {
                    try ODataLiteral.text(of: spelling, dialect)
                }
            }
        }
    }
}
