import SettleDocuments
import Testing

@testable import SettleOData

@Suite(.serialized) struct `OData parser` {
    @Test(arguments: [
        ("a or b and c", "a or (b and c)"), ("a and b or c", "(a and b) or c"),
        ("not a and b", "(not a) and b"), ("not a eq b", "(not a) eq b"),
        ("1 add 2 mul 3 eq 7", "(1 add (2 mul 3)) eq 7"),
        ("1 sub 2 sub 3 eq n", "((1 sub 2) sub 3) eq n"),
        ("8 div 4 div 2 eq n", "((8 div 4) div 2) eq n"), ("-n mul 2 gt 1", "((-n) mul 2) gt 1"),
        ("a eq 1 or b eq 2 and c eq 3", "(a eq 1) or ((b eq 2) and (c eq 3))"),
        ("not not a", "not (not a)"), ("- -1 eq 1", "(-(-1)) eq 1"),
    ])
    func `operators bind as OData says`(text: String, parenthesised: String) throws {
        #expect(try ODataParser.filter(text) == ODataParser.filter(parenthesised))
    }

    @Test(arguments: [
        ("x eq 25", ODataValue.integer(25)), ("x eq 200L", .integer(200)),
        ("x eq 200l", .integer(200)), ("x eq 5.99", .double(5.99)), ("x eq 5.99d", .double(5.99)),
        ("x eq 50f", .double(50)), ("x eq 1.99M", .double(1.99)), ("x eq 1e3", .double(1000)),
        ("x eq 1.5E-2", .double(0.015)), ("x eq -7", .integer(-7)),
        ("x eq -9223372036854775808", .integer(.min)),
        ("x eq 9223372036854775807", .integer(.max)), ("x eq -1.5", .double(-1.5)),
        ("x eq 'it''s'", .string("it's")), ("x eq ''", .string("")), ("x eq ''''", .string("'")),
        ("x eq true", .bool(true)), ("x eq false", .bool(false)), ("x eq null", .null),
        ("x eq datetime'1970-01-01T00:00:01Z'", .instant(Instant(ticks: 10_000_000))),
        ("x eq DateTimeOffset'1970-01-01T00:00:00.0000001+00:00'", .instant(Instant(ticks: 1))),
        ("x eq datetimeoffset'1970-01-01T02:00:00+02:00'", .instant(Instant(ticks: 0))),
        (
            "x eq guid'0123ABCD-0123-4567-89ab-0123456789AB'",
            .guid("0123abcd-0123-4567-89ab-0123456789ab")
        ),
    ])
    func `literals are read exactly`(text: String, value: ODataValue) throws {
        #expect(
            try ODataParser.filter(text) == .comparison(.equal, .path(["x"]), .literal(value)))
    }

    @Test(arguments: [
        ("", 1), ("text eq", 8), ("a eq 1 b", 8), ("(a eq 1", 8), ("a eq 1)", 7), ("a eq 'x", 6),
        ("a = 1", 3), ("a eq 1 and", 11), ("and eq 1 and", 13), ("nofunc(a)", 1),
        ("length(a, b) eq 1", 1), ("substring(a) eq 'x'", 1), ("a/ eq 1", 7), ("a/1 eq 1", 3),
        ("a in ()", 7), ("a in 1", 6), ("a eq 1 eq 2", 8), ("1 add 2", 1), ("'x'", 1),
        ("a and 1", 7), ("1 and a", 1), ("not 1", 5), ("tags/any(1)", 10), ("tags/any(x)", 11),
        ("tags/any(x: 1)", 13), ("tags/all()", 10), ("t/any(x: t/any(x: x eq 1))", 16),
        ("a eq 9223372036854775808", 6), ("a eq -9223372036854775809", 7),
        ("a eq 99999999999999999999", 6), ("a eq 1e999", 6), ("a eq 1x", 7), ("a eq 1.5L", 9),
        ("a eq datetime'2021-02-30T00:00:00Z'", 6), ("a eq datetime'now'", 6),
        ("a eq guid'1'", 6), ("a eq X'00'", 6), ("a eq datetimeoffset'2021-01-01'", 6),
        ("a gt cast(b,c)", 13), ("a gt cast(b)", 12), ("a gt cast(b,Edm.Money)", 13),
        ("a gt cast(b,'Int32')", 13), ("a gt cast(b,Edm Int32)", 17),
        ("a gt cast('x',Edm.Int32)", 11),
        ("a gt cast('x',Edm.Guid)", 11), ("a gt cast(2021-02-30,Edm.Date)", 11),
        ("a gt cast(2021-02-03,Edm.TimeOfDay)", 11), ("a gt cast(b,Edm.)", 17),
        ("cast(b,Edm.Int32)", 1),
        ("a gt 2021-02-30", 6), ("a gt 2021-02-03T25:00:00Z", 6), ("a gt 2021-02-03x", 16),
        ("a gt 2021-02-03T00:00:00Zulu", 26), ("a gt 2021-02-03T", 6), ("a gt 24:00", 6),
        ("a gt 12:00:00:00", 6), ("a gt 12:0", 8), ("a gt 2021-2-3", 10),
        ("a gt 2021-02-03T00:00:00+1", 26), ("a gt 2021-02-03T00:00:00.12345678Z", 6),
        ("a in (2021-02-03, 'x')", 3), ("a in (2021-02-03, 07:14)", 3), ("a gt time'7'", 6),
        ("a gt duration'P1D'", 6), ("a gt date'soon'", 6), ("a gt timeofday'soon'", 6),
        ("a gt 0123abcd-0123-4567-89ab-0123456789a", 10), ("a.b eq 1", 2), ("$count gt 1", 1),
        ("$it eq 1", 1), ("a/$value eq 1", 3), ("a/$count/b eq 1", 9), ("a/$count", 1),
        ("a/$count()", 9), ("now() gt a", 1), ("a gt now()", 6), ("matchesPattern(a,'x')", 1),
        ("geo.distance(a,b) lt 1", 1), ("isof(a,Edm.Int32)", 1), ("maxdatetime() gt a", 1),
        ("totaloffsetminutes(a) eq 0", 1), ("date() eq 1", 1),
        ("a eq \"x\"", 6),
        ("a eq 1;drop", 7), ("length(a) eq 1 and (b", 22),
    ])
    func `a fault is found where it is`(text: String, position: Int) {
        for dialect in ODataDialect.allCases {
            let error = #expect(throws: ODataError.self) {
                try ODataParser.filter(text, dialect: dialect)
            }
            #expect(error?.position == position, "\(text): \(error?.description ?? "")")
        }
    }

    @Test(arguments: [
        ("now() gt a", "each page"), ("matchespattern(a,'x')", "startswith"),
        ("geo.distance(a,b) lt 1", "not supported"), ("GEO.length(a) lt 1", "not supported"),
        ("nofunc(a)", "no function 'nofunc'"), ("a eq duration'P1D'", "duration"),
        ("cast(a,Edm.Money) eq 1", "Edm.Decimal"), ("a in (2021-02-03, 1)", "dates only"),
    ])
    func `an error says what is not there and why`(text: String, words: String) {
        let error = #expect(throws: ODataError.self) {
            try ODataParser.filter(text, dialect: .version4)
        }
        #expect(error?.message.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func `a word that looks like a guid is one in version 4 only`() throws {
        let guid = "abcdef01-2345-6789-abcd-EF0123456789"
        let literal = ODataNode.literal(.guid(guid.lowercased()))
        #expect(
            try ODataParser.filter("x eq \(guid)", dialect: .version4)
                == .comparison(.equal, .path(["x"]), literal))
        #expect(
            try ODataParser.filter("x eq \(guid)", dialect: .version3)
                == .comparison(.equal, .path(["x"]), .path([guid])))
        #expect(
            try ODataParser.filter("m/\(guid) eq 1", dialect: .version4)
                == .comparison(.equal, .path(["m", guid]), .literal(.integer(1))))
        #expect(
            try ODataParser.filter("\(guid)/a eq 1", dialect: .version4)
                == .comparison(.equal, .path([guid, "a"]), .literal(.integer(1))))
    }

    @Test func `the cast of a literal is the literal of that type`() throws {
        let text = "2021-03-24T12:50:44.000Z"
        let wanted = try ODataParser.filter("a gt datetimeoffset'\(text)'")
        for other in [
            text, "cast(\(text),Edm.DateTimeOffset)", "cast('\(text)', Edm.DateTimeOffset)",
            "cast(datetime'\(text)','Edm.DateTimeOffset')",
        ] {
            for dialect in ODataDialect.allCases {
                #expect(try ODataParser.filter("a gt \(other)", dialect: dialect) == wanted)
            }
        }
        #expect(
            try ODataParser.filter("a eq cast(2.5,Edm.Int32)") == ODataParser.filter("a eq 2"))
        #expect(
            try ODataParser.filter("a eq cast(2021-03-24T12:50:44Z,Edm.Date)")
                == ODataParser.filter("a eq 2021-03-24"))
    }

    @Test(arguments: [
        "eq eq 1", "not eq 1", "in in (1)", "asc eq 1", "any eq 1", "it-em eq 1",
        "@a eq 1", "_a/b/c eq 1", "\u{E9}\u{1F600} eq 1", "add add add eq 1", "length eq 1",
        "datetime eq 1",
    ])
    func `words are operators only where one can stand`(text: String) throws {
        _ = try ODataParser.filter(text)
    }

    @Test func `orders are lists of expressions`() throws {
        #expect(
            try ODataParser.order("updatedAt asc, a/b desc,length(c)") == [
                ODataSortKey(expression: .path(["updatedAt"]), isDescending: false),
                ODataSortKey(expression: .path(["a", "b"]), isDescending: true),
                ODataSortKey(expression: .call(.length, [.path(["c"])]), isDescending: false),
            ])
        for text in ["a,", ",a", "a desc desc", "a up", "desc desc desc"] {
            #expect(throws: ODataError.self) { try ODataParser.order(text) }
        }
    }

    @Test(arguments: [("a,", 3), (",a", 1), ("a desc desc", 8), ("a up", 3), ("a, b c", 6)])
    func `a fault of an order is found where it is`(text: String, position: Int) {
        let error = #expect(throws: ODataError.self) { try ODataParser.order(text) }
        #expect(error?.position == position, "\(text): \(error?.description ?? "")")
    }

    @Test func `an order has no more keys than the limit`() throws {
        let longest = Array(repeating: "a desc", count: 32).joined(separator: ",")
        #expect(try ODataParser.order(longest, dialect: .version4).count == 32)
        let error = #expect(throws: ODataError.self) { try ODataParser.order(longest + ",b") }
        #expect(error?.position == 225)
        #expect(error?.message.contains("32 keys") == true)
    }

    @Test func `a selection is a list of members`() throws {
        #expect(try ODataParser.selection("a") == ["a"])
        #expect(try ODataParser.selection(" a , b-c,\u{E9},@x,a") == ["a", "b-c", "\u{E9}", "@x"])
        #expect(try ODataParser.selection("a,*") == nil)
        let faults = [
            ("", 1), ("a,", 3), (",a", 1), ("a, ,b", 3), ("a,b/c", 4), ("\u{1F600}/", 2),
            // A comma was forgotten.
            ("b c", 2), ("a,  b c", 6), ("a\u{9}b", 2), ("*  a", 2), ("\u{E9}\u{A0}b", 2),
        ]
        for (text, position) in faults {
            let error = #expect(throws: ODataError.self) { try ODataParser.selection(text) }
            #expect(error?.position == position, "\(text)")
        }
        let most = Array(repeating: "a", count: 500).joined(separator: ",")
        #expect(try ODataParser.selection(most) == ["a"])
        let error = #expect(throws: ODataError.self) { try ODataParser.selection(most + ",b") }
        #expect(error?.position == 1001)
        #expect(throws: ODataError.self) {
            try ODataParser.selection(String(repeating: "a", count: 8193))
        }
    }

    @Test func `a text is not longer than the limit`() throws {
        let longest = "a eq '" + String(repeating: "x", count: 8192 - 7) + "'"
        _ = try ODataParser.filter(longest)
        let error = #expect(throws: ODataError.self) { try ODataParser.filter(longest + " ") }
        #expect(error?.message.contains("8192 bytes") == true)
    }

    @Test func `a long list of alternatives is not deep`() throws {
        let text = Array(repeating: "a eq 1", count: 700).joined(separator: " or ")
        guard case .or(let operands) = try ODataParser.filter(text) else {
            Issue.record("A chain of 'or' is one node.")
            return
        }
        #expect(operands.count == 700)
    }

    @Test(arguments: [
        ("(", ")", "a"), ("not ", "", "a"), ("-", " eq 1", "a"), ("length(", ")", "a"),
        ("a/any(v: ", ")", "true"), ("1 add ", "", "1"), ("a eq 1 mul ", "", "1"),
        ("a in (", ")", "1"), ("a/", "", "b"), ("cast(", ",Edm.Int32) eq 1", "a"),
    ])
    func `nesting ends at the limit with an error and no crash`(
        open: String, close: String, core: String
    ) {
        for count in [101, 1000, 2700] {
            let text =
                String(repeating: open, count: count) + core
                + String(repeating: close, count: count)
            #expect(throws: ODataError.self) { try ODataParser.filter(text) }
        }
    }

    @Test func `chains in parentheses do not add up to a tree of any height`() throws {
        let link = " add 1"
        let chain = String(repeating: link, count: 40)
        let nested = { (levels: Int) in
            String(repeating: "(", count: levels) + "1"
                + String(repeating: chain + ")", count: levels) + " eq 41"
        }
        _ = try ODataParser.filter(nested(2))
        #expect(throws: ODataError.self) { try ODataParser.filter(nested(3)) }
        #expect(throws: ODataError.self) { try ODataParser.filter(nested(30)) }
        let right =
            String(repeating: "1 add (1 mul (", count: 60) + "1"
            + String(repeating: "))", count: 60) + " eq 61"
        #expect(throws: ODataError.self) { try ODataParser.filter(right) }
        // Chains beside one another are not deep.
        let beside = Array(repeating: "a\(chain) eq 1", count: 30).joined(separator: " or ")
        _ = try ODataParser.filter(beside)
    }

    @Test func `a hundred levels are taken`() throws {
        let text = String(repeating: "(", count: 100) + "a" + String(repeating: ")", count: 100)
        #expect(try ODataParser.filter(text) == .path(["a"]))
    }
}
