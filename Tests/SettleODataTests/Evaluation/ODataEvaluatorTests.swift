import SettleDocuments
import Testing

@testable import SettleOData

@Suite(.serialized) struct `OData evaluator` {
    private static let item: SampleItem = {
        var item = SampleItem([
            "n": 5, "big": 9_007_199_254_740_993, "x": 2.5, "neg": -2.5, "s": "Abc ", "t": "it's",
            "flag": true, "nul": .null, "d": "2021-02-03T04:05:06.789+01:00",
            "channels": ["north", "south"], "o": ["p": ["q": 1]], "e": "e\u{301}x", "empty": [],
            "g": "0123ABCD-0123-4567-89AB-0123456789AB", "nums": [1, 2, 3],
            "due": "2021-02-03", "last": "9999-12-31T23:59:00-23:00", "at": "07:14:00.5",
            "half": 0.5, "wide": 1.5e300,
            "lines": [["product": "pen", "tags": ["a"]], ["product": "ink", "tags": []]],
        ])
        item.updatedAt = Instant(text: "2021-01-02T00:00:00.123456Z") ?? item.updatedAt
        return item
    }()

    private func isTrue(
        _ text: String, _ dialect: ODataDialect = .version3
    ) throws -> Bool {
        let filter = try ODataParser.filter(text, dialect: dialect)
        return try ODataEvaluator.isTrue(filter, for: Self.item)
    }

    @Test(arguments: [
        "missing eq null", "nul eq null", "n ne null", "missing ne 1", "null eq null",
        "not (missing lt 1)", "(missing and false) eq false", "missing or true",
        "o/p/q eq 1", "o/p/r eq null", "n/p eq null", "s/x/y eq null", "(missing add 1) eq null",
        "length(missing) eq null", "(1 div 0) eq null", "(1.0 div 0) eq null", "(1 mod 0) eq null",
        "(9223372036854775807 add 1) eq null", "-(-9223372036854775808) eq null",
        "(s add 1) eq null", "(not missing) eq null", "(not n) eq null",
    ])
    func `nulls behave as documented`(text: String) throws {
        #expect(try isTrue(text))
    }

    @Test(arguments: [
        "missing", "not missing", "missing lt 1", "missing ge 1", "null lt null", "null le null",
        "missing and true", "startswith(missing, 'a')", "not startswith(missing, 'a')", "n",
        "n eq '5'", "n lt 'a'", "flag eq 1", "flag lt true", "channels eq 'north'", "o gt 1",
    ])
    func `what is null or of two kinds is not wanted`(text: String) throws {
        #expect(try !isTrue(text))
    }

    @Test(arguments: [
        "big eq 9007199254740993", "big ne 9007199254740992", "big gt 9007199254740992.0",
        "big lt 9007199254740994d", "n eq 5.0", "n eq 5m", "x gt 2 and x lt 3", "n mod 2 eq 1",
        "n div 2 eq 2", "n div 2.0 eq 2.5", "-n div 2 eq -2", "-n mod 2 eq -1", "n sub 7 eq -2",
        "n mul x eq 12.5", "9223372036854775807 lt 9.3e18", "-9223372036854775808 ge -9.3e18",
        "9223372036854775807 lt 9223372036854775808.0", "x mod 2 eq 0.5", "-x eq neg",
        "floor(x) eq 2", "ceiling(x) eq 3", "round(x) eq 3", "round(neg) eq -3", "round(n) eq 5",
        "floor(neg) eq -3", "5 in (1, n)", "n in (5.0)", "not (n in (4, 'x', null))",
        "missing in (null)",
    ])
    func `numbers are exact`(text: String) throws {
        #expect(try isTrue(text))
    }

    @Test(arguments: [
        "startswith(s, 'Ab')", "endswith(s, 'c ')", "substringof('bc', s)", "contains(s, 'bc')",
        "contains(s, '')", "not contains('', 'a')", "tolower(s) eq 'abc '", "toupper(s) eq 'ABC '",
        "trim(s) eq 'Abc'", "trim('  ') eq ''", "length(s) eq 4", "indexof(s, 'c') eq 2",
        "indexof(s, 'x') eq -1", "indexof(e, 'x') eq 2", "length(e) eq 3", "contains(e, 'e')",
        "concat(s, 'x') eq 'Abc x'", "replace(s, 'b', 'zz') eq 'Azzc '", "replace(s, '', 'z') eq s",
        "replace('aaa', 'aa', 'b') eq 'ba'", "substring(s, 1) eq 'bc '",
        "substring(s, 1, 2) eq 'bc'", "substring(s, 9) eq ''", "substring(s, -1, 1) eq 'A'",
        "substring(s, 0, -1) eq ''", "t eq 'it''s'", "'a' lt 'b'", "'B' lt 'a'", "'' lt 'a'",
        "'e\u{301}' ne '\u{E9}'", "STARTSWITH(s, 'A')",
        "g eq guid'0123abcd-0123-4567-89ab-0123456789ab'",
    ])
    func `strings are compared and cut by scalars`(text: String) throws {
        #expect(try isTrue(text))
    }

    @Test(arguments: [
        "updatedAt eq datetimeoffset'2021-01-02T00:00:00.123456Z'",
        "updatedAt eq datetimeoffset'2021-01-02T00:00:00.1234560+00:00'",
        "updatedAt lt datetimeoffset'2021-01-02T00:00:00.1234561Z'",
        "updatedAt gt datetimeoffset'2021-01-02T00:00:00.1234559Z'",
        "updatedAt ge datetimeoffset'2021-01-02T00:00:00.123Z'",
        "updatedAt lt datetimeoffset'2021-01-02T00:00:00.124Z'",
        "updatedAt eq datetimeoffset'2021-01-01T22:30:00.123456-01:30'",
        "updatedAt gt datetime'2021-01-01T00:00'", "updatedAt gt '2021-01-01T00:00:00Z'",
        "updatedAt ne 'soon'", "not (updatedAt gt 'soon')", "updatedAt ne null",
        "createdAt eq datetime'1970-01-01T00:00:00Z'",
        "d eq datetimeoffset'2021-02-03T03:05:06.789Z'", "d lt datetime'2021-02-04T00:00:00Z'",
        "year(d) eq 2021 and month(d) eq 2 and day(d) eq 3",
        "hour(d) eq 3 and minute(d) eq 5 and second(d) eq 6", "year(updatedAt) eq 2021",
        "year(s) eq null", "version eq 'v' and deleted eq false and id eq 'x'",
    ])
    func `times are compared as times`(text: String) throws {
        #expect(try isTrue(text))
    }

    @Test(arguments: [
        "due eq 2021-02-03", "due ge 2021-02-03", "2021-02-04 gt due", "due ne 2021-02-04",
        "due eq date'2021-02-03'", "due eq cast(2021-02-03,Edm.Date)",
        "due eq cast('2021-02-03','Edm.Date')", "due in (2021-02-03, 2021-02-05)",
        "2021-02-03 in (s, due)", "date(due) eq 2021-02-03", "date(due) eq '2021-02-03'",
        "date(d) eq 2021-02-03", "d eq 2021-02-03", "d lt 2021-02-04", "date(d) eq due",
        "updatedAt ge 2021-01-02", "updatedAt lt 2021-01-03", "date(updatedAt) eq 2021-01-02",
        "missing ne 2021-02-03", "not (s eq 2021-02-03)", "date(s) eq null", "date(n) eq null",
        "year(due) eq 2021 and month(due) eq 2 and day(due) eq 3", "hour(due) eq null",
        "cast(d, Edm.Date) eq due", "date(last) eq null", "year(last) eq 10000",
        "last ne 2021-02-03",
        "not (last lt 2021-02-03)",
    ])
    func `dates are compared as days`(text: String) throws {
        #expect(try isTrue(text))
        #expect(try isTrue(text, .version4))
    }

    @Test(arguments: [
        "at eq 07:14:00.5", "at eq 07:14:00.5000000", "at gt 07:14", "at lt 07:14:01",
        "at eq cast(07:14:00.500,Edm.TimeOfDay)", "at eq timeofday'07:14:00.500'",
        "at in (07:14:00.50, 08:00)", "07:14:00.50 in (s, at)", "time(at) eq '07:14:00.5'",
        "time(d) eq 03:05:06.789", "d gt 03:05", "time(updatedAt) eq 00:00:00.123456",
        "hour(at) eq 7 and minute(at) eq 14 and second(at) eq 0", "year(at) eq null",
        "fractionalseconds(at) eq 0.5", "fractionalseconds(updatedAt) eq 0.123456",
        "fractionalseconds(due) eq null", "missing ne 07:14", "not (s eq 07:14)",
        "time(due) eq null", "cast(d, Edm.TimeOfDay) lt at",
    ])
    func `times of day are compared as such`(text: String) throws {
        #expect(try isTrue(text))
        #expect(try isTrue(text, .version4))
    }

    @Test(arguments: [
        "updatedAt gt 2021-01-01T00:00:00Z", "updatedAt eq 2021-01-02T00:00:00.123456Z",
        "updatedAt eq 2021-01-01T22:30:00.123456-01:30", "2021-01-02T01:00:00+01:00 lt updatedAt",
        "updatedAt gt cast(2021-01-01T00:00:00.000Z,Edm.DateTimeOffset)",
        "updatedAt gt cast('2021-01-01T00:00:00.000Z', 'edm.datetimeoffset')",
        "cast(d, Edm.DateTimeOffset) eq 2021-02-03T03:05:06.789Z",
        "cast(d, Edm.DateTimeOffset) gt '2021-02-03T00:00:00Z'",
        "g eq 0123abcd-0123-4567-89ab-0123456789ab",
        "g eq cast(0123abcd-0123-4567-89ab-0123456789ab,Edm.Guid)",
        "cast(g, Edm.Guid) eq '0123ABCD-0123-4567-89AB-0123456789AB'",
        "g in (0123abcd-0123-4567-89ab-0123456789ab)", "cast(s, Edm.Guid) eq null",
        "cast(n, Edm.String) eq '5'", "cast(flag, Edm.String) eq 'true'",
        "cast(x, Edm.Int32) eq 2", "cast(neg, Edm.Int64) eq -2", "cast('12', Edm.Int16) eq 12",
        "cast(n, Edm.Double) eq 5.0", "cast(big, Edm.Int32) eq null", "cast(300, Edm.Int32) eq 300",
        "cast(wide, Edm.Int64) eq null", "cast(n, Edm.Byte) eq 5", "cast(neg, Edm.Byte) eq null",
        "cast(neg, Edm.SByte) eq -2", "cast('1.5e1', Edm.Decimal) eq 15",
        "cast(s, Edm.Single) eq null", "cast('nan', Edm.String) eq 'nan'",
        "cast('true', Edm.Boolean)", "not cast('false', Edm.Boolean)", "cast(flag, Edm.Boolean)",
        "cast(n, Edm.Boolean) eq null", "cast(null, Edm.Int32) eq null",
        "cast(missing, Edm.String) eq null", "cast(o, Edm.String) eq null",
        "cast(updatedAt, Edm.String) eq '2021-01-02T00:00:00.123456Z'",
        "cast(cast(g, Edm.Guid), Edm.String) eq '0123abcd-0123-4567-89ab-0123456789ab'",
        "cast(concat('1', '2'), Edm.Int64) eq 12", "cast(concat('+', '2'), Edm.Int64) eq null",
        "cast(concat('0x', '2'), Edm.Double) eq null",
        "cast(concat('in', 'f'), Edm.Double) eq null",
    ])
    func `casts make what the text or the number says`(text: String) throws {
        #expect(try isTrue(text))
        #expect(try isTrue(text, .version4))
    }

    @Test(arguments: [
        ("round(x)", 3, 2), ("round(neg)", -3, -2), ("round(half)", 1, 0), ("round(n)", 5, 5),
        ("round(-1.5)", -2, -2), ("round(2.4)", 2, 2), ("round(2.6)", 3, 3), ("Round(x)", 3, 2),
    ])
    func `halves are rounded as each version does`(text: String, version3: Int, version4: Int)
        throws
    {
        #expect(try isTrue("\(text) eq \(version3)", .version3))
        #expect(try isTrue("\(text) eq \(version4)", .version4))
    }

    @Test(arguments: [
        "channels/$count eq 2", "nums/$count gt 2", "empty/$count eq 0", "missing/$count eq 0",
        "s/$count eq 0", "o/$count eq 0", "o/p/$count eq 0", "lines/$count mul 2 eq 4",
        "lines/any(l: l/tags/$count eq 0)", "lines/all(l: l/tags/$count lt 2)",
        "2 in (channels/$count)", "nums/any(i: i eq channels/$count)",
    ])
    func `elements are counted`(text: String) throws {
        #expect(try isTrue(text))
        #expect(try isTrue(text, .version4))
    }

    @Test(arguments: [
        "channels/any(c: c eq 'x' or c eq 'north')", "channels/any()",
        "not channels/any(c: c eq 1)",
        "channels/all(c: length(c) eq 5)", "not channels/all(c: c eq 'north')",
        "empty/all(c: false)", "not empty/any()", "not missing/any()", "missing/all(c: false)",
        "nums/any(i: i gt n sub 3)", "nums/any(i: channels/any(c: length(c) eq i add 2))",
        "not nums/any(i: i/x eq 1)",
    ])
    func `lambdas look at the elements`(text: String) throws {
        #expect(try isTrue(text))
    }

    @Test func `replace cannot make a string of any length`() throws {
        var text = "'" + String(repeating: "a", count: 100) + "'"
        for _ in 0..<8 {
            text = "replace(\(text), 'a', '" + String(repeating: "a", count: 100) + "')"
        }
        let expression = try ODataParser.filter("\(text) eq 'x'")
        let error = #expect(throws: ODataError.self) {
            try ODataEvaluator.isTrue(expression, for: Self.item)
        }
        #expect(error?.message.contains("1048576 bytes") == true)
    }

    @Test func `the highest tree is evaluated on a task's stack`() async throws {
        let open = "(f or (f and (not (1 eq length(tolower('x')) and (f or f and not (f eq "
        let levels = 12
        let text =
            "0" + String(repeating: " add 1", count: 100) + " gt 99 and "
            + String(repeating: open, count: levels) + "n"
            + String(repeating: "))))))", count: levels)
        let filter = try ODataParser.filter(text)
        let isTrue = try await Task { try ODataEvaluator.isTrue(filter, for: Self.item) }.value
        // `f` is missing, so that nothing is decided before the innermost part.
        #expect(!isTrue)
    }

    @Test func `the order of all kinds is total`() {
        let values: [ODataValue] = [
            .null, .bool(false), .bool(true), .integer(.min), .double(-1.5), .integer(0),
            .double(0.5), .integer(.max), .double(1e300), .string(""), .string("B"),
            .string("a"), .string("ab"), .instant(Instant(ticks: 0)),
            .instant(Instant(ticks: 1)), .array([]), .object([:]),
        ]
        for (left, leftValue) in values.enumerated() {
            for (right, rightValue) in values.enumerated() {
                let relation = ODataOrder.sortRelation(leftValue, rightValue)
                #expect(relation.signum() == (left - right).signum(), "\(left) \(right)")
            }
        }
    }
}
