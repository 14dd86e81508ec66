import SettleDocuments
import TestSupport
import Testing

@testable import SettleOData

@Suite(.serialized) struct `Index keys` {
    @Test func `keys sort like the values they are of`() throws {
        let values: [JSONValue] = [
            false, true, .double(-.greatestFiniteMagnitude), .integer(.min), -1.5, -1,
            .double(-.leastNonzeroMagnitude), 0, .double(.leastNonzeroMagnitude), 0.5, 1, 1.5,
            .integer(.max), 1e300, "", "\u{0}", "A", "a", "a\u{0}", "ab", "b", "e\u{301}",
            "\u{E9}", "\u{FFFF}", "\u{10FFFF}",
        ]
        let keys = try values.map { try #require(ODataKey.key(of: $0)) }
        for (left, leftKey) in keys.enumerated() {
            for (right, rightKey) in keys.enumerated() {
                #expect(leftKey.lexicographicallyPrecedes(rightKey) == (left < right))
            }
        }
        #expect(ODataKey.key(of: JSONValue.double(-0.0)) == ODataKey.key(of: 0))
        #expect(ODataKey.key(of: 1.0) == ODataKey.key(of: 1))
    }

    @Test func `the shape of keys is that of the stored format`() {
        #expect(ODataKey.key(of: JSONValue.bool(true)) == [1, 1])
        #expect(ODataKey.key(of: JSONValue.integer(1)) == [2, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0])
        #expect(
            ODataKey.key(of: JSONValue.double(-1))
                == [2, 0x40, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(ODataKey.key(of: JSONValue.string("ab")) == [3, 0x61, 0x62])
        let long = String(repeating: "a", count: 199)
        #expect(
            ODataKey.key(of: JSONValue.string(long + "\u{E9}z")) == [3] + long.utf8 + [0xC3])
        #expect(ODataKey.bytesMax == 201)
        for value in [JSONValue.null, [], [:], .double(.nan)] {
            #expect(ODataKey.key(of: value) == nil)
        }
    }

    @Test func `an item has a key for each scalar that a path leads to`() {
        let item = SampleItem([
            "s": "a", "n": .null, "tags": ["b", "a", "b", .null, [1, "c"], ["d": 1]],
            "lines": [["product": "pen"], ["product": ["ink", 1]], 7, [["product": true]]],
            "o": ["p": ["q": 2]],
        ])
        func keys(_ path: String...) -> [[UInt8]] { ODataKey.keys(of: item, at: path) }
        let (a, b, c): ([UInt8], [UInt8], [UInt8]) = ([3, 0x61], [3, 0x62], [3, 0x63])
        let one: [UInt8] = [2, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0]
        #expect(keys("s") == [a])
        #expect(keys("n") == [])
        #expect(keys("missing") == [])
        #expect(keys("s", "t") == [])
        #expect(keys("tags") == [one, a, b, c])
        #expect(keys("tags", "d") == [one])
        #expect(
            keys("lines", "product")
                == [[1, 1], one, [3] + Array("ink".utf8), [3] + Array("pen".utf8)])
        #expect(keys("o", "p", "q") == [[2, 0xC0, 0, 0, 0, 0, 0, 0, 0]])
        #expect(keys("o", "p") == [])
        #expect(keys("updatedAt") == [])
        #expect(keys("id") == [[3, 0x78]])
    }
}

@Suite(.serialized) struct `Key ranges of filters` {
    private static func ranges(_ text: String, _ path: [String] = ["a"]) throws -> String? {
        try ODataParser.filter(text, dialect: .version4).keyRanges(on: path)?
            .map { "\(show($0.lower))...\(show($0.upper))" }.joined(separator: " ")
    }

    /// Text for strings, `#` and the first byte for other kinds.
    private static func show(_ key: [UInt8]) -> String {
        guard key.first == 3 else { return "#\(key.map { String($0) }.joined(separator: "."))" }
        return key.dropFirst().map { $0 == 0xFF ? "~" : String(UnicodeScalar($0)) }.joined()
    }

    @Test(arguments: [
        ("a eq 'x'", "x...x"), ("'x' eq a", "x...x"), ("a lt 'x'", "...x"), ("a le 'x'", "...x"),
        ("a gt 'x'", "x...#4"), ("'x' gt a", "...x"), ("'x' le a", "x...#4"),
        ("a eq true", "#1.1...#1.1"), ("a", "#1.1...#1.1"), ("not a", "#1.0...#1.0"),
        ("a and b", "#1.1...#1.1"), ("a eq 1", "#2.191.240.0.0.0.0.0.0...#2.191.240.0.0.0.0.0.0"),
        ("a gt 0", "#2.128.0.0.0.0.0.0.0..."),
        ("a lt -1", "#2...#2.64.15.255.255.255.255.255.255"),
        ("a in ('y', 'x', 'y')", "x...x y...y"), ("a eq 'x' or a eq 'y'", "x...x y...y"),
        ("startswith(a, 'x')", "x...x~"), ("startswith(a, '')", "...~"),
        ("a ge 'b' and a lt 'd'", "b...d"), ("a ge 'b' and a lt 'a'", ""),
        ("a ge 'b' or a lt 'd'", "...#4"), ("a eq 'x' and b eq 'y'", "x...x"),
        ("startswith(a, 'x') or a eq 'xy' or a eq 'z'", "x...x~ z...z"),
        ("a in ('x', 'y', 'z') and a ne 'y' and a gt 'x'", "x...x y...y z...z"),
        ("a lt true", ""), ("a gt null", ""), ("false", ""), ("a eq 'x' and false", ""),
        ("a/any(x: x eq 'x')", "x...x"), ("a/any(x: x in ('x', 'y'))", "x...x y...y"),
        ("a/any(x: startswith(x, 'x') and x lt 'xb')", "x...xb"),
        ("a/any(x: x eq 'x') and a/any(x: x eq 'y')", "x...x"),
        ("a/any(x: startswith(x, 'x')) and a/any(x: x eq 'y')", "y...y"),
        ("a/any(x: x eq 'x') and a eq 'y'", "y...y"),
        ("a/any(x: x eq 'x') or a eq 'y'", "x...x y...y"),
        ("a/any(x: x)", "#1.1...#1.1"), ("a/any(x: x/any(y: y eq 'y'))", "y...y"),
        ("a eq 2021-03-24", "2021-03-23...2021-03-25~"), ("a gt 2021-03-24", "2021-03-23...#4"),
        ("2021-03-24 ge a", "...2021-03-25~"),
        ("date(a) eq 2021-03-24", "2021-03-23...2021-03-25~"),
        ("a eq 2021-03-01T12:00:00Z", "2021-02-28...2021-03-02~"),
        ("a le 2021-03-24T12:00:00Z", "...2021-03-25~"), ("a gt 9999-12-31", "9999-12-30...#4"),
        ("a lt 9999-12-31", "...#4"), ("a eq 0000-01-01", "...0000-01-02~"),
        ("a in (2021-03-24, 2021-03-25)", "2021-03-23...2021-03-26~"),
        (
            "a eq abcdef01-2345-6789-abcd-ef0123456789",
            "ABCDEF01-2345-6789-ABCD-EF0123456789...abcdef01-2345-6789-abcd-ef0123456789"
        ),
    ])
    func `a filter limits a path`(text: String, ranges: String) throws {
        #expect(try Self.ranges(text) == ranges)
    }

    @Test(arguments: [
        "b eq 'x'", "a ne 'x'", "a eq null", "a eq 'x' or b eq 'y'", "not (a eq 'x')",
        "a in ('x', null)", "a eq b", "tolower(a) eq 'x'", "contains(a, 'x')", "a/b eq 'x'",
        "startswith('x', a)", "startswith(b, 'x')", "a eq 'x' or a ne 'x'", "a/$count eq 1",
        "a/any()", "a/all(x: x eq 'x')", "a/any(x: x ne 'x')", "a/any(x: b eq 'x')",
        "b/any(x: x eq 'x')", "a/any(x: a eq 'x')", "time(a) eq 07:14",
        "cast(a, Edm.String) eq 'x'",
        "a add 1 eq 2", "true", "-a eq 1",
    ])
    func `a filter that says nothing of a path limits nothing`(text: String) throws {
        #expect(try Self.ranges(text) == nil)
    }

    @Test func `paths lead into objects and arrays`() throws {
        let text = "o/p eq 'x' and lines/any(l: l/product eq 'y' and l/tags/any(t: t eq 'z'))"
        #expect(try Self.ranges(text, ["o", "p"]) == "x...x")
        #expect(try Self.ranges(text, ["lines", "product"]) == "y...y")
        #expect(try Self.ranges(text, ["lines", "tags"]) == "z...z")
        #expect(try Self.ranges(text, ["o"]) == nil)
        #expect(try Self.ranges(text, ["lines"]) == nil)
        #expect(try Self.ranges("updatedAt gt '2021'", ["updatedAt"]) == nil)
        #expect(try Self.ranges("createdAt eq 2021-03-24", ["createdAt"]) == nil)
        #expect(try Self.ranges("id eq 'x'", ["id"]) == "x...x")
    }
}
