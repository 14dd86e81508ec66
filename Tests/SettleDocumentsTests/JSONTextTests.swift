import Foundation
import SettleDocuments
import Testing

@Suite struct JSONTextTests {
    private func reason(_ text: String) -> String { reason(Array(text.utf8)) }

    private func reason(_ text: [UInt8]) -> String {
        do throws(JSONError) {
            _ = try JSONText.packed(from: text)
            return "no error"
        } catch { return error.reason.description }
    }

    @Test(arguments: [
        ("", "emptyText"), (" \n", "emptyText"), ("[", "unexpectedEnd"),
        ("{\"a\"", "unexpectedEnd"),
        ("{\"a\":", "unexpectedEnd"), ("\"abc", "unexpectedEnd"), ("\"\\", "unexpectedEnd"),
        ("\"\\u12", "unexpectedEnd"), ("tru", "unexpectedEnd"), ("-", "unexpectedEnd"),
        ("1.", "unexpectedEnd"), ("1e", "unexpectedEnd"), ("1 2", "trailingText"),
        ("[1,]", "unexpectedByte"), ("{,}", "unexpectedByte"), ("{\"a\":1,}", "unexpectedByte"),
        ("[1 2]", "unexpectedByte"), ("{\"a\" 1}", "unexpectedByte"), ("[1}", "unexpectedByte"),
        ("{a:1}", "unexpectedByte"), ("'a'", "unexpectedByte"), ("NaN", "unexpectedByte"),
        ("+1", "unexpectedByte"), (".5", "unexpectedByte"), ("nulL", "unexpectedByte"),
        ("// a\n1", "unexpectedByte"), ("01", "invalidNumber"), ("-01", "invalidNumber"),
        ("1.e5", "invalidNumber"), ("[-]", "invalidNumber"), ("1e+]", "invalidNumber"),
        ("9223372036854775808", "integerOutOfRange"),
        ("-9223372036854775809", "integerOutOfRange"),
        ("100000000000000000000000", "integerOutOfRange"), ("1e309", "doubleOutOfRange"),
        ("-1e99999999999999999999", "doubleOutOfRange"), ("1e-400", "doubleOutOfRange"),
        ("\"\u{1}\"", "controlCharacter"), ("\"\n\"", "controlCharacter"),
        ("\"\\x\"", "invalidEscape"), ("\"\\u12g4\"", "invalidEscape"),
        ("\"\\ud800\"", "loneSurrogate"), ("\"\\ud800\\n\"", "loneSurrogate"),
        ("\"\\udc00\"", "loneSurrogate"), ("\"\\ud800\\ud800\"", "loneSurrogate"),
        ("{\"a\":1,\"a\":1}", "duplicateName"), ("{\"a\":1,\"\\u0061\":1}", "duplicateName"),
        ("{\"\u{E9}\":1,\"e\u{301}\":1}", "duplicateName"), ("\u{FEFF}1", "byteOrderMark"),
        ("{\"K\":1,\"\u{212A}\":1}", "duplicateName"),
    ])
    func `each mistake has its reason`(text: String, expected: String) {
        #expect(reason(text) == expected)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        let mistakes: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
            [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
        ]
        for mistake in mistakes {
            #expect(reason([0x22] + mistake + [0x22]) == "invalidUTF8", "\(mistake)")
            #expect(reason([0x22, 0x5C, 0x6E] + mistake + [0x22]) == "invalidUTF8", "\(mistake)")
        }
    }

    @Test func `an error says line, column in scalars, and byte`() throws {
        let text = "{\r\n \"é\": 1,\n  \"ö😀\": x}"
        let error = #expect(throws: JSONError.self) { try JSONText.value(from: Array(text.utf8)) }
        #expect(error?.line == 3)
        #expect(error?.column == 9)
        #expect(error?.byteOffset == 25)
        #expect(error?.description.hasPrefix("JSON, line 3, column 9 (byte 25): ") == true)
    }

    @Test func `a duplicate is reported at its second name`() throws {
        let text = #"{"b":1,"a":2,"c":3,"b":4}"#
        let error = #expect(throws: JSONError.self) { try JSONText.value(from: Array(text.utf8)) }
        #expect(error?.byteOffset == 19)
        let many = "{" + (0..<100).map { "\"n\($0)\":0" }.joined(separator: ",") + ",\"n42\":1}"
        let manyError = #expect(throws: JSONError.self) {
            try JSONText.value(from: Array(many.utf8))
        }
        #expect(manyError?.byteOffset == many.utf8.count - 8)
    }

    @Test(
        arguments: [
            ("1", .integer(1)), ("1.0", .double(1)), ("-0", .double(-0.0)), ("-0.0", .double(-0.0)),
            ("0", .integer(0)), ("1E2", .double(100)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("5e-324", .double(.leastNonzeroMagnitude)),
            ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("0e999999", .double(0)),
            ("9007199254740993.0", .double(9_007_199_254_740_992)), ("0.1", .double(0.1)),
            (
                "123456789012345678901234567890.5",
                .double(123_456_789_012_345_678_901_234_567_890.5)
            ),
            ("\"\\u0000\"", "\u{0}"), ("\"\\ud83d\\ude00\"", "😀"), ("\"\\/\\b\\f\"", "/\u{8}\u{C}"),
            (" [ ] ", []), ("{\"\":{}}", ["": [:]]),
        ] as [(String, JSONValue)])
    func `a text stands for its value`(text: String, expected: JSONValue) throws {
        #expect(try JSONText.value(from: Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            (.double(100), "100.0"), (.double(1e16), "1e+16"), (.double(-0.0), "-0.0"),
            (.double(.leastNonzeroMagnitude), "5e-324"), (.double(.nan), "null"),
            (.integer(.min), "\(Int64.min)"),
            (
                ["b": 1, "a": [true, .null], "": "\u{1F}\"\\\n\u{7F}é"],
                #"{"":"\u001f\"\\\n\#u{7F}é","a":[true,null],"b":1}"#
            ),
        ] as [(JSONValue, String)])
    func `a value has one compact text`(value: JSONValue, expected: String) throws {
        #expect(String(decoding: JSONText.text(of: value), as: UTF8.self) == expected)
    }

    @Test func `depth and size stop at their limits and not before`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        let deepest = try JSONText.value(from: nested(512))
        #expect(JSONText.text(of: deepest) == nested(512))
        try PackedValue(deepest).check()
        #expect(reason(nested(513)) == "tooDeep")
        #expect(throws: PackedError.self) { try PackedValue(.array([deepest])) }
        let small = JSONLimits(depthMax: 1, sizeMax: 10)
        _ = try JSONText.packed(from: Array("[1,2,3,45]".utf8), limits: small)
        #expect(throws: JSONError.self) {
            try JSONText.packed(from: Array("[1,2,3,456]".utf8), limits: small)
        }
        #expect(throws: PackedError.self) {
            try PackedValue(.string(String(repeating: "a", count: 10)), limits: small)
        }
    }

    @Test func `random values survive text and packing, and text is what the oracle reads`() throws
    {
        for seed in 0..<600 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let value = JSONValue.random(depth: 4, using: &generator)
            let text = Array(sprawlingText(of: value, using: &generator).utf8)
            let packed = try JSONText.packed(from: text)
            #expect(try packed == PackedValue(value), "seed \(seed)")
            #expect(try packed.value() == value, "seed \(seed)")
            #expect(NaiveJSON.value(text) == value, "seed \(seed)")
            let compact = JSONText.text(of: value)
            #expect(try JSONText.text(of: packed) == compact, "seed \(seed)")
            #expect(try JSONText.packed(from: compact) == packed, "seed \(seed)")
        }
    }

    @Test func `damaged text is read or refused as the oracle does`() throws {
        let pieces =
            Array("{}[],:\"\\u0019eE.-+ tnf\n\u{E9}d8x".utf8) + [0x80, 0xFF, 0, 0xED, 0xA0]
        for seed in 0..<1500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed &+ 77_000)
            let value = JSONValue.random(depth: 2, using: &generator)
            var text = Array(sprawlingText(of: value, using: &generator).utf8.prefix(300))
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !text.isEmpty {
                let place = Int.random(in: 0..<text.count, using: &generator)
                let piece = pieces.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text[place] = piece
                case 1: text.insert(piece, at: place)
                default: text.remove(at: place)
                }
            }
            let expected = NaiveJSON.value(text)
            let found = try? JSONText.value(from: text)
            #expect(found == expected, "seed \(seed): \(text)")
        }
    }

    @Test func `Foundation reads the same from our text`() throws {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed &+ 5000)
            let value = JSONValue.array([JSONValue.random(depth: 3, using: &generator)])
            let text = JSONText.text(of: value)
            // Foundation on Linux drops U+FEFF from strings, which Settle keeps.
            guard !String(decoding: text, as: UTF8.self).contains("\u{FEFF}") else { continue }
            let theirs = try JSONSerialization.jsonObject(with: Data(text))
            #expect(Self.agrees(value, theirs), "seed \(seed)")
        }
    }

    private static func agrees(_ ours: JSONValue, _ theirs: Any) -> Bool {
        switch ours {
        case .null: theirs is NSNull
        case .bool(let value): (theirs as? Bool) == value
        case .integer(let value): (theirs as? NSNumber)?.int64Value == value
        case .double(let value):
            // Foundation rounds some large exponents in the last place.
            ((theirs as? NSNumber)?.doubleValue).map {
                abs($0 - value) <= abs(value) * 1e-15
            } ?? false
        case .string(let value): (theirs as? String).map { Array($0.utf8) } == Array(value.utf8)
        case .array(let elements):
            (theirs as? [Any]).map {
                $0.count == elements.count && zip(elements, $0).allSatisfy { agrees($0, $1) }
            } ?? false
        case .object(let members):
            (theirs as? [String: Any]).map { found in
                found.count == members.count
                    && members.allSatisfy { name, value in
                        found[name].map { agrees(value, $0) } ?? false
                    }
            } ?? false
        }
    }
}
