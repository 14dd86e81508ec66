import Settle
import Testing

@testable import SettleServer

@Suite(.serialized) struct `OData evaluator` {
    private static let item: TableItem = {
        var item = TableItem.sample([
            "n": 5, "big": 9_007_199_254_740_993, "x": 2.5, "neg": -2.5, "s": "Abc ", "t": "it's",
            "flag": true, "nul": .null, "d": "2021-02-03T04:05:06.789+01:00",
            "channels": ["north", "south"], "o": ["p": ["q": 1]], "e": "e\u{301}x", "empty": [],
            "g": "0123ABCD-0123-4567-89AB-0123456789AB", "nums": [1, 2, 3],
        ])
        item.updatedAt = Instant(text: "2021-01-02T00:00:00.123456Z") ?? item.updatedAt
        return item
    }()

    private func isTrue(_ text: String) throws -> Bool {
        try ODataEvaluator.isTrue(ODataParser.filter(text), for: Self.item)
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
