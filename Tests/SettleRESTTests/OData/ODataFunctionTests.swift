import SettleREST
import SettleSync
import Testing

@Suite struct `OData predicate with functions` {
    private func expect(_ predicate: ODataPredicate, _ text: String) throws {
        let texts = [try predicate.text(for: .v3), try predicate.text(for: .v4)]
        #expect(texts == [text, text])
    }

    @Test func `asks about strings`() throws {
        try expect(.field("a").startsWith("x"), "startswith(a,'x')")
        try expect(.field("a").endsWith(.field("b")), "endswith(a,b)")
        try expect(.field("a").lowercased == "x", "tolower(a) eq 'x'")
        try expect(.field("a").uppercased == "X", "toupper(a) eq 'X'")
        try expect(.field("a").trimmed == "x", "trim(a) eq 'x'")
        try expect(.field("a").length > 3, "length(a) gt 3")
        try expect(.field("a").index(of: "x") == -1, "indexof(a,'x') eq -1")
        try expect(
            .field("a").concatenated(with: .field("b")) == "xy", "concat(a,b) eq 'xy'")
        try expect(.field("a").replacing("x", with: "y") == "y", "replace(a,'x','y') eq 'y'")
        try expect(.field("a").substring(from: 1) == "x", "substring(a,1) eq 'x'")
        try expect(.field("a").substring(from: 1, length: 2) == "x", "substring(a,1,2) eq 'x'")
        try expect(.value("abc").startsWith(.field("a")), "startswith('abc',a)")
    }

    @Test func `names part and whole in the order of the version`() throws {
        let predicate: ODataPredicate = .field("name").contains("x") && .field("a") == 1
        #expect(try predicate.text(for: .v3) == "substringof('x',name) and a eq 1")
        #expect(try predicate.text(for: .v4) == "contains(name,'x') and a eq 1")
    }

    @Test func `takes times apart and rounds numbers`() throws {
        try expect(.field("a").year == 2021, "year(a) eq 2021")
        try expect(.field("a").month == 2, "month(a) eq 2")
        try expect(.field("a").day == 2, "day(a) eq 2")
        try expect(.field("a").hour == 2, "hour(a) eq 2")
        try expect(.field("a").minute == 2, "minute(a) eq 2")
        try expect(.field("a").second == 2, "second(a) eq 2")
        try expect(.field("a").floor == 2, "floor(a) eq 2")
        try expect(.field("a").ceiling == 2, "ceiling(a) eq 2")
        try expect((.field("a") / 3).rounded == 2, "round(a div 3) eq 2")
    }

    @Test func `replaces in version 3 as the older servers allow it`() throws {
        let nested = ODataExpression.field("a").replacing("x", with: "y").replacing("y", with: "z")
        let inside = ODataExpression.field("a").replacing(nested.lowercased, with: "z")
        let column = ODataExpression.field("a").replacing("x", with: .field("b"))
        let long = ODataExpression.field("a").replacing(
            "x", with: String(repeating: "y", count: 100))
        for expression in [nested, inside, column, long] {
            #expect(throws: ReplicationError.self) { try (expression == "").text(for: .v3) }
            #expect(try (expression == "").text(for: .v4).hasPrefix("replace("))
        }
        let short = String(repeating: "y", count: 99)
        try expect(
            .field("a").replacing("x", with: short) == "", "replace(a,'x','\(short)') eq ''")
        // Side by side is not nested.
        let left = ODataExpression.field("a").replacing("x", with: "y")
        try expect(left == left, "replace(a,'x','y') eq replace(a,'x','y')")
    }

    @Test func `computes, with parentheses where the order needs them`() throws {
        try expect(.field("a") + 1 - 2 > 0, "a add 1 sub 2 gt 0")
        try expect(.field("a") - (.field("b") - 2) > 0, "a sub (b sub 2) gt 0")
        try expect(.field("a") * 2 + 1 > 0, "a mul 2 add 1 gt 0")
        try expect((.field("a") + 1) * 2 > 0, "(a add 1) mul 2 gt 0")
        try expect(.field("a") / (.field("b") * 2) % 5 == 0, "a div (b mul 2) mod 5 eq 0")
        try expect(.value(2) * .field("a") - -1 > 0, "2 mul a sub -1 gt 0")
    }

    @Test func `joins conditions, with parentheses where the order needs them`() throws {
        let (a, b, c): (ODataPredicate, ODataPredicate, ODataPredicate) = (
            .field("a") == 1, .field("b") == 2, .field("c") == 3
        )
        try expect(a && b && c, "a eq 1 and b eq 2 and c eq 3")
        try expect(a && (b && c), "a eq 1 and b eq 2 and c eq 3")
        try expect(a || b && c, "a eq 1 or b eq 2 and c eq 3")
        try expect((a || b) && c, "(a eq 1 or b eq 2) and c eq 3")
        try expect(a && (b || c), "a eq 1 and (b eq 2 or c eq 3)")
        try expect(!a, "not (a eq 1)")
        try expect(.not(a) && b, "not (a eq 1) and b eq 2")
        try expect(!(a && b), "not (a eq 1 and b eq 2)")
        try expect(!(.field("a").startsWith("x")), "not startswith(a,'x')")
        try expect(!(!a), "not (not (a eq 1))")
    }

    @Test func `looks into objects and lists`() throws {
        try expect(.field("address/city") == "Berlin", "address/city eq 'Berlin'")
        try expect(.field("address").field("city") == "Berlin", "address/city eq 'Berlin'")
        try expect(.field("channels").any { $0 == "north" }, "channels/any(c: c eq 'north')")
        try expect(
            .field("parts").any { $0.field("size/x") > 2 && $0.field("name") == "n" },
            "parts/any(c: c/size/x gt 2 and c/name eq 'n')")
        try expect(.field("parts").hasElements, "parts/any()")
        try expect(
            .field("parts").any { part in part.field("tags").any { $0 == part.field("name") } },
            "parts/any(c: c/tags/any(c1: c1 eq c/name))")
        try expect(
            .field("c").any { $0 == .field("c1") }, "c/any(c2: c2 eq c1)")
    }

    @Test func `keeps apart the elements of lambdas that were built by themselves`() throws {
        let inner: ODataPredicate = .field("tags").any { $0 == "x" }
        try expect(
            .field("parts").any { $0 == "y" && inner },
            "parts/any(c: c eq 'y' and tags/any(c1: c1 eq 'x'))")
        var leaked: ODataExpression?
        _ = ODataPredicate.field("parts").any {
            leaked = $0
            return $0 == 1
        }
        let element = try #require(leaked)
        #expect(throws: ReplicationError.self) { try (element == 1).text(for: .v4) }
        let computed = ODataExpression.field("a").lowercased
        #expect(throws: ReplicationError.self) {
            try computed.any { $0 == 1 }.text(for: .v4)
        }
    }

    @Test(arguments: [
        "", "/", "a/", "/a", "a//b", "1a", "-a", "a b", "a'b", "a)", "a eq 1 or b", "a,b", "a(",
        "a:b", "a\u{0}", "a.b", "$filter", "a%20b", "a\n", "true", "False", "null", "not", "NaN",
        "INF", "a\u{2019}b", "a\u{A0}b", "\u{301}a", "a\u{200B}",
    ])
    func `refuses a column that would be read as something else`(name: String) {
        for predicate: ODataPredicate in [
            .field(name) == 1, .field("x") == .field(name), .field(name).any { $0 == 1 },
            .field("x").any { $0.field("y") == .field(name) },
        ] {
            #expect(throws: ReplicationError.self) { try predicate.text(for: .v3) }
            #expect(throws: ReplicationError.self) { try predicate.text(for: .v4) }
        }
    }

    @Test func `takes the columns that servers take`() throws {
        for name in [
            "a", "_version", "__updatedAt", "@type", "a-b", "B2", "größe", "名前", "eq", "notes",
        ] {
            try expect(.field(name) == 1, "\(name) eq 1")
        }
        try expect(.field("x").any { $0.field("true") == 1 }, "x/any(c: c/true eq 1)")
    }

    @Test func `is refused when it is nested too deep for any server`() throws {
        var predicate: ODataPredicate = .field("a") == 1
        for _ in 0..<150 { predicate = !predicate }
        #expect(throws: ReplicationError.self) { try predicate.text(for: .v3) }
        // A chain is not deep.
        var chain: ODataPredicate = .field("a") == 0
        for number in 1..<2_000 { chain = chain || .field("a") == number }
        #expect(try chain.text(for: .v3).hasSuffix(" or a eq 1999"))
    }
}
