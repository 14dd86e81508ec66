import Foundation
import SettleDocuments
import Testing

@Suite struct CollatorTests {
    private let collator = Collator(.unicode)

    private func values(_ json: String) throws -> [JSONValue] {
        try #require(JSONText.value(from: Array(json.utf8)).arrayValue)
    }

    private func expectAscending(_ values: [JSONValue], equal: [JSONValue: JSONValue] = [:]) {
        for (left, right) in zip(values, values.dropFirst()) {
            let leftKey = collator.key(for: left)
            let rightKey = collator.key(for: right)
            if equal[left] == right {
                #expect(leftKey == rightKey, "\(left) = \(right)")
            } else {
                #expect(leftKey.lexicographicallyPrecedes(rightKey), "\(left) < \(right)")
            }
        }
    }

    /// CouchDB's own list, but for one object.
    ///
    /// Its `{b:2,a:1}` stands before `{b:2,c:2}` there; here members are sorted first, so it is
    /// `{a:1,b:2}` and stands after `{a:1}`.
    @Test func `vector A, the list of CouchDB's own view test`() throws {
        expectAscending(
            try values(
                """
                [null, false, true, 1, 2, 3.0, 4, "a", "A", "aa", "b", "B", "ba", "bb", ["a"], ["b"],
                ["b","c"], ["b","c","a"], ["b","d"], ["b","d","e"], {"a":1}, {"b":2,"a":1}, {"a":2},
                {"b":1}, {"b":2}, {"b":2,"c":2}]
                """))
    }

    @Test func `vector B, negative numbers and characters that count for nothing`() throws {
        expectAscending([-2, -0.1, 0, 0.1, 1, 2, 3.0, 4])
        for ignored in ["\u{200B}", "\u{200C}", "\u{200D}"] {
            for text in ["a" + ignored, ignored + "a", ignored + "a" + ignored] {
                #expect(collator.key(for: .string(text)) == collator.key(for: "a"))
            }
        }
        // CouchDB's marker FF FF FF FF above all strings is no text; U+FFFF is the highest that is.
        for text in ["\u{FFFD}", "\u{10FFFF}", "\u{10FFFD}", "zzz", "中", "한"] {
            expectAscending([.string(text), "\u{FFFF}"])
        }
    }

    /// The order seen on a running CouchDB 3.5.0, Fixtures/Collation.
    ///
    /// Two things differ on purpose: 2^53 + 1 came out of its JavaScript as 2^53 (so the list has
    /// that number twice), and its objects keep the order of members (so `{"b":2,"a":1}`, which is
    /// `{"a":1,"b":2}` here, is left out where it stands there).
    @Test func `vector C, the order of a running CouchDB`() throws {
        let file = try Data(contentsOf: projectFile("Fixtures/Collation/couchdb-3.5.0.ndjson"))
        let observed = try file.split(separator: UInt8(ascii: "\n")).map { line in
            try JSONText.value(from: Array(line))
        }
        #expect(observed.count == 155)
        var seen: Set<JSONValue> = []
        let sorted = observed.filter { $0.objectValue?.count != 2 || seen.insert($0).inserted }
        #expect(sorted.count == 154)
        expectAscending(
            sorted,
            equal: [
                1: 1, 9_007_199_254_740_992: 9_007_199_254_740_992, "": "\u{0}", "1": "\u{967}",
                "\u{E1}": "a\u{301}", "ab": "a\u{200B}b", "\u{E9}": "e\u{301}",
            ])
        #expect(collator.key(for: 1) == collator.key(for: 1.0))
    }

    @Test func `ASCII stands in ICU's order, control characters count for nothing`() {
        let order =
            "\t\n\u{B}\u{C}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"
            + "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"
        expectAscending(order.unicodeScalars.map { .string(String($0)) })
        for code in (0...8).map({ $0 as UInt8 }) + Array(14...31) + [127] {
            let text = String(Unicode.Scalar(code))
            #expect(collator.key(for: .string(text)) == collator.key(for: ""))
        }
    }

    @Test func `numbers compare exactly, whichever way they are written`() {
        let limit: Int64 = 1 << 53
        expectAscending([
            .double(-1e300), .double(-0x1p63 - 2048), .integer(.min), .integer(.min + 1),
            .integer(-limit - 2), .integer(-limit - 1), .integer(-limit), .integer(-limit + 1), -1,
            .double(-.leastNonzeroMagnitude), 0, .double(.leastNonzeroMagnitude), 0.5, 1,
            .integer(limit - 1), .double(9_007_199_254_740_992),
            .integer(limit + 1), .double(9_007_199_254_740_994), .integer(limit + 3),
            .integer(.max - 1024), .integer(.max - 1023), .integer(.max - 1), .integer(.max),
            .double(0x1p63), .double(1e300),
        ])
        #expect(collator.key(for: -0.0) == collator.key(for: 0))
        #expect(collator.key(for: .integer(.min)) == collator.key(for: .double(-0x1p63)))
        #expect(collator.key(for: .integer(limit)) == collator.key(for: .double(0x1p53)))
        #expect(collator.key(for: .double(.nan)) == collator.key(for: .null))
    }

    @Test func `random numbers order as exact arithmetic says`() {
        for seed in 0..<3000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let integer = Int64(bitPattern: generator.next()) >> Int64(generator.next() % 13)
            let near = Double(integer)
            let double =
                [near, near.nextUp, near.nextDown].randomElement(using: &generator) ?? near
            let integerKey = collator.key(for: .integer(integer))
            let doubleKey = collator.key(for: .double(double))
            #expect(
                integerKey.lexicographicallyPrecedes(doubleKey) == Self.isLess(integer, double),
                "\(seed)")
            #expect(
                doubleKey.lexicographicallyPrecedes(integerKey) == Self.isLess(double, integer),
                "\(seed)")
            let other = integer &+ Int64(generator.next() % 3)
            #expect(
                integerKey.lexicographicallyPrecedes(collator.key(for: .integer(other)))
                    == (integer < other), "\(seed)")
        }
    }

    private static func isLess(_ left: Int64, _ right: Double) -> Bool {
        if right >= 0x1p63 { return true }
        if right < -0x1p63 { return false }
        let floor = Int64(right.rounded(.down))
        return left < floor || left == floor && right > right.rounded(.down)
    }

    private static func isLess(_ left: Double, _ right: Int64) -> Bool {
        if left >= 0x1p63 { return false }
        return left < -0x1p63 || Int64(left.rounded(.down)) < right
    }

    @Test(arguments: [Collator.Strings.unicode, .raw])
    func `all pairs of small values order as the naive comparison says`(strings: Collator.Strings) {
        let collator = Collator(strings)
        let values = Self.smallValues
        let keys = values.map { collator.key(for: $0) }
        for (left, leftKey) in zip(values, keys) {
            for (right, rightKey) in zip(values, keys) {
                let expected = NaiveCollation(strings: strings).compare(left, right)
                let found =
                    leftKey == rightKey ? 0 : leftKey.lexicographicallyPrecedes(rightKey) ? -1 : 1
                if found != expected { Issue.record("\(strings): \(left) and \(right)") }
                if leftKey != rightKey, rightKey.starts(with: leftKey) {
                    Issue.record("the key of \(left) begins the key of \(right)")
                }
            }
        }
    }

    /// Scalars, every array and object of up to two of some of them, and some of those nested.
    private static var smallValues: [JSONValue] {
        let scalars: [JSONValue] =
            [.null, false, true, -1, 0, 0.5, 1, 1.5] + NaiveCollation.texts.map { .string($0) }
        let few: [JSONValue] = [.null, 0, 1, "", "a", "A", "aa", [], [:]]
        var containers: [JSONValue] = [[], [:]]
        for first in few {
            containers += [[first], ["a": first], ["A": first], [[first]], ["b": [first]]]
            for second in few {
                containers += [[first, second], ["a": first, "b": second]]
            }
        }
        return scalars + containers
    }

    @Test(arguments: [Collator.Strings.unicode, .raw])
    func `a packed value has the key of the value, and its end is found`(
        strings: Collator.Strings
    ) throws {
        let collator = Collator(strings)
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let value = JSONValue.random(depth: 3, using: &generator)
            let key = collator.key(for: value)
            let packed = try PackedValue(value)
            var other: [UInt8] = []
            try collator.append(packed.bytes.span, in: 0..<packed.bytes.count, to: &other)
            #expect(key == other, "seed \(seed)")
            let row = [9, 9] + key + Array("doc-1".utf8)
            #expect(CollationKey.end(of: row[2...]) == 2 + key.count, "seed \(seed)")
            for length in 0..<key.count {
                let end = CollationKey.end(of: key[..<length])
                if end != nil { Issue.record("seed \(seed): \(length) of \(key.count) bytes") }
            }
        }
    }

    @Test func `a group's prefix holds whole elements`() {
        for strings in [Collator.Strings.unicode, .raw] {
            let collator = Collator(strings)
            let elements: [JSONValue] = ["AS", ["x", [:]], 3, ["a": [1]], .null]
            let key = collator.key(for: .array(elements))
            for count in 0...7 {
                let taken = elements.prefix(count)
                let expected = collator.key(for: .array(Array(taken))).count - 1
                #expect(CollationKey.groupPrefixLength(of: key, elements: count) == expected)
                #expect(
                    CollationKey.groupPrefixLength(of: key + [0xFF], elements: count) == expected)
            }
            for value in [.null, 1, "a", [:]] as [JSONValue] {
                #expect(
                    CollationKey.groupPrefixLength(of: collator.key(for: value), elements: 1) == nil
                )
            }
        }
        #expect(CollationKey.groupPrefixLength(of: [], elements: 1) == nil)
        #expect(CollationKey.groupPrefixLength(of: [0x07, 0x05, 0x01], elements: 1) == nil)
    }

    @Test func `the successor of a prefix is the least string above all that begin with it`() {
        #expect(CollationKey.successor(ofPrefix: [1, 2]) == [1, 3])
        #expect(CollationKey.successor(ofPrefix: [1, 0xFF, 0xFF]) == [2])
        #expect(CollationKey.successor(ofPrefix: [0xFF]) == nil)
        #expect(CollationKey.successor(ofPrefix: []) == nil)
    }

    @Test(
        arguments: [
            (.null, "02"), (false, "03"), (true, "04"), (1, "05 BF F0 00 00 00 00 00 00"),
            (-1, "05 40 0F FF FF FF FF FF FF"),
            (9_007_199_254_740_993, "05 C3 40 00 00 00 00 00 00 00 01"), ("", "06 00"),
            ("a\u{0}\u{1}b", "06 61 01 01 01 02 62 00"), ([], "07 00"),
            (["b", 2], "07 06 62 00 05 C0 00 00 00 00 00 00 00 00"),
            (["b": .null, "a": true], "08 06 61 00 04 06 62 00 02 00"),
        ] as [(JSONValue, String)])
    func `raw keys are those of the documented table`(value: JSONValue, expected: String) throws {
        #expect(hexadecimal(Collator(.raw).key(for: value)) == expected)
        let page = try String(
            contentsOf: projectFile("Docs/Formats/CollationKeys.md"), encoding: .utf8)
        #expect(page.contains("`\(expected)`"))
    }

    @Test func `sort keys hold no zero but their last byte, long texts included`() {
        for text in ["", "a", "\u{0}", "é😀中", String(repeating: "Añ中\u{0}", count: 5000)] {
            let key = collator.key(for: .string(text))
            #expect(key.first == 0x06)
            #expect(key.firstIndex(of: 0) == key.count - 1)
        }
    }

    @Test func `many threads get the same keys from the one collator`() async {
        let texts = (0..<50).map { "Straße \($0) é" }
        let expected = texts.map { collator.key(for: .string($0)) }
        await withTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<8 {
                group.addTask { texts.map { Collator(.unicode).key(for: .string($0)) } }
            }
            for await keys in group { #expect(keys == expected) }
        }
    }

    @Test func `the version names what the order depends on`() {
        #expect(Collator(.raw).version == "keys 1, raw")
        #expect(
            Collator(.unicode).version.wholeMatch(
                of: /keys 1, collation [0-9.]+, UCA [0-9.]+, ICU [0-9.]+/) != nil)
    }
}
